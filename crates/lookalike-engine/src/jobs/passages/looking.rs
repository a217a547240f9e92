//! Texts are looked up in those that are held.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use lookalike::{
    Scratch,
    runs::{Joined, Lookup, Meeting, Run, RunIndex, join},
    verify::{Figures, Overlap},
};
use lookalike_io::{
    error::{Error, Result},
    read::{Blocks, Room},
    write::Output,
};

use super::{
    asked::{Quoting, Wanted},
    best::{Best, Told},
    references::Held,
    report::{Placed, Quoted, Shares, shared_in},
};
use crate::{
    config::{Progress, Stage},
    matching::sets::Pass,
    pass::parallel::{Weigh, in_order},
    sketching::ids::raw,
};

/// What a text is looked up in.
pub(super) struct Looking<'a> {
    pub(super) pass: Pass<'a>,
    pub(super) asked: &'a Quoting,
    pub(super) held: &'a Held,
    pub(super) index: &'a RunIndex,
    /// Texts are compared with those before them.
    pub(super) among: bool,
    /// Pairs are written, not told.
    pub(super) lines: bool,
    /// Where only the best pairs are told, how many.
    pub(super) most: Option<usize>,
    /// Where only the best pairs are told, tokens of which a pair must share more to be one of them, by the blocks before.
    pub(super) floor: &'a AtomicUsize,
}

impl Looking<'_> {
    /// Looks all texts up, block by block; writes or tells what is found, in input order.
    pub(super) fn all(&self, mut output: Option<&mut Output>, wanted: &mut Wanted) -> Result<Counts> {
        let Pass { source, table, pool, observer, .. } = self.pass;
        let (mut best, mut counts) = (self.most.map(Best::new), Counts::default());
        let blocks = if self.among { Blocks::again(source) } else { Blocks::behind_references(source) };
        in_order(
            pool,
            blocks,
            |block, worker: &mut Worker| {
                let mut found = Found { best: self.most.map(Best::new), ..Found::default() };
                table.info(block, source)?.each_document(block, source, |document, at| {
                    let record = source.same_record(block, at, &mut worker.room)?;
                    let text = record.text.decode(&mut worker.plain);
                    worker.looker.look_up(self, document, text, &mut found)
                })?;
                Ok(found)
            },
            |found: Found| {
                Progress::new(Stage::Comparing, source.read(), source.total()).tell(observer)?;
                counts.add(&found.counts);
                if let Some(output) = &mut output {
                    output.write(&found.lines)?;
                }
                if let (Some(best), Some(of_block)) = (&mut best, found.best) {
                    best.take(of_block);
                    self.floor.store(best.floor(), Ordering::Relaxed);
                }
                if let Wanted::Told(tell) = wanted {
                    found.told.iter().try_for_each(|told| told.tell(tell))?;
                }
                Ok(())
            },
        )?;
        if let (Some(best), Wanted::Told(tell)) = (&best, wanted) {
            best.pairs.iter().try_for_each(|(_, told)| told.tell(tell))?;
        }
        Ok(counts)
    }
}

/// How many pairs there are.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) pairs: u64,
    pub(super) passages: u64,
    /// Pairs that are contained too little.
    pub(super) left: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.passages += other.passages;
        self.left += other.left;
    }
}

/// One block's pairs.
#[derive(Default)]
struct Found {
    lines: Vec<u8>,
    told: Vec<Told>,
    best: Option<Best>,
    counts: Counts,
}

impl Weigh for Found {
    fn weight(&self) -> usize {
        // Held texts are shared by many pairs.
        let best = self.best.iter().flat_map(|best| best.pairs.iter().map(|pair| &*pair.1));
        let texts: usize =
            self.told.iter().chain(best).map(|told| told.texts[1].len() + size_of_val(&*told.shares.passages)).sum();
        self.lines.weight() + texts
    }
}

#[derive(Default)]
struct Worker {
    room: Room,
    plain: String,
    looker: Looker,
}

/// A worker's room for looking texts up.
#[derive(Default)]
struct Looker {
    scratch: Scratch,
    lookup: Lookup,
    /// The tokens of the held text that was met last: where it is the only one, it is met again and again.
    tokens: (Option<u32>, Vec<u64>),
    /// Held texts that were met, up to [`CACHED`] tokens of them: their pairs come one soon after the other.
    met: BTreeMap<u32, HeldText>,
    cached: usize,
    id: [Vec<u8>; 2],
}

/// Tokens of held texts whose sets and places a worker keeps: some 24 bytes each.
const CACHED: usize = 1 << 20;

/// What a held text is compared and shown by.
#[derive(Default)]
struct HeldText {
    set: Option<Vec<u64>>,
    /// Known when it is first shown.
    placed: Option<Placed>,
}

/// What a text shares with a held one, and so with the copies of that.
struct Shared {
    runs: Vec<Run>,
    joined: Vec<Joined>,
    figures: Figures,
    /// Tokens, the more of both sides.
    tokens: usize,
}

impl Shared {
    fn new(runs: Vec<Run>, gap: usize, figures: Figures) -> Self {
        let [a, b] = [shared_in(&runs, |run| run.a), shared_in(&runs, |run| run.b)];
        Self { joined: join(&runs, gap), runs, figures, tokens: a.max(b) }
    }
}

/// A text that is looked up.
struct Text<'a> {
    document: u64,
    text: &'a str,
    /// Only of those that share a run; few do.
    placed: Option<Placed>,
}

/// Copies of held texts that come later, each with what it shares: of a text the next one.
type Later = BinaryHeap<Reverse<(u32, usize)>>;

impl Looker {
    /// Finds the passages that a text shares with those that are held.
    fn look_up(&mut self, looking: &Looking, document: u64, text: &str, found: &mut Found) -> Result<()> {
        let Looking { pass, index, .. } = *looking;
        pass.method.set(text, &mut self.scratch);
        let (set, tokens) = (std::mem::take(&mut self.scratch.fingerprints), std::mem::take(&mut self.scratch.token_hashes));
        let mut text = Text { document, text, placed: None };
        let below = text.below(looking);
        let mut lookup = std::mem::take(&mut self.lookup);
        // Held texts come in their order, so what has copies waits until these have come, too.
        let (mut later, mut shared) = (Later::new(), BTreeMap::<usize, (u32, Shared)>::new());
        let looked_up = index.each_meeting(&tokens, below, &mut lookup, |meeting: Meeting| {
            self.before(meeting.text, looking, (&mut later, &mut shared), &mut text, found)?;
            let Some(of_pair) = self.shared(&meeting, looking, (&set, &tokens), below, found)? else { return Ok(()) };
            if !self.give(looking, meeting.text, &of_pair, &mut text, found)? {
                return Ok(());
            }
            if let Some(copy) = looking.held.copies(meeting.text, below).next() {
                let number = meeting.text as usize;
                shared.insert(number, (meeting.text, of_pair));
                later.push(Reverse((copy, number)));
            }
            Ok(())
        });
        let looked_up = looked_up.and_then(|()| self.before(below, looking, (&mut later, &mut shared), &mut text, found));
        self.lookup = lookup;
        (self.scratch.fingerprints, self.scratch.token_hashes) = (set, tokens);
        looked_up
    }

    /// Gives the pairs with copies of held texts below a number.
    fn before(
        &mut self,
        number: u32,
        looking: &Looking,
        (later, shared): (&mut Later, &mut BTreeMap<usize, (u32, Shared)>),
        text: &mut Text,
        found: &mut Found,
    ) -> Result<()> {
        while let Some(&Reverse((copy, of))) = later.peek().filter(|next| next.0.0 < number) {
            later.pop();
            let Some((first, of_pair)) = shared.get(&of) else { continue };
            let wanted = self.give(looking, copy, of_pair, text, found)?;
            let next = looking.held.next_copy(*first, copy).filter(|&next| wanted && next < text.below(looking));
            match next {
                Some(next) => later.push(Reverse((next, of))),
                None => drop(shared.remove(&of)),
            }
        }
        Ok(())
    }

    /// What a text shares with a held one, if it is enough; counts it, once for each copy.
    fn shared(
        &mut self,
        meeting: &Meeting,
        looking: &Looking,
        (set, tokens): (&[u64], &[u64]),
        below: u32,
        found: &mut Found,
    ) -> Result<Option<Shared>> {
        let Looking { held, asked, .. } = *looking;
        if self.tokens.0 != Some(meeting.text) {
            let mut room = Vec::new();
            let of_held = held.tokens(meeting.text, &mut room)?;
            self.tokens.1.clear();
            self.tokens.1.extend_from_slice(of_held);
            self.tokens.0 = Some(meeting.text);
        }
        let runs = meeting.runs(&self.tokens.1, tokens);
        if runs.is_empty() {
            return Ok(None);
        }
        let figures = Figures::from(Overlap::of(self.set(looking, meeting.text)?, set));
        let pairs = 1 + held.copies(meeting.text, below).len() as u64;
        if figures.containment_ab.max(figures.containment_ba) < asked.containment {
            found.counts.left += pairs;
            return Ok(None);
        }
        let shared = Shared::new(runs, asked.gap, figures);
        found.counts.pairs += pairs;
        found.counts.passages += pairs * shared.joined.len() as u64;
        Ok(Some(shared))
    }

    /// Writes or tells a pair; false where it shares too little to be told, and so do all others that share no more.
    fn give(&mut self, looking: &Looking, number: u32, shared: &Shared, text: &mut Text, found: &mut Found) -> Result<bool> {
        let Looking { pass, held, asked, .. } = *looking;
        if let Some(best) = &found.best
            && shared.tokens <= best.floor().max(looking.floor.load(Ordering::Relaxed))
        {
            return Ok(false);
        }
        self.make_room();
        let of_held = self.met.entry(number).or_default();
        let of_held = match &mut of_held.placed {
            Some(placed) => placed,
            none => {
                let placed = Placed::new(held.text(number)?, pass.method);
                self.cached += placed.spans.len();
                none.insert(placed)
            }
        };
        let placed = text.placed.get_or_insert_with(|| Placed::new(text.text.into(), pass.method));
        let Shared { runs, joined, figures, tokens } = shared;
        let shares = Shares::new(*figures, runs, joined, [of_held, placed], asked.offsets, asked.words);
        let texts = [of_held.text.clone(), placed.text.clone()];
        Self::put(&mut self.id, looking, [number.into(), text.document], *tokens, shares, texts, found)?;
        Ok(true)
    }

    /// A held text's set.
    fn set(&mut self, looking: &Looking, number: u32) -> Result<&[u64]> {
        self.make_room();
        let of_held = self.met.entry(number).or_default();
        if of_held.set.is_none() {
            looking.pass.method.set(&*looking.held.text(number)?, &mut self.scratch);
            self.cached += self.tokens.1.len();
            of_held.set = Some(std::mem::take(&mut self.scratch.fingerprints));
        }
        Ok(of_held.set.as_deref().unwrap_or_default())
    }

    fn make_room(&mut self) {
        if self.cached > CACHED {
            self.met.clear();
            self.cached = 0;
        }
    }

    fn put(
        [id_a, id_b]: &mut [Vec<u8>; 2],
        looking: &Looking,
        documents: [u64; 2],
        tokens: usize,
        shares: Shares,
        texts: [Arc<str>; 2],
        found: &mut Found,
    ) -> Result<()> {
        let ids = &looking.pass.table.ids;
        let (a, b) = (raw(ids.get(documents[0], id_a)?)?, raw(ids.get(documents[1], id_b)?)?);
        if looking.lines {
            let line = Quoted { a, b, shares: &shares, texts: texts.each_ref().map(|text| &**text) };
            serde_json::to_writer(&mut found.lines, &line).map_err(|error| Error::failure(error.to_string()))?;
            found.lines.push(b'\n');
            return Ok(());
        }
        let told = Told { ids: [a.to_owned(), b.to_owned()], shares, texts };
        match &mut found.best {
            Some(best) => best.push(tokens, Box::new(told)),
            None => found.told.push(told),
        }
        Ok(())
    }
}

impl Text<'_> {
    /// The number below which held texts are compared with it.
    fn below(&self, looking: &Looking) -> u32 {
        if looking.among { self.document as u32 } else { u32::MAX }
    }
}
