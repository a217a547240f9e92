//! Going down keep order, in parallel and with the answer of the law's loop.
//!
//! Contenders are taken by windows. Against the documents kept before the window, all of a window's documents are verified
//! at once. Inside the window the first undecided document is always decided, since all before it are: if it is kept, those
//! behind it in the window that share a band with it are verified against it, at once again. So every pair (document, kept
//! candidate before it) is verified exactly once, as in the loop, and no pair of two documents that are dropped ever is.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Mutex, atomic::Ordering},
};

use lookalike::{
    Verify,
    cluster::{Best, Buckets, Company, Links, Listed},
    lsh::NONE,
};
use rayon::{ThreadPool, prelude::*};

use super::{
    loading::Sets,
    matching::{self, Likeness, Matcher},
    pairing::Pairing,
    settled::Settled,
    verdicts::{Verdict, Verdicts},
};
use crate::{
    config::{Observer, Progress, Stage},
    error::Result,
    lock::lock,
    places::Places,
};

/// Documents in a window: enough to keep all cores busy, few enough that the window's own buckets are found in cache.
const WINDOW: usize = 1024;

/// Shingles to merge below which the pool's overhead is more than the work.
const WORTH_SHARING: usize = 20_000;

/// The best representative so far, and how alike it is.
pub(super) type Found = Option<(Best, Likeness)>;

fn improve(found: &mut Found, best: Best, likeness: Likeness) {
    if best.beats(found.map(|(best, _)| best)) {
        *found = Some((best, likeness));
    }
}

/// Makes the set of a copy, by rank.
type SetOf<'a> = &'a (dyn Fn(u64, &mut Vec<u64>) -> Result<()> + Sync);

/// Room for one thread.
#[derive(Default)]
struct Room {
    company: Company,
    set: Vec<u64>,
    matching: matching::Room,
}

/// What deciding works on.
pub(crate) struct Deciding<'a> {
    matcher: &'a Matcher<'a>,
    pool: &'a ThreadPool,
    links: Links,
    pub(crate) sets: Sets,
    pub(crate) verdicts: Verdicts,
    /// For each dropped leader of which copies came, what is best for them so far, and up to which number that was sought.
    copied: BTreeMap<u32, (Found, u32)>,
    /// One for each thread of the pool, and one for the thread that decides.
    rooms: Vec<Mutex<Room>>,
}

impl<'a> Deciding<'a> {
    pub(crate) fn new(matcher: &'a Matcher<'a>, links: Links, sets: Sets, pool: &'a ThreadPool) -> Result<Self> {
        let rooms = (0..=pool.current_num_threads()).map(|_| Mutex::default()).collect();
        let verdicts = Verdicts::all_kept(matcher.pairing.numbers()?);
        Ok(Self { matcher, pool, links, sets, verdicts, copied: BTreeMap::new(), rooms })
    }

    pub(super) fn pairing(&self) -> &'a Pairing {
        self.matcher.pairing
    }

    /// Does something in the room of the thread that is running.
    fn in_room<T>(&self, work: impl FnOnce(&mut Room) -> T) -> T {
        let thread = self.pool.current_thread_index().unwrap_or(self.rooms.len() - 1);
        work(&mut lock(&self.rooms[thread]))
    }

    /// Decides by the law about the contenders that come next.
    pub(crate) fn decide(&mut self, numbers: Range<u32>) -> Result<()> {
        for start in numbers.clone().step_by(WINDOW) {
            let window = start..numbers.end.min(start.saturating_add(WINDOW as u32));
            let mut found = self.against_kept(window.clone())?;
            self.inside(window.clone(), &mut found)?;
            for (number, found) in window.zip(found) {
                if let Some((best, likeness)) = found {
                    self.verdicts.set(number, Verdict::dropped(best.document, likeness.overlap));
                }
            }
        }
        Ok(())
    }

    /// Each of the window's documents against its candidates among those kept before the window.
    fn against_kept(&self, window: Range<u32>) -> Result<Vec<Found>> {
        let one = |room: &mut Room, document: u32| {
            let Room { company, set, matching } = room;
            self.links.kept_company(document, company);
            self.matcher.keep_candidates(document, &mut company.members, matching)?;
            let mut found = None;
            if company.members.is_empty() {
                return Ok(found);
            }
            let set = self.sets.get(document, set)?;
            for &kept in &company.members {
                self.try_kept((document, set), kept, &mut found, matching)?;
            }
            Ok(found)
        };
        self.pool.install(|| window.into_par_iter().map(|document| self.in_room(|room| one(room, document))).collect())
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
    fn inside(&mut self, window: Range<u32>, found: &mut [Found]) -> Result<()> {
        let groups = Groups::of(window.clone(), &self.links);
        let (mut behind, mut room) = (Vec::new(), matching::Room::default());
        for (place, kept) in window.clone().enumerate() {
            if found[place].is_some() {
                continue;
            }
            self.links.keep(kept);
            groups.behind(place, &mut behind);
            behind.iter_mut().for_each(|place| *place += window.start);
            self.matcher.keep_candidates(kept, &mut behind, &mut room)?;
            self.verify_behind(kept, &behind, window.start, found)?;
        }
        Ok(())
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
        let needed = |number: u32| awaited.contains(number.into()) && self.verdicts.of(number).representative().is_none();
        self.sets.settle_fresh(numbers, needed)
    }

    /// Copies, by (rank, number of the leader), of which all contenders before are decided: of a dropped leader they go for its
    /// representative or for a better one that was kept between the two in keep order. `set_of` gives a copy's set, by rank, where
    /// the leaders' sets are no longer held.
    /// Gives, by leader, what came of it.
    pub(crate) fn copies(
        &mut self,
        copies: impl Iterator<Item = (u64, u32)>,
        set_of: Option<SetOf>,
    ) -> Result<Vec<(u32, CopiesOf)>> {
        let dropped = |&(_, leader): &(u64, u32)| self.verdicts.of(leader).representative().is_some();
        let mut rows: Vec<(u32, u64)> = copies.filter(dropped).map(|(rank, leader)| (leader, rank)).collect();
        rows.sort_unstable();
        let groups: Vec<&[(u32, u64)]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
        let one = |room: &mut Room, group: &&[(u32, u64)]| self.copies_of(group, set_of, room);
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
        settled.dropped.iter().for_each(|&(number, verdict)| self.verdicts.set(number, verdict));
        for number in first..settled.next {
            if !self.is_dropped(number) {
                self.links.keep(number);
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
            dropped: dropped.map(|number| (number, self.verdicts.of(number))).collect(),
            ..Settled::default()
        }
    }

    pub(super) fn is_dropped(&self, number: u32) -> bool {
        self.verdicts.of(number).representative().is_some()
    }

    /// The verdicts about some copies of one dropped leader, and what is known for later ones.
    fn copies_of(&self, group: &[(u32, u64)], set_of: Option<SetOf>, room: &mut Room) -> Result<CopiesOf> {
        let (leader, last) = (group[0].0, group[group.len() - 1].1);
        let before = |rank: u64| self.matcher.pairing.contenders.below(rank) as u32;
        let (mut found, from) = match self.copied.get(&leader) {
            Some(known) => *known,
            None => (self.found_of(leader)?, leader + 1),
        };
        let to = before(last);
        let Room { company, set, matching } = room;
        self.links.kept_company(leader, company);
        company.members.retain(|&kept| (from..to).contains(&kept));
        self.matcher.keep_candidates(leader, &mut company.members, matching)?;
        let set = match set_of {
            _ if company.members.is_empty() => &[],
            None => self.sets.get(leader, set)?,
            Some(set_of) => {
                set_of(last, set)?;
                set
            }
        };
        let mut since = Vec::new();
        for &kept in &company.members {
            let mut found = None;
            self.try_kept((leader, set), kept, &mut found, matching)?;
            since.extend(found);
        }
        since.sort_unstable_by_key(|(best, _)| best.rank);
        let mut since = since.into_iter().peekable();
        let mut verdicts = Vec::new();
        for &(_, rank) in group {
            while let Some((best, likeness)) = since.next_if(|(best, _)| best.rank < before(rank)) {
                improve(&mut found, best, likeness);
            }
            if let Some((best, likeness)) = found {
                verdicts.push((rank, Verdict::dropped(best.document, likeness.overlap)));
            }
        }
        Ok((verdicts, (found, to)))
    }

    /// What a dropped contender was dropped for.
    fn found_of(&self, number: u32) -> Result<Found> {
        let verdict = self.verdicts.of(number);
        let Some(representative) = verdict.representative() else { return Ok(None) };
        let (overlap, method) = (verdict.overlap(), self.matcher.method);
        let similarity = match (overlap, method.verify()) {
            (Some(overlap), _) => method.config().measure.of(overlap),
            (None, Verify::None) => 1.0,
            (None, _) => self.matcher.estimate(number, representative)?,
        };
        let best = Best { document: representative, rank: representative, similarity };
        Ok(Some((best, Likeness { similarity, overlap })))
    }
}

/// Decides about all contenders, and then about the copies of dropped ones.
pub(crate) fn decide_all(matcher: &Matcher, links: Links, sets: Sets, pool: &ThreadPool, observer: Observer) -> Result<Verdicts> {
    let numbers = matcher.pairing.numbers()?;
    let mut deciding = Deciding::new(matcher, links, sets, pool)?;
    for start in (0..numbers).step_by(WINDOW) {
        observer(Progress::new(Stage::Deciding, start.into(), numbers.into()));
        deciding.decide(start..numbers.min(start.saturating_add(WINDOW as u32)))?;
    }
    let pairing = matcher.pairing;
    let copies = pairing.copies.iter().filter_map(|&(rank, leader)| Some((rank, pairing.number(leader)?)));
    deciding.copies(copies, None)?;
    Ok(deciding.verdicts)
}

/// Verdicts about copies by rank; the best so far, and up to which number it was sought.
pub(super) type CopiesOf = (Vec<(u64, Verdict)>, (Found, u32));

/// Who of a window is linked to whom of it.
enum Groups {
    Buckets {
        /// Places in the window, group after group, ascending in each; groups of at least two.
        members: Vec<u32>,
        /// For each place, where in `members` it stands, group by group, and where that group ends.
        of_place: Vec<Vec<(u32, u32)>>,
    },
    /// For each place the linked places behind it, ascending.
    Listed(Vec<Vec<u32>>),
}

impl Groups {
    fn of(window: Range<u32>, links: &Links) -> Self {
        match links {
            Links::Buckets(buckets) => Self::of_buckets(window, buckets),
            Links::Listed(listed) => Self::of_listed(window, listed),
        }
    }

    fn of_buckets(window: Range<u32>, buckets: &Buckets) -> Self {
        let mut rows: Vec<(u64, u32)> = Vec::new();
        for (place, document) in (0u32..).zip(window.clone()) {
            let of_bands = (0u64..).zip(buckets.buckets_of(document)).filter(|(_, bucket)| *bucket != NONE);
            rows.extend(of_bands.map(|(band, bucket)| (band << 32 | u64::from(bucket), place)));
        }
        rows.sort_unstable();
        let (mut members, mut of_place) = (Vec::new(), vec![Vec::new(); window.len()]);
        for group in rows.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            let end = (members.len() + group.len()) as u32;
            for (_, place) in group {
                of_place[*place as usize].push((members.len() as u32, end));
                members.push(*place);
            }
        }
        Self::Buckets { members, of_place }
    }

    fn of_listed(window: Range<u32>, listed: &Listed) -> Self {
        let behind = |document: u32| {
            let neighbours = listed.of(document);
            let start = neighbours.partition_point(|&other| other <= document);
            neighbours[start..].iter().take_while(|&&other| other < window.end).map(|other| other - window.start).collect()
        };
        Self::Listed(window.clone().map(behind).collect())
    }

    /// The places behind `place` that are linked to it, ascending, each once.
    fn behind(&self, place: usize, into: &mut Vec<u32>) {
        into.clear();
        match self {
            Self::Buckets { members, of_place } => {
                for &(at, end) in &of_place[place] {
                    into.extend_from_slice(&members[at as usize + 1..end as usize]);
                }
                into.sort_unstable();
                into.dedup();
            }
            Self::Listed(behind) => into.extend_from_slice(&behind[place]),
        }
    }
}
