//! Decides all documents: while they are read for the first time, if what they share fits into memory, and otherwise in further passes.

use std::sync::Arc;

use lookalike::cut::{CutConfig, Repeated};
use lookalike_io::{
    error::{Error, Result},
    read::{Blocks, Scratch as ReadScratch},
    spill::{Budget, SpilledSearcher},
};

use super::{
    deciding::Deciding,
    keys::Keys,
    loading::{Loaded, Loading, Worker},
    outcomes::Outcomes,
    waiting::{Numbers, Waiting},
};
use crate::{
    config::{Progress, Stage},
    matching::sets::Pass,
    numbers::{Document, Rank},
    pass::parallel::in_order,
    sketching::{Look, Seen, order::Order},
};

/// The number of passes that look for what cutting joined. Real texts need one or two. After so many, all anchors count as repeated.
const MOST_PASSES: usize = 8;

/// What the first pass over the documents does.
pub(super) struct FirstPass {
    keys: Keys,
    /// The documents so far, if they are decided in input order and all that they may share is in memory.
    deciding: Option<Deciding>,
    /// Whether an earlier run decided all documents, so that their keys are not needed.
    is_decided: bool,
    documents: u64,
    budget: Arc<Budget>,
}

impl FirstPass {
    /// `decides` says whether documents can be decided in this pass: in input order, from the first one. `is_decided` says whether an
    /// earlier run decided them.
    pub(super) fn new(
        config: &CutConfig,
        decides: bool,
        is_decided: bool,
        budget: &Arc<Budget>,
    ) -> Result<Self> {
        let start = || {
            Deciding::new(
                (config.rules()?, config.within),
                None,
                Outcomes::new(budget),
                budget,
            )
        };
        let deciding = decides.then(start).transpose()?;
        Ok(Self {
            keys: Keys::new(budget),
            deciding,
            is_decided,
            documents: 0,
            budget: budget.clone(),
        })
    }

    /// Returns a searcher for the threads that load documents, if documents are decided in this pass.
    pub(super) fn searcher(&mut self) -> Option<SpilledSearcher> {
        self.deciding
            .as_mut()
            .filter(|_| !self.is_decided)
            .and_then(|deciding| deciding.searcher(&self.budget))
    }

    /// Takes the documents of the next block. If they are not decided now, `loading` need not load the units of those that follow.
    pub(super) fn take(&mut self, loaded: &Loaded, loading: &Loading) -> Result<()> {
        if self.is_decided {
            return Ok(());
        }
        self.keys.add(&loaded.anchors)?;
        self.keys.add_saved(&loaded.saved_keys)?;
        let Self {
            deciding: Some(deciding),
            documents,
            budget,
            ..
        } = self
        else {
            loading.load_only_anchors();
            return Ok(());
        };
        loaded.each(|head, units, found| {
            *documents += 1;
            deciding.decide(
                Document(*documents - 1),
                head,
                units,
                Some(found),
                |number| Document(number as u64),
            )
        })?;
        deciding.hold();
        if budget.held() > budget.limit() / 2 {
            self.deciding = None;
        }
        Ok(())
    }

    /// Decides all documents, if they are not decided yet. `missed` has the keys that each pass of an earlier run missed, and `save` gets
    /// those that a pass of this run misses. Cost: two passes or more over the inputs. The keys of repeated anchors and their places are
    /// in memory. Each different one takes about 10 bytes, and each further place 14 to 21.
    pub(super) fn decided(
        self,
        pass: Pass,
        config: &CutConfig,
        order: &Order,
        missed: Vec<Vec<u64>>,
        mut save: impl FnMut(&[u64]) -> Result<()>,
    ) -> Result<Deciding> {
        let Self {
            keys,
            deciding,
            budget,
            ..
        } = self;
        if let Some(deciding) = deciding {
            return Ok(deciding);
        }
        log::info!(
            "repeated passages are found first, because documents are in keep order or what they may share does not fit into memory"
        );
        let mut counted = Counted {
            repeated: Some(Arc::new(keys.repeated(pass.pool)?)),
            passes: 0,
        };
        missed
            .into_iter()
            .try_for_each(|missed| counted.add(missed))?;
        loop {
            let memory = counted
                .repeated
                .as_ref()
                .map_or(0, |repeated| repeated.memory());
            budget.hold(memory);
            let deciding = decided_again(pass, config, order, counted.repeated.clone());
            budget.release(memory);
            let deciding = deciding?;
            let Some(repeated) = &counted.repeated else {
                return Ok(deciding);
            };
            let missed = keys.found(&deciding.joined, repeated, pass.pool)?;
            if missed.is_empty() {
                return Ok(deciding);
            }
            log::info!(
                "cutting joined {} sequences that occur elsewhere; the documents are cut again",
                missed.len()
            );
            drop(deciding);
            save(&missed)?;
            counted.add(missed)?;
        }
    }
}

/// The keys of anchors that count as repeated.
struct Counted {
    /// The keys; `None` if all anchors count as repeated.
    repeated: Option<Arc<Repeated>>,
    /// The number of passes that missed some.
    passes: usize,
}

impl Counted {
    /// Adds the keys that a pass missed. No pass may be using the others.
    fn add(&mut self, missed: Vec<u64>) -> Result<()> {
        self.passes += 1;
        if self.passes >= MOST_PASSES {
            self.repeated = None;
        }
        let Some(repeated) = &mut self.repeated else {
            return Ok(());
        };
        Arc::get_mut(repeated)
            .ok_or_else(|| Error::failure("a pass still uses the repeated keys"))?
            .extend(missed);
        Ok(())
    }
}

/// What a thread keeps between blocks.
#[derive(Default)]
struct Reading {
    read_scratch: ReadScratch,
    worker: Worker,
}

/// Reads all documents again, and decides them.
fn decided_again(
    pass: Pass,
    config: &CutConfig,
    order: &Order,
    repeated: Option<Arc<Repeated>>,
) -> Result<Deciding> {
    let Pass {
        source,
        table,
        pool,
        observer,
        ..
    } = pass;
    let budget = &table.budget;
    let outcomes = if order.is_input() {
        Outcomes::new(budget)
    } else {
        Outcomes::in_any_order(table.documents, budget)
    };
    let mut deciding = Deciding::new(
        (config.rules()?, config.within),
        repeated.clone(),
        outcomes,
        budget,
    )?;
    let searcher = order
        .is_input()
        .then(|| deciding.searcher(budget))
        .flatten();
    let loading = Loading::new(config, repeated, searcher);
    let (mut next, mut waiting) = (0, Waiting::new(budget));
    in_order(
        pool,
        Blocks::again(source),
        |block,
         Reading {
             read_scratch,
             worker,
         }: &mut Reading| {
            let mut loaded = Loaded::default();
            table
                .info(block, source)?
                .each_document(block, source, |document, at| {
                    let text = source.same_record(block, at, read_scratch)?.text;
                    let label = table.labels.get(document as usize).copied().flatten();
                    loading.look(
                        Seen {
                            text,
                            label,
                            is_reference: document < table.references.documents,
                        },
                        worker,
                        &mut loaded,
                    )
                })?;
            Ok(loaded)
        },
        |loaded| {
            Progress::new(Stage::Cutting, source.read(), source.total()).tell(observer)?;
            loaded.each(|head, units, found| {
                next += 1;
                if head.is_reference || order.is_input() {
                    return deciding.decide(Document(next - 1), head, units, Some(found), |rank| {
                        order.document(Rank(rank as u64))
                    });
                }
                waiting.push(head, units)
            })?;
            deciding.hold();
            Ok(())
        },
    )?;
    if !order.is_input() {
        let references = table.references.documents;
        let mut scratch = Numbers::default();
        for rank in references..order.len() {
            let document = order.document(Rank(rank));
            let (head, units) = waiting.get(document.0 - references, &mut scratch)?;
            deciding.decide(document, head, units, None, |rank| {
                order.document(Rank(rank as u64))
            })?;
        }
        deciding.hold();
    }
    Ok(deciding)
}
