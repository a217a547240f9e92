//! Going down keep order, in parallel and with the answer of the law's loop.
//!
//! Contenders are taken by windows. Against the documents kept before the window, all of a window's documents are verified
//! at once. Inside the window the first undecided document is always decided, since all before it are: if it is kept, those
//! behind it in the window that share a band with it are verified against it, at once again. So every pair (document, kept
//! candidate before it) is verified exactly once, as in the loop, and no pair of two documents that are dropped ever is.
//!
//! References are the first contenders: each is kept without being compared with those before it.
//!
//! A document in [`Crowds`] asks their indexes instead of walking their chains: for those kept before the window with all the
//! others at once, for those kept in it when its turn comes.

pub(crate) mod candidate_pairs;

pub(crate) mod components;

pub(crate) mod all_matches;

mod found;

mod journal;

mod rounds;

mod still_needed;

pub(crate) mod streamed;

mod windows;

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Mutex, atomic::Ordering},
};

use lookalike::{
    Verify,
    cluster::{Best, Company, Links},
};
use lookalike_io::{error::Result, lock::lock, spill::places::Places};
use rayon::{ThreadPool, prelude::*};

use self::{
    found::{CopiesOf, Found, improve},
    journal::Settled,
    windows::Groups,
};
use crate::{
    config::{Progress, Stage},
    crowds::{
        Crowds,
        indexes::{Indexes, Prefixes},
    },
    matching::{
        self, Likeness, Matcher,
        sets::{Pass, Sets},
    },
    numbers::{Contender, Rank},
    pairing::{
        Pairing,
        verdicts::{Verdict, Verdicts},
    },
};

/// Documents in a window: enough to keep all cores busy, few enough that the window's own buckets are found in cache. Windows end
/// at multiples of it, or of a part of it where crowds may come to be.
const WINDOW: u32 = 1024;

/// Shingles to merge below which the pool's overhead is more than the work.
const WORTH_SHARING: usize = 20_000;

/// Makes the set of a copy, by rank.
type SetOf<'a> = &'a (dyn Fn(Rank, &mut Vec<u64>) -> Result<()> + Sync);

/// Room for one thread.
#[derive(Default)]
struct Room {
    company: Company,
    set: Vec<u64>,
    matching: matching::Room,
    indexes: Vec<u32>,
    found: Vec<u32>,
    large: Vec<u32>,
    prefixes: Prefixes,
}

/// What deciding works on.
pub(crate) struct Deciding<'a> {
    matcher: &'a Matcher<'a>,
    pool: &'a ThreadPool,
    /// The first contenders, which are references.
    references: u32,
    links: Links,
    /// None where no bucket is large, or resemblance is not counted exactly.
    crowds: Option<Crowds>,
    /// Of the documents of a window, for crowds.
    prefixes: Vec<Prefixes>,
    pub(crate) sets: Sets,
    pub(crate) verdicts: Verdicts,
    /// For each dropped leader of which copies came, what is best for them so far, and up to which number that was sought.
    copied: BTreeMap<u32, (Found, u32)>,
    /// One for each thread of the pool, and one for the thread that decides.
    rooms: Vec<Mutex<Room>>,
}

impl<'a> Deciding<'a> {
    pub(crate) fn new(pass: &Pass<'a>, matcher: &'a Matcher<'a>, links: Links, sets: Sets) -> Result<Self> {
        let Pass { config, table, pool, .. } = *pass;
        let rooms = (0..=pool.current_num_threads()).map(|_| Mutex::default()).collect();
        let verdicts = Verdicts::all_kept(matcher.pairing.numbers()?);
        let (method, pairing) = (matcher.method, matcher.pairing);
        let crowds = match &links {
            Links::Buckets(buckets) if Indexes::serve(method) => {
                pool.install(|| Crowds::of(buckets, config.crowd, WINDOW, pairing, method.least(), &table.budget))?
            }
            _ => None,
        };
        let prefixes = (0..WINDOW).map(|_| Prefixes::default()).collect();
        let references = matcher.references;
        Ok(Self { matcher, pool, references, links, crowds, prefixes, sets, verdicts, copied: BTreeMap::new(), rooms })
    }

    pub(crate) fn pairing(&self) -> &'a Pairing {
        self.matcher.pairing
    }

    /// Whether a contender that was not dropped stands for others.
    fn stands(&self, number: u32) -> bool {
        number < self.references || !self.pairing().references.only
    }

    /// The indexes of crowds, where any bucket may become one.
    fn indexes(&self) -> Option<&Indexes> {
        self.crowds.as_ref().map(Crowds::indexes)
    }

    /// Does something in the room of the thread that is running.
    fn in_room<T>(&self, work: impl FnOnce(&mut Room) -> T) -> T {
        let thread = self.pool.current_thread_index().unwrap_or(self.rooms.len() - 1);
        work(&mut lock(&self.rooms[thread]))
    }

    /// Decides by the law about the contenders that come next.
    pub(crate) fn decide(&mut self, numbers: Range<u32>) -> Result<()> {
        let mut start = numbers.start;
        while start < numbers.end {
            let window = start..numbers.end.min(self.prepared(start)?);
            start = window.end;
            let mut prefixes = std::mem::take(&mut self.prefixes);
            let mut found = self.against_kept(window.clone(), &mut prefixes)?;
            self.inside(window.clone(), &prefixes, &mut found)?;
            self.prefixes = prefixes;
            for (number, found) in window.zip(found) {
                if let Some((best, likeness)) = found {
                    self.verdicts.set(Contender(number), Verdict::dropped(Contender(best.document), likeness.overlap));
                }
            }
        }
        Ok(())
    }

    /// Where the window that begins at a number has to end. Where there are large buckets, windows end at fixed numbers, and
    /// crowds are looked after at these.
    fn prepared(&mut self, start: u32) -> Result<u32> {
        let Self { crowds, links, sets, pool, .. } = self;
        let (Some(crowds), Links::Buckets(buckets)) = (crowds, links) else { return Ok(start.saturating_add(WINDOW)) };
        let within = start % WINDOW;
        if crowds.wants_care(within) {
            pool.install(|| crowds.look_after(start, buckets, sets))?;
        }
        let step = crowds.step();
        Ok((start - within).saturating_add((within / step + 1) * step))
    }

    /// Each of the window's documents against its candidates among those kept before the window. Fills in the prefixes of those
    /// in crowds.
    fn against_kept(&self, window: Range<u32>, prefixes: &mut [Prefixes]) -> Result<Vec<Found>> {
        let one = |room: &mut Room, document: u32, prefixes: &mut Prefixes| {
            let is_reference = document < self.references;
            room.company.members.clear();
            if !is_reference {
                self.links.kept_company(document, &mut room.company);
            }
            prefixes.clear();
            if let Some(asked) = self.indexes().filter(|asked| asked.asks(document)) {
                let Room { company, set, indexes, found, .. } = room;
                asked.prefixes(document, self.sets.get(document, set)?, indexes, prefixes);
                if !is_reference {
                    asked.find((document, self.sets.len(document)), prefixes, 0, &self.sets, found);
                    company.members.extend_from_slice(found);
                    company.members.sort_unstable();
                    company.members.dedup();
                }
            }
            let Room { company, set, matching, .. } = room;
            self.matcher.keep_candidates(document, &mut company.members, matching)?;
            self.best_of(document, &company.members, set, matching)
        };
        let count = window.len();
        let rows = window.into_par_iter().zip(&mut prefixes[..count]);
        self.pool.install(|| rows.map(|(document, prefixes)| self.in_room(|room| one(room, document, prefixes))).collect())
    }

    /// The best representative of these candidates.
    fn best_of(&self, document: u32, candidates: &[u32], set: &mut Vec<u64>, room: &mut matching::Room) -> Result<Found> {
        let mut found = None;
        if !candidates.is_empty() {
            let set = self.sets.get(document, set)?;
            candidates.iter().try_for_each(|&kept| self.try_kept((document, set), kept, &mut found, room))?;
        }
        Ok(found)
    }

    fn try_kept(&self, of: (u32, &[u64]), kept: u32, found: &mut Found, room: &mut matching::Room) -> Result<()> {
        // A representative must reach the threshold, and be no less similar than the one at hand.
        let least = found.map_or(self.matcher.method.least(), |(best, _)| best.similarity);
        if let Some(likeness) = self.matcher.likeness(of, kept, &self.sets, least, room)? {
            improve(found, Best { document: kept, rank: kept, similarity: likeness.similarity }, likeness);
        }
        Ok(())
    }

    /// The window's documents among each other, in order; enters the kept ones into their buckets.
    fn inside(&mut self, window: Range<u32>, prefixes: &[Prefixes], found: &mut [Found]) -> Result<()> {
        let groups = Groups::of(window.clone(), &self.links, self.indexes().is_some_and(Indexes::any));
        let (mut behind, mut room) = (Vec::new(), matching::Room::default());
        for (place, document) in window.clone().enumerate() {
            if !prefixes[place].is_empty() && document >= self.references {
                self.against_crowds(document, window.start, &prefixes[place], &groups, &mut found[place])?;
            }
            if found[place].is_some() || !self.stands(document) {
                continue;
            }
            self.links.keep(document);
            if let Some(crowds) = &mut self.crowds {
                crowds.keep(document, &prefixes[place])?;
            }
            if window.end <= self.references {
                continue;
            }
            groups.behind(place, &mut behind);
            behind.iter_mut().for_each(|place| *place += window.start);
            behind.retain(|&other| other >= self.references);
            self.matcher.keep_candidates(document, &mut behind, &mut room)?;
            self.verify_behind(document, &behind, window.start, found)?;
        }
        Ok(())
    }

    /// A document in crowds against those of them that were kept from number `first` on, where the window begins.
    fn against_crowds(&self, document: u32, first: u32, prefixes: &Prefixes, groups: &Groups, best: &mut Found) -> Result<()> {
        let Some(asked) = self.indexes() else { return Ok(()) };
        self.in_room(|room| {
            let Room { set, found, matching, .. } = room;
            asked.find((document, self.sets.len(document)), prefixes, first, &self.sets, found);
            // Those that share another bucket too were compared when they were kept.
            found.retain(|&kept| !groups.linked((kept - first) as usize, (document - first) as usize));
            self.matcher.keep_candidates(document, found, matching)?;
            if found.is_empty() {
                return Ok(());
            }
            let set = self.sets.get(document, set)?;
            found.iter().try_for_each(|&kept| self.try_kept((document, set), kept, best, matching))
        })
    }

    fn verify_behind(&self, kept: u32, behind: &[u32], first: u32, found: &mut [Found]) -> Result<()> {
        let one = |room: &mut Room, &document: &u32| -> Result<Found> {
            let mut found = found[(document - first) as usize];
            let set = self.sets.get(document, &mut room.set)?;
            self.try_kept((document, set), kept, &mut found, &mut room.matching)?;
            Ok(found)
        };
        let work: usize = behind.iter().map(|&document| self.sets.len(document)).sum();
        let results: Result<Vec<Found>> = if work < WORTH_SHARING || behind.len() < 2 {
            behind.iter().map(|document| self.in_room(|room| one(room, document))).collect()
        } else {
            self.pool.install(|| behind.par_iter().map(|document| self.in_room(|room| one(room, document))).collect())
        };
        for (&document, result) in behind.iter().zip(results?) {
            found[(document - first) as usize] = result;
        }
        Ok(())
    }

    /// Of the sets that were taken for now, keeps those of kept documents that are still awaited.
    pub(crate) fn settle_fresh(&mut self, numbers: Range<u32>, awaited: &Places) -> Result<()> {
        let verdicts = &self.verdicts;
        let needed = |number: u32| awaited.contains(number.into()) && verdicts.of(Contender(number)).representative().is_none();
        self.sets.settle_fresh(numbers, needed)
    }

    /// Copies, each with its leader, of which all contenders before are decided: of a dropped leader they go for its
    /// representative or for a better one that was kept between the two in keep order. `set_of` gives a copy's set, by rank, where
    /// the leaders' sets are no longer held.
    /// Gives, by leader, what came of it.
    pub(crate) fn copies(
        &mut self,
        copies: impl Iterator<Item = (Rank, Contender)>,
        set_of: Option<SetOf>,
    ) -> Result<Vec<(u32, CopiesOf)>> {
        // Where nothing was kept between the two, a copy goes with its leader.
        if self.pairing().references.only {
            return Ok(Vec::new());
        }
        let dropped = |&(_, leader): &(Rank, Contender)| self.verdicts.of(leader).representative().is_some();
        let mut rows: Vec<(u32, Rank)> = copies.filter(dropped).map(|(rank, leader)| (leader.0, rank)).collect();
        rows.sort_unstable();
        let groups: Vec<&[(u32, Rank)]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
        let one = |room: &mut Room, group: &&[(u32, Rank)]| self.copies_of(group, set_of, room);
        let decided: Result<Vec<_>> =
            self.pool.install(|| groups.par_iter().map(|group| self.in_room(|room| one(room, group))).collect());
        let decided: Vec<_> = groups.iter().map(|group| group[0].0).zip(decided?).collect();
        self.take_copies(&decided);
        Ok(decided)
    }

    fn take_copies(&mut self, decided: &[(u32, CopiesOf)]) {
        self.copied.extend(decided.iter().map(|(leader, (_, known))| (*leader, *known)));
        self.verdicts.extend_copies(decided.iter().flat_map(|(_, (verdicts, _))| verdicts.iter().copied()));
    }

    /// Takes what an earlier run decided about the contenders from `first` on, and about copies.
    pub(crate) fn restore(&mut self, first: u32, settled: &Settled) {
        settled.dropped.iter().for_each(|&(number, verdict)| self.verdicts.set(Contender(number), verdict));
        for number in first..settled.next {
            if !self.is_dropped(number) && self.stands(number) {
                self.links.keep(number);
                self.crowds.iter_mut().for_each(|crowds| crowds.restore(number));
            }
        }
        self.take_copies(&settled.copies);
        let [met, refused] = settled.met;
        self.matcher.met.store(met, Ordering::Relaxed);
        self.matcher.refused.store(refused, Ordering::Relaxed);
    }

    /// What was decided about the contenders from `first` on; nothing about copies.
    pub(crate) fn settled(&self, first: u32, next: u32) -> Settled {
        let dropped = (first..next).filter(|&number| self.is_dropped(number));
        Settled {
            next,
            met: [&self.matcher.met, &self.matcher.refused].map(|count| count.load(Ordering::Relaxed)),
            dropped: dropped.map(|number| (number, self.verdicts.of(Contender(number)))).collect(),
            ..Settled::default()
        }
    }

    pub(crate) fn is_dropped(&self, number: u32) -> bool {
        self.verdicts.of(Contender(number)).representative().is_some()
    }

    /// The verdicts about some copies of one dropped leader, and what is known for later ones.
    fn copies_of(&self, group: &[(u32, Rank)], set_of: Option<SetOf>, room: &mut Room) -> Result<CopiesOf> {
        let (leader, last) = (group[0].0, group[group.len() - 1].1);
        let before = |rank: Rank| self.matcher.pairing.contenders.below(rank.0) as u32;
        let (mut found, from) = match self.copied.get(&leader) {
            Some(known) => *known,
            None => (self.found_of(leader)?, leader + 1),
        };
        let to = before(last);
        let since = self.matches_between(leader, from..to, set_of.map(|set_of| (last, set_of)), room)?;
        let mut since = since.into_iter().peekable();
        let mut verdicts = Vec::new();
        for &(_, rank) in group {
            while let Some((best, likeness)) = since.next_if(|(best, _)| best.rank < before(rank)) {
                improve(&mut found, best, likeness);
            }
            if let Some((best, likeness)) = found {
                verdicts.push((rank, Verdict::dropped(Contender(best.document), likeness.overlap)));
            }
        }
        Ok((verdicts, (found, to)))
    }

    /// The matches of a dropped leader among the kept documents of these numbers, in order. `copy` has its set where that is no
    /// longer held.
    ///
    /// When copies are decided, and so which buckets are crowds then, depends on rounds. So of pairs in large buckets only those
    /// that match are counted, however they are found.
    fn matches_between(
        &self,
        leader: u32,
        numbers: Range<u32>,
        copy: Option<(Rank, SetOf)>,
        room: &mut Room,
    ) -> Result<Vec<(Best, Likeness)>> {
        self.links.kept_company(leader, &mut room.company);
        let Room { company: Company { members, .. }, set, matching, indexes, found, large, prefixes } = room;
        members.retain(|&kept| numbers.contains(&kept));
        large.clear();
        let crowds = self.crowds.as_ref().filter(|_| !numbers.is_empty());
        if let Some(crowds) = crowds {
            large.extend(members.extract_if(.., |kept| crowds.share_large(leader, *kept)));
        }
        self.matcher.keep_candidates(leader, members, matching)?;
        let asked = crowds.map(Crowds::indexes).filter(|asked| asked.asks(leader));
        if members.is_empty() && large.is_empty() && asked.is_none() {
            return Ok(Vec::new());
        }
        let set = match copy {
            None => self.sets.get(leader, set)?,
            Some((rank, set_of)) => {
                set_of(rank, set)?;
                set
            }
        };
        if let Some(asked) = asked {
            asked.prefixes(leader, set, indexes, prefixes);
            asked.find((leader, set.len()), prefixes, 0, &self.sets, found);
            large.extend(found.iter().copied().filter(|kept| numbers.contains(kept)));
        }
        large.sort_unstable();
        large.dedup();
        self.matcher.keep_agreeing(leader, large, matching)?;
        let mut matches = Vec::new();
        for &kept in members.iter().chain(large.iter()) {
            let mut found = None;
            self.try_kept((leader, set), kept, &mut found, matching)?;
            matches.extend(found);
        }
        let in_large = matches.iter().filter(|(best, _)| large.binary_search(&best.document).is_ok()).count();
        self.matcher.met.fetch_add(in_large as u64, Ordering::Relaxed);
        matches.sort_unstable_by_key(|(best, _)| best.rank);
        Ok(matches)
    }

    /// What a dropped contender was dropped for.
    fn found_of(&self, number: u32) -> Result<Found> {
        let verdict = self.verdicts.of(Contender(number));
        let Some(Contender(representative)) = verdict.representative() else { return Ok(None) };
        let (overlap, method) = (verdict.overlap(), self.matcher.method);
        let similarity = match (overlap, method.verify()) {
            (Some(overlap), _) => self.matcher.measured(overlap, representative),
            (None, Verify::None) => 1.0,
            (None, _) => self.matcher.estimate(number, representative)?,
        };
        let best = Best { document: representative, rank: representative, similarity };
        Ok(Some((best, Likeness { similarity, overlap })))
    }
}

/// Decides about all contenders, and then about the copies of dropped ones.
pub(crate) fn decide_all(pass: Pass, matcher: &Matcher, links: Links, sets: Sets) -> Result<Verdicts> {
    let numbers = matcher.pairing.numbers()?;
    let mut deciding = Deciding::new(&pass, matcher, links, sets)?;
    for start in (0..numbers).step_by(WINDOW as usize) {
        Progress::new(Stage::Deciding, start.into(), numbers.into()).tell(pass.observer)?;
        deciding.decide(start..numbers.min(start.saturating_add(WINDOW)))?;
    }
    let pairing = matcher.pairing;
    deciding.copies(pairing.copies_of_contenders(), None)?;
    Ok(deciding.verdicts)
}
