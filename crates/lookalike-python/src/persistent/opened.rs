//! An open index.

use std::{
    path::PathBuf,
    process,
    sync::{Arc, PoisonError, RwLock},
    thread,
    time::Duration,
};

use lookalike_engine::{InputDocument, Observer, RunConfig, each_document};
use lookalike_index::{Decided, Decision, Id, Index as Core, Like, Result};
use pyo3::{prelude::*, types::PyDict};

use super::{
    adding::{self, Failed, before},
    changes::Changes,
    errors::failed,
    found::FoundRows,
    ids::{id_of, object},
    outcome::{Added, Deleted, Outcome},
    reading::{reading, settings},
    searching::{Answer, Asking},
};
use crate::{
    collection::{Columns, Decisions, Named, decisions, ids::Ids, watch::watched},
    config::to_python,
    error::raise,
    parallel::{self, TICK},
    sets,
};

/// An open index. Python's `lookalike.Index` has the same functions, and documents them.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Index {
    folder: PathBuf,
    is_readonly: bool,
    /// The process that opened it. After a fork, the parent and the child must not both write it.
    process: u32,
    core: RwLock<Option<Arc<Core>>>,
    /// The number of compactions, which number all documents again.
    compactions: Arc<RwLock<u64>>,
}

/// A decision: the verdict, and the representative and the similarity of a dropped document.
type Decision3<'py> = (&'static str, Option<Bound<'py, PyAny>>, Option<f64>);

/// A document that was found: the id, the verdict, the figures, and the passages, each with its five numbers.
type Found<'py> = (
    Bound<'py, PyAny>,
    &'static str,
    [Option<f64>; 4],
    Option<Vec<(String, [usize; 5])>>,
);

impl Index {
    fn of(folder: PathBuf, core: Core, is_readonly: bool) -> Self {
        let core = RwLock::new(Some(Arc::new(core)));
        Self {
            folder,
            is_readonly,
            process: process::id(),
            core,
            compactions: Arc::default(),
        }
    }

    fn core(&self) -> PyResult<Arc<Core>> {
        let shown = self.folder.display();
        if self.process != process::id() {
            let words = format!(
                "{shown}: the index was opened before this process was forked; open it again in this process"
            );
            return Err(raise("ClosedError", words));
        }
        let core = self
            .core
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        core.ok_or_else(|| {
            raise(
                "ClosedError",
                format!("{shown}: the index is closed; open it again with lookalike.Index"),
            )
        })
    }

    /// Runs an operation on another thread, so that the caller can be interrupted.
    fn apart<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Core) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let core = self.core()?;
        parallel::apart(py, move || work(&core))?.map_err(failed)
    }
}

/// Returns the decisions about documents that got the number `since` or a later one, if `is_wanted` accepts their ids.
fn decided(core: &Core, since: u64, is_wanted: impl Fn(&Id) -> bool) -> Result<decisions::Store> {
    let mut store = decisions::Store::new(Ids::given(), core.settings().config.measure, false);
    let mut representatives = Ids::given();
    core.each_decision(since, &mut |decision: Decision| {
        if is_wanted(&decision.id) {
            let representative = decision.representative.as_ref().map(Id::to_json);
            if let Some(representative) = &representative {
                representatives.push(representative);
            }
            store.push(&lookalike_engine::Decided {
                id: &decision.id.to_json(),
                reason: decision.reason,
                representative: representative.as_deref().map(|id| {
                    lookalike_engine::Representative {
                        row: 0,
                        id,
                        place: None,
                    }
                }),
                likeness: decision.likeness,
                cluster_size: decision.cluster_size,
                overruled: false,
            });
        }
        Ok(())
    })?;
    store.find_representatives(&representatives);
    Ok(store)
}

fn shown<'py>(py: Python<'py>, decided: &Decided) -> PyResult<Decision3<'py>> {
    Ok(match decided {
        Decided::Kept => ("kept", None, None),
        Decided::Dropped {
            representative,
            similarity,
        } => ("dropped", Some(object(py, representative)?), *similarity),
    })
}

fn found<'py>(py: Python<'py>, answer: Answer) -> PyResult<Found<'py>> {
    let verdict = if answer.found.is_kept {
        "kept"
    } else {
        "dropped"
    };
    let figures = answer.figures();
    let passages = answer.passages.map(|all| {
        all.into_iter()
            .map(|passage| (passage.text.clone(), passage.places()))
            .collect()
    });
    Ok((object(py, &answer.found.id)?, verdict, figures, passages))
}

#[pymethods]
impl Index {
    /// Creates an index, and opens it.
    #[staticmethod]
    fn create(py: Python<'_>, folder: PathBuf, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let settings = settings(options)?;
        let core = py
            .detach(|| Core::create(&folder, settings))
            .map_err(failed)?;
        Ok(Self::of(folder, core, false))
    }

    /// Opens an index.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf, readonly: bool) -> PyResult<Self> {
        let open = if readonly {
            Core::open_to_read
        } else {
            Core::open
        };
        let core = py.detach(|| open(&folder)).map_err(failed)?;
        Ok(Self::of(folder, core, readonly))
    }

    /// Waits for running operations, and closes the index. A closed index can be closed again.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Some(mut core) = self
            .core
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        else {
            return Ok(());
        };
        loop {
            match Arc::try_unwrap(core) {
                Ok(core) => {
                    py.detach(|| drop(core));
                    return Ok(());
                }
                Err(used) => core = used,
            }
            py.detach(|| thread::sleep(TICK.min(Duration::from_millis(5))));
            py.check_signals()?;
        }
    }

    /// Whether the index is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.core
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }

    /// Whether the index was opened for reading only.
    #[getter]
    fn readonly(&self) -> bool {
        self.is_readonly
    }

    /// Returns the settings.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.core()?.settings())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let core = self.core()?;
        Ok(py.detach(|| core.len()) as usize)
    }

    /// Adds the documents of a collection.
    fn add(
        &self,
        py: Python<'_>,
        texts: Option<Named<'_>>,
        options: &Bound<'_, PyDict>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Added> {
        let core = self.core()?;
        let asked = reading(&core, texts, options)?;
        let compactions = self.compactions.clone();
        let outcome = watched(py, progress.as_ref(), move |observer: Observer<'_>| {
            let since = {
                let compactions = compactions.read().unwrap_or_else(PoisonError::into_inner);
                (core.next_number(), *compactions)
            };
            match adding::add(&core, &asked, since, observer) {
                Ok(outcome) => Ok(Ok(outcome)),
                Err(Failed::Reading(error)) => Err(error),
                Err(Failed::Index(error, added)) => Ok(Err((error, added))),
            }
        })?;
        outcome.map(Outcome::finish).map_err(|(error, added)| {
            let error = failed(error);
            if added > 0 {
                let words = format!("{}; {}", error.value(py), before(added));
                // The exception keeps its class and its attributes.
                let args = error.value(py).setattr("args", (words,));
                debug_assert!(args.is_ok());
            }
            error
        })
    }

    /// Removes documents. If an id is unknown and `ignores` is false, removes nothing.
    fn delete(
        &self,
        py: Python<'_>,
        ids: Vec<Bound<'_, PyAny>>,
        ignores: bool,
    ) -> PyResult<Deleted> {
        let mut ids: Vec<Id> = ids.iter().map(id_of).collect::<PyResult<_>>()?;
        self.apart(py, move |core| {
            ids.sort();
            ids.dedup();
            let given = ids.len();
            if !ignores && let Some(unknown) = first_unknown(core, &ids)? {
                return Err(lookalike_index::Error::Unknown(unknown));
            }
            let (mut changes, mut deleted, mut changed) = (Changes::new(false), 0, 0);
            for some in ids.chunks(STEP) {
                for change in core.delete(some)? {
                    match change.after {
                        None => deleted += 1,
                        Some(_) => changed += 1,
                    }
                    changes.push(0, &change);
                }
            }
            Ok(Deleted {
                deleted,
                missing: given as u64 - deleted,
                changed,
                changes: Arc::new(changes),
            })
        })
    }

    /// Returns the decision about a document; None if no document has this id.
    fn get<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Decision3<'py>>> {
        let (core, id) = (self.core()?, id_of(id)?);
        let decided = py.detach(|| core.get(&id)).map_err(failed)?;
        decided.map(|decided| shown(py, &decided)).transpose()
    }

    /// Returns all that is known of a document: the decision, the copies, the documents that it represents, and the text.
    fn show<'py>(&self, py: Python<'py>, id: &Bound<'py, PyAny>) -> PyResult<Shown<'py>> {
        let (core, id) = (self.core()?, id_of(id)?);
        let stored = py.detach(|| core.show(&id)).map_err(failed)?;
        let stored = stored.ok_or_else(|| failed(lookalike_index::Error::Unknown(id)))?;
        let objects = |ids: &[Id]| {
            ids.iter()
                .map(|id| object(py, id))
                .collect::<PyResult<Vec<_>>>()
        };
        Ok((
            shown(py, &stored.decided)?,
            objects(&stored.copies)?,
            objects(&stored.represents)?,
            stored.text,
        ))
    }

    /// Returns the documents that are similar to a text.
    fn query_text<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        asking: Question,
    ) -> PyResult<Vec<Found<'py>>> {
        let core = self.core()?;
        let text = sets::text(&core.settings().config, text)?;
        let answers = py
            .detach(|| asking_of(asking).of(&core, Like::Text(&text)))
            .map_err(failed)?;
        answers
            .into_iter()
            .map(|answer| found(py, answer))
            .collect()
    }

    /// Returns the documents that are similar to a document of the index.
    fn query_id<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
        asking: Question,
    ) -> PyResult<Vec<Found<'py>>> {
        let (core, id) = (self.core()?, id_of(id)?);
        let answers = py
            .detach(|| asking_of(asking).of(&core, Like::Document(id)))
            .map_err(failed)?;
        answers
            .into_iter()
            .map(|answer| found(py, answer))
            .collect()
    }

    /// Returns the documents that are similar to the texts of a collection, as columns, and the number of texts.
    fn query_all(
        &self,
        py: Python<'_>,
        texts: Option<Named<'_>>,
        options: &Bound<'_, PyDict>,
        asking: Question,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Columns> {
        let core = self.core()?;
        let config = reading(&core, texts, options)?.config;
        let asking = asking_of(asking);
        let rows = watched(py, progress.as_ref(), move |observer: Observer<'_>| {
            // Keep order does not matter, so the field that decides it need not be there.
            let config = RunConfig {
                keep: None,
                ..config
            };
            let (mut rows, mut wrong) = (FoundRows::new(asking.passages.is_some()), None);
            let read = each_document(
                &config,
                |document: InputDocument, _| asking.of(&core, Like::Text(document.text)),
                |answers| {
                    for (id, answers) in answers {
                        let answers = answers.map_err(|error| {
                            wrong = Some(error);
                            lookalike_engine::Error::failure("the index failed")
                        })?;
                        answers
                            .into_iter()
                            .for_each(|answer| rows.push(&id, answer));
                    }
                    Ok(())
                },
                observer,
            );
            match wrong {
                Some(error) => Ok(Err(error)),
                None => read.map(|_| Ok(rows)),
            }
        })?;
        Ok(Columns::of(Arc::new(rows.map_err(failed)?)))
    }

    /// Returns the decisions about all documents, in input order.
    fn decisions(&self, py: Python<'_>) -> PyResult<Decisions> {
        self.apart(py, |core| decided(core, 0, |_| true))
            .map(Decisions::of)
    }

    /// Returns the decisions about the documents that were added, as they are now.
    fn decisions_of(&self, py: Python<'_>, added: &Added) -> PyResult<Decisions> {
        let (compactions, outcome) = (self.compactions.clone(), added.outcome());
        let store = self.apart(py, move |core| {
            let now = compactions.read().unwrap_or_else(PoisonError::into_inner);
            let (since, then) = outcome.since;
            decided(core, if then == *now { since } else { 0 }, |id| {
                outcome.has(id)
            })
        });
        store.map(Decisions::of)
    }

    /// Returns at most `limit` changed decisions after the one with the number `after`.
    fn changes(&self, py: Python<'_>, after: u64, limit: Option<u64>) -> PyResult<Columns> {
        let changes = self.apart(py, move |core| {
            let (mut changes, mut left) = (Changes::new(true), limit.unwrap_or(u64::MAX));
            if left > 0 {
                core.each_change(after, &mut |number, change| {
                    changes.push(number, &change);
                    left -= 1;
                    Ok(left > 0)
                })?;
            }
            Ok(changes)
        });
        Ok(Columns::of(Arc::new(changes?)))
    }

    /// Writes the index again without removed documents.
    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        let compactions = self.compactions.clone();
        self.apart(py, move |core| {
            let mut compactions = compactions.write().unwrap_or_else(PoisonError::into_inner);
            core.compact()?;
            *compactions += 1;
            Ok(())
        })
    }

    /// Copies the index as it is now.
    fn snapshot(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        self.apart(py, move |core| core.snapshot(&to))
    }

    /// Checks the index for damage, and returns what was checked.
    fn check<'py>(&self, py: Python<'py>, decisions: bool) -> PyResult<Bound<'py, PyAny>> {
        let checked = self.apart(py, move |core| core.check(decisions))?;
        to_python(py, &checked)
    }

    /// Returns the sizes of the index.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let core = self.core()?;
        to_python(py, &py.detach(|| core.stats()).map_err(failed)?)
    }
}

/// This many documents are deleted in one step.
const STEP: usize = 10_000;

/// The decision, the copies, the documents that it represents, and the text.
type Shown<'py> = (
    Decision3<'py>,
    Vec<Bound<'py, PyAny>>,
    Vec<Bound<'py, PyAny>>,
    Option<String>,
);

/// How many documents are wanted, how similar, whether only kept ones, and the least length of passages.
type Question = (Option<usize>, Option<f64>, bool, Option<usize>);

fn asking_of((nearest, threshold, only_kept, passages): Question) -> Asking {
    Asking {
        nearest,
        threshold,
        only_kept,
        passages,
    }
}

fn first_unknown(core: &Core, ids: &[Id]) -> Result<Option<Id>> {
    for id in ids {
        if core.get(id)?.is_none() {
            return Ok(Some(id.clone()));
        }
    }
    Ok(None)
}
