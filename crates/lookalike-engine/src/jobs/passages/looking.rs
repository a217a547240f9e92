//! Finds the passages that texts share with the held texts, which are the texts in the index.

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
    runs::{Lookup, RunIndex, SharedText},
    verify::{Figures, Overlap},
};
use lookalike_io::{
    error::{Error, Result},
    read::{Blocks, Scratch as ReadScratch},
    write::Output,
};

use super::{
    asked::{Quoting, Wanted},
    best::{Best, Reported},
    references::Held,
    report::{Placed, Quoted, Shares},
    shared::Shared,
};
use crate::{
    config::{Progress, Stage},
    matching::sets::Pass,
    pass::parallel::{Weigh, in_order},
    sketching::ids::raw,
};

/// What is needed to find the held texts that share passages with a text.
pub(super) struct Looking<'a> {
    pub(super) pass: Pass<'a>,
    pub(super) asked: &'a Quoting,
    pub(super) held: &'a Held,
    pub(super) index: &'a RunIndex,
    /// Whether texts are compared with earlier texts of the same collection.
    pub(super) among: bool,
    /// Whether pairs are written as lines, instead of being reported.
    pub(super) lines: bool,
    /// The number of pairs that are reported, or held for a page, if these are only the best pairs.
    pub(super) most: Option<usize>,
    /// The number of shared tokens that a pair must exceed to be among the best, if only the best pairs are reported. The number
    /// is updated whenever a block is finished.
    pub(super) floor: &'a AtomicUsize,
}

impl Looking<'_> {
    /// Compares all texts with the held texts, block by block, and writes or reports the pairs in input order. Returns the best
    /// pairs, if only these are wanted.
    pub(super) fn all(
        &self,
        mut output: Option<&mut Output>,
        wanted: &mut Wanted,
    ) -> Result<(Counts, Option<Best>)> {
        let Pass {
            source,
            table,
            pool,
            observer,
            ..
        } = self.pass;
        let (mut best, mut counts) = (self.most.map(Best::new), Counts::default());
        let blocks = if self.among {
            Blocks::again(source)
        } else {
            Blocks::after_references(source)
        };
        in_order(
            pool,
            blocks,
            |block, worker: &mut Worker| {
                let mut found = Found {
                    best: self.most.map(Best::new),
                    ..Found::default()
                };
                table
                    .info(block, source)?
                    .each_document(block, source, |document, at| {
                        let record = source.same_record(block, at, &mut worker.read_scratch)?;
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
                if let Wanted::Reported(tell) = wanted {
                    found
                        .reported
                        .iter()
                        .try_for_each(|reported| reported.tell(tell))?;
                }
                Ok(())
            },
        )?;
        if let (Some(best), Wanted::Reported(tell)) = (&best, wanted) {
            let most = self.asked.best.unwrap_or(usize::MAX);
            best.pairs
                .iter()
                .take(most)
                .try_for_each(|(_, reported)| reported.tell(tell))?;
        }
        Ok((counts, best))
    }
}

/// The numbers of pairs and passages.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) pairs: u64,
    pub(super) passages: u64,
    /// Pairs that were left out because their containment is too small.
    pub(super) left: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.passages += other.passages;
        self.left += other.left;
    }
}

/// The pairs of one block.
#[derive(Default)]
struct Found {
    lines: Vec<u8>,
    reported: Vec<Reported>,
    best: Option<Best>,
    counts: Counts,
}

impl Weigh for Found {
    fn weight(&self) -> usize {
        // The memory that the held texts take is not included, because many pairs share the same held text.
        let best = self
            .best
            .iter()
            .flat_map(|best| best.pairs.iter().map(|pair| &*pair.1));
        let texts: usize = self
            .reported
            .iter()
            .chain(best)
            .map(|reported| reported.texts[1].len() + size_of_val(&*reported.shares.passages))
            .sum();
        self.lines.weight() + texts
    }
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    plain: String,
    looker: Looker,
}

/// A worker's scratch buffers for comparing texts with the held texts.
#[derive(Default)]
struct Looker {
    scratch: Scratch,
    lookup: Lookup,
    /// The tokens of the held text that was found last. If there is only one held text, the same tokens are needed for every
    /// pair.
    tokens: (Option<u32>, Vec<u64>),
    /// A cache of the held texts that were found, limited to [`CACHED`] tokens. The pairs of one held text usually follow each
    /// other closely.
    met: BTreeMap<u32, HeldText>,
    cached: usize,
    id: [Vec<u8>; 2],
}

/// The maximum number of tokens in the held texts that a worker caches with their sets and positions. Each token takes about 24
/// bytes.
const CACHED: usize = 1 << 20;

/// The data that is needed to compare and show a held text.
#[derive(Default)]
struct HeldText {
    set: Option<Vec<u64>>,
    /// Computed when the text is first shown.
    placed: Option<Placed>,
}

/// What a text shares with a held text, and therefore also with the copies of the held text.
struct OfPair {
    shared: Shared,
    figures: Figures,
}

/// A text that is compared with the held texts.
struct Text<'a> {
    document: u64,
    text: &'a str,
    /// Only computed for the few texts that share a run.
    placed: Option<Placed>,
}

/// Held texts whose copies have not all been handled yet. Each entry has the next copy of a held text, and the key under which
/// the result for the held text is stored.
type Later = BinaryHeap<Reverse<(u32, usize)>>;

impl Looker {
    /// Finds the passages that a text shares with the held texts.
    fn look_up(
        &mut self,
        looking: &Looking,
        document: u64,
        text: &str,
        found: &mut Found,
    ) -> Result<()> {
        let Looking { pass, index, .. } = *looking;
        pass.method.set(text, &mut self.scratch);
        let (set, tokens) = (
            std::mem::take(&mut self.scratch.fingerprints),
            std::mem::take(&mut self.scratch.token_hashes),
        );
        let mut text = Text {
            document,
            text,
            placed: None,
        };
        let below = text.below(looking);
        let mut lookup = std::mem::take(&mut self.lookup);
        // Pairs must come in ascending order of the held texts' numbers. Other held texts may come between a held text and its
        // copies. So the result for a held text with copies is kept until the pairs with its copies have been output too.
        let (mut later, mut shared) = (Later::new(), BTreeMap::<usize, (u32, OfPair)>::new());
        let looked_up =
            index.each_shared_text(&tokens, below, &mut lookup, |shared_text: SharedText| {
                self.before(
                    shared_text.text,
                    looking,
                    (&mut later, &mut shared),
                    &mut text,
                    found,
                )?;
                let Some(of_pair) =
                    self.shared(&shared_text, looking, (&set, &tokens), below, found)?
                else {
                    return Ok(());
                };
                if !self.give(looking, shared_text.text, &of_pair, &mut text, found)? {
                    return Ok(());
                }
                if let Some(copy) = looking.held.copies(shared_text.text, below).next() {
                    let number = shared_text.text as usize;
                    shared.insert(number, (shared_text.text, of_pair));
                    later.push(Reverse((copy, number)));
                }
                Ok(())
            });
        let looked_up = looked_up.and_then(|()| {
            self.before(below, looking, (&mut later, &mut shared), &mut text, found)
        });
        self.lookup = lookup;
        (self.scratch.fingerprints, self.scratch.token_hashes) = (set, tokens);
        looked_up
    }

    /// Outputs the pairs that this text forms with copies of held texts, for all copies with numbers below `number`.
    fn before(
        &mut self,
        number: u32,
        looking: &Looking,
        (later, shared): (&mut Later, &mut BTreeMap<usize, (u32, OfPair)>),
        text: &mut Text,
        found: &mut Found,
    ) -> Result<()> {
        while let Some(&Reverse((copy, of))) = later.peek().filter(|next| next.0.0 < number) {
            later.pop();
            let Some((first, of_pair)) = shared.get(&of) else {
                continue;
            };
            let wanted = self.give(looking, copy, of_pair, text, found)?;
            let next = looking
                .held
                .next_copy(*first, copy)
                .filter(|&next| wanted && next < text.below(looking));
            match next {
                Some(next) => later.push(Reverse((next, of))),
                None => drop(shared.remove(&of)),
            }
        }
        Ok(())
    }

    /// Computes what a text shares with a held text, and returns the result if the two share a run and their containment reaches
    /// the requested minimum. Counts the pair, and also the pairs with copies of the held text.
    fn shared(
        &mut self,
        shared_text: &SharedText,
        looking: &Looking,
        (set, tokens): (&[u64], &[u64]),
        below: u32,
        found: &mut Found,
    ) -> Result<Option<OfPair>> {
        let Looking { held, asked, .. } = *looking;
        if self.tokens.0 != Some(shared_text.text) {
            let mut scratch = Vec::new();
            let of_held = held.tokens(shared_text.text, &mut scratch)?;
            self.tokens.1.clear();
            self.tokens.1.extend_from_slice(of_held);
            self.tokens.0 = Some(shared_text.text);
        }
        let runs = shared_text.runs(&self.tokens.1, tokens);
        let Some(shared) = Shared::new(
            runs,
            [&self.tokens.1, tokens],
            asked.gap,
            asked.regions.as_ref(),
        ) else {
            return Ok(None);
        };
        let figures = Figures::from(Overlap::of(self.set(looking, shared_text.text)?, set));
        let pairs = 1 + held.copies(shared_text.text, below).len() as u64;
        if figures.containment_ab.max(figures.containment_ba) < asked.containment {
            found.counts.left += pairs;
            return Ok(None);
        }
        found.counts.pairs += pairs;
        found.counts.passages += pairs * shared.parts.len() as u64;
        Ok(Some(OfPair { shared, figures }))
    }

    /// Writes or reports a pair. Returns false if the pair shares too few tokens to be reported. In that case, pairs that share
    /// the same number of tokens or fewer need not be tried.
    fn give(
        &mut self,
        looking: &Looking,
        number: u32,
        of_pair: &OfPair,
        text: &mut Text,
        found: &mut Found,
    ) -> Result<bool> {
        let Looking {
            pass, held, asked, ..
        } = *looking;
        let OfPair { shared, figures } = of_pair;
        if !looking.lines
            && let Some(best) = &found.best
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
        let placed = text
            .placed
            .get_or_insert_with(|| Placed::new(text.text.into(), pass.method));
        let shares = Shares::new(
            *figures,
            shared,
            [of_held, placed],
            asked.offsets,
            asked.words,
        );
        let texts = [of_held.text.clone(), placed.text.clone()];
        Self::put(
            &mut self.id,
            looking,
            [number.into(), text.document],
            shared.tokens,
            shares,
            texts,
            found,
        )?;
        Ok(true)
    }

    /// Returns a held text's set.
    fn set(&mut self, looking: &Looking, number: u32) -> Result<&[u64]> {
        self.make_room();
        let of_held = self.met.entry(number).or_default();
        if of_held.set.is_none() {
            looking
                .pass
                .method
                .set(&*looking.held.text(number)?, &mut self.scratch);
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
        let (a, b) = (
            raw(ids.get(documents[0], id_a)?)?,
            raw(ids.get(documents[1], id_b)?)?,
        );
        if looking.lines {
            let line = Quoted {
                a,
                b,
                shares: &shares,
                texts: texts.each_ref().map(|text| &**text),
            };
            serde_json::to_writer(&mut found.lines, &line)
                .map_err(|error| Error::failure(error.to_string()))?;
            found.lines.push(b'\n');
            if found.best.as_ref().is_none_or(|best| {
                tokens <= best.floor().max(looking.floor.load(Ordering::Relaxed))
            }) {
                return Ok(());
            }
        }
        let reported = Reported {
            documents,
            ids: [a.to_owned(), b.to_owned()],
            shares,
            texts,
        };
        match &mut found.best {
            Some(best) => best.push(tokens, Box::new(reported)),
            None => found.reported.push(reported),
        }
        Ok(())
    }
}

impl Text<'_> {
    /// Returns a bound: this text is compared only with the held texts that have lower numbers.
    fn below(&self, looking: &Looking) -> u32 {
        if looking.among {
            self.document as u32
        } else {
            u32::MAX
        }
    }
}
