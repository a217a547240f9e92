//! Going down keep order, in parallel and with the answer of the law's loop.
//!
//! Contenders are taken by windows. Against the documents kept before the window, all of a window's documents are verified
//! at once. Inside the window the first undecided document is always decided, since all before it are: if it is kept, those
//! behind it in the window that share a band with it are verified against it, at once again. So every pair (document, kept
//! candidate before it) is verified exactly once, as in the loop, and no pair of two documents that are dropped ever is.

use std::sync::Mutex;

use lookalike::{
    cluster::{Best, Buckets, Company, Links, Listed},
    lsh::NONE,
    verify::Overlap,
};
use rayon::{ThreadPool, prelude::*};

use super::{
    matching::{Likeness, Matcher},
    pairing::Pairing,
};
use crate::{
    config::{Observer, Progress, Stage},
    error::Result,
    lock::lock,
};

/// Documents in a window: enough to keep all cores busy, few enough that the window's own buckets are found in cache.
const WINDOW: usize = 1024;

/// Shingles to merge below which the pool's overhead is more than the work.
const WORTH_SHARING: usize = 20_000;

/// Each document's verdict: for a dropped one its representative and their overlap, in 16 bytes.
pub(crate) struct Verdicts {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    representative: u32,
    shared: u32,
    own: u32,
    others: u32,
}

const KEPT: Row = Row { representative: NONE, shared: 0, own: 0, others: 0 };

impl Verdicts {
    pub(crate) fn all_kept(documents: u32) -> Self {
        Self { rows: vec![KEPT; documents as usize] }
    }

    pub(crate) fn representative(&self, document: u32) -> Option<u32> {
        Some(self.rows[document as usize].representative).filter(|&r| r != NONE)
    }

    /// The overlap with the representative, where it was counted.
    pub(crate) fn overlap(&self, document: u32) -> Option<Overlap> {
        let row = self.rows[document as usize];
        (row.own > 0).then(|| Overlap { shared: row.shared.into(), a: row.own.into(), b: row.others.into() })
    }

    pub(crate) fn drop_for(&mut self, document: u32, representative: u32, overlap: Option<Overlap>) {
        let Overlap { shared, a, b } = overlap.unwrap_or(Overlap { shared: 0, a: 0, b: 0 });
        self.rows[document as usize] = Row { representative, shared: shared as u32, own: a as u32, others: b as u32 };
    }
}

/// The best representative so far, and how alike it is.
type Found = Option<(Best, Likeness)>;

fn improve(found: &mut Found, best: Best, likeness: Likeness) {
    if best.beats(found.map(|(best, _)| best)) {
        *found = Some((best, likeness));
    }
}

/// Room for one thread.
#[derive(Default)]
struct Room {
    company: Company,
    set: Vec<u64>,
    other: Vec<u64>,
}

/// What deciding works on.
pub(crate) struct Deciding<'a> {
    pairing: &'a Pairing,
    matcher: &'a Matcher<'a>,
    pool: &'a ThreadPool,
    /// One for each thread of the pool, and one for the thread that decides.
    rooms: Vec<Mutex<Room>>,
}

impl<'a> Deciding<'a> {
    pub(crate) fn new(pairing: &'a Pairing, matcher: &'a Matcher<'a>, pool: &'a ThreadPool) -> Self {
        let rooms = (0..=pool.current_num_threads()).map(|_| Mutex::default()).collect();
        Self { pairing, matcher, pool, rooms }
    }

    /// Does something in the room of the thread that is running.
    fn in_room<T>(&self, work: impl FnOnce(&mut Room) -> T) -> T {
        let thread = self.pool.current_thread_index().unwrap_or(self.rooms.len() - 1);
        work(&mut lock(&self.rooms[thread]))
    }

    /// Decides about every document by the law.
    pub(crate) fn decide(&self, mut links: Links, observer: Observer) -> Result<Verdicts> {
        let mut verdicts = Verdicts::all_kept(self.pairing.order.len() as u32);
        let contenders = &self.pairing.contenders;
        for (done, window) in (0..).step_by(WINDOW).zip(contenders.chunks(WINDOW)) {
            observer(Progress { stage: Stage::Deciding, done, total: contenders.len() as u64 });
            let mut found = self.against_kept(window, &links)?;
            self.inside(window, &mut found, &mut links)?;
            for (&document, found) in window.iter().zip(found) {
                if let Some((best, likeness)) = found {
                    verdicts.drop_for(document, best.document, likeness.overlap);
                }
            }
        }
        self.copies(&links, &mut verdicts)?;
        Ok(verdicts)
    }

    /// Each of the window's documents against its candidates among those kept before the window.
    fn against_kept(&self, window: &[u32], links: &Links) -> Result<Vec<Found>> {
        let one = |room: &mut Room, document: u32| {
            let Room { company, set, other } = room;
            links.kept_company(document, company);
            self.matcher.keep_candidates(document, &mut company.members, |other| other);
            let mut found = None;
            if !company.members.is_empty() {
                self.matcher.sets.read(document, set)?;
            }
            for &kept in &company.members {
                self.try_kept(document, set, kept, &mut found, other)?;
            }
            Ok(found)
        };
        self.pool.install(|| window.par_iter().map(|&document| self.in_room(|room| one(room, document))).collect())
    }

    fn try_kept(&self, document: u32, set: &[u64], kept: u32, found: &mut Found, room: &mut Vec<u64>) -> Result<()> {
        // A representative must reach the threshold, and be no less similar than the one at hand.
        let least = found.map_or(self.matcher.method.least(), |(best, _)| best.similarity);
        if let Some(likeness) = self.matcher.likeness(document, set, kept, least, room)? {
            let rank = self.pairing.ranks[kept as usize];
            improve(found, Best { document: kept, rank, similarity: likeness.similarity }, likeness);
        }
        Ok(())
    }

    /// The window's documents among each other, in order; enters the kept ones into their buckets.
    fn inside(&self, window: &[u32], found: &mut [Found], links: &mut Links) -> Result<()> {
        let groups = Groups::of(window, links, &self.pairing.ranks);
        let mut behind = Vec::new();
        for (place, &kept) in window.iter().enumerate() {
            if found[place].is_some() {
                continue;
            }
            links.keep(kept);
            groups.behind(place, &mut behind);
            self.matcher.keep_candidates(kept, &mut behind, |place| window[place as usize]);
            self.verify_behind(kept, &behind, window, found)?;
        }
        Ok(())
    }

    fn verify_behind(&self, kept: u32, behind: &[u32], window: &[u32], found: &mut [Found]) -> Result<()> {
        let one = |room: &mut Room, &place: &u32| -> Result<Found> {
            let document = window[place as usize];
            let mut found = found[place as usize];
            self.matcher.sets.read(document, &mut room.set)?;
            self.try_kept(document, &room.set, kept, &mut found, &mut room.other)?;
            Ok(found)
        };
        let work: usize = behind.iter().map(|&place| self.matcher.sets.len(window[place as usize])).sum();
        let results: Result<Vec<Found>> = if work < WORTH_SHARING || behind.len() < 2 {
            behind.iter().map(|place| self.in_room(|room| one(room, place))).collect()
        } else {
            self.pool.install(|| behind.par_iter().map(|place| self.in_room(|room| one(room, place))).collect())
        };
        for (&place, result) in behind.iter().zip(results?) {
            found[place as usize] = result;
        }
        Ok(())
    }

    /// Copies: of a kept leader, they go for it; of a dropped one, for its representative or a better one that was kept
    /// between the two in keep order.
    fn copies(&self, links: &Links, verdicts: &mut Verdicts) -> Result<()> {
        let Pairing { order, ranks, leaders, .. } = self.pairing;
        let measure = self.matcher.method.config().measure;
        let is_copy = |&d: &u32| leaders[d as usize] != d && !self.pairing.is_empty(d);
        let mut of_dropped: Vec<(u32, u32)> = Vec::new();
        for copy in order.iter().copied().filter(is_copy) {
            let leader = leaders[copy as usize];
            match verdicts.representative(leader) {
                None => verdicts.drop_for(copy, leader, None),
                Some(_) => of_dropped.push((leader, ranks[copy as usize])),
            }
        }
        of_dropped.sort_unstable();
        let groups: Vec<&[(u32, u32)]> = of_dropped.chunk_by(|a, b| a.0 == b.0).collect();
        let one = |room: &mut Room, group: &&[(u32, u32)]| self.kept_since(group[0].0, links, room);
        let since: Result<Vec<_>> =
            self.pool.install(|| groups.par_iter().map(|group| self.in_room(|room| one(room, group))).collect());
        for (group, since) in groups.iter().zip(since?) {
            let leader = group[0].0;
            let Some(representative) = verdicts.representative(leader) else { continue };
            let overlap = verdicts.overlap(leader);
            let similarity =
                overlap.map_or_else(|| self.unverified(leader, representative), |overlap| Ok(measure.of(overlap)))?;
            let rank = ranks[representative as usize];
            let mut found = Some((Best { document: representative, rank, similarity }, Likeness { similarity, overlap }));
            let mut since = since.into_iter().peekable();
            for &(_, rank) in *group {
                while let Some((best, likeness)) = since.next_if(|(best, _)| best.rank < rank) {
                    improve(&mut found, best, likeness);
                }
                if let Some((best, likeness)) = found {
                    verdicts.drop_for(order[rank as usize], best.document, likeness.overlap);
                }
            }
        }
        Ok(())
    }

    /// The matches of a dropped leader that were kept after it, in keep order.
    fn kept_since(&self, leader: u32, links: &Links, room: &mut Room) -> Result<Vec<(Best, Likeness)>> {
        let own_rank = self.pairing.ranks[leader as usize];
        let Room { company, set, other } = room;
        links.kept_company(leader, company);
        company.members.retain(|&kept| self.pairing.ranks[kept as usize] > own_rank);
        self.matcher.keep_candidates(leader, &mut company.members, |other| other);
        self.matcher.sets.read(leader, set)?;
        let mut matches = Vec::new();
        for &kept in &company.members {
            let mut found = None;
            self.try_kept(leader, set, kept, &mut found, other)?;
            matches.extend(found);
        }
        matches.sort_unstable_by_key(|(best, _)| best.rank);
        Ok(matches)
    }

    fn unverified(&self, a: u32, b: u32) -> Result<f64> {
        match self.matcher.method.verify() {
            lookalike::Verify::None => Ok(1.0),
            _ => self.matcher.estimate(a, b),
        }
    }
}

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
    fn of(window: &[u32], links: &Links, ranks: &[u32]) -> Self {
        match links {
            Links::Buckets(buckets) => Self::of_buckets(window, buckets),
            Links::Listed(listed) => Self::of_listed(window, listed, ranks),
        }
    }

    fn of_buckets(window: &[u32], buckets: &Buckets) -> Self {
        let mut rows: Vec<(u64, u32)> = Vec::new();
        for (place, &document) in (0u32..).zip(window) {
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

    fn of_listed(window: &[u32], listed: &Listed, ranks: &[u32]) -> Self {
        let rank = |document: u32| ranks[document as usize];
        // A window is a stretch of keep order, and so are each document's neighbours in it.
        let behind = |&document: &u32| {
            let neighbours = listed.of(document);
            let start = neighbours.partition_point(|&other| rank(other) <= rank(document));
            let place = |&other: &u32| window.binary_search_by_key(&rank(other), |&d| rank(d)).ok().map(|place| place as u32);
            neighbours[start..].iter().map_while(place).collect()
        };
        Self::Listed(window.iter().map(behind).collect())
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
