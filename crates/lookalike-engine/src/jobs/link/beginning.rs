//! The first steps of every kind of run: reading the records, and learning weights.

use std::{path::Path, sync::Arc};

use lookalike::shown::{cut, quoted};
use lookalike_applications::records::{Linker, Weights};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    spill::Budget,
    store::refuse_url,
    words,
};
use rayon::ThreadPool;

use super::{
    asked::Link,
    learning::labelled::{Taught, taught, without_labels},
    pairing::matched::prepared,
    reading::{records::Gathered, truth::Truth},
};
use crate::{
    config::{Observer, RunConfig},
    pass::{open::pool, refused::refused},
};

/// The records, and a linker that scores them.
pub(super) struct Begun {
    pub(super) pool: ThreadPool,
    pub(super) gathered: Gathered,
    /// The bytes of the records and their labels, which cannot be spilled.
    pub(super) size: usize,
    pub(super) truth: Option<Truth>,
    pub(super) budget: Arc<Budget>,
    pub(super) taught: Taught,
}

/// Reads the records and the ground truth, and learns weights if the configuration says so.
///
/// # Errors
/// Fails if an input cannot be read or is invalid, or if weights cannot be learned.
pub(super) fn begin(
    config: &RunConfig,
    asked: &Link,
    linker: Linker,
    outputs: &[&Path],
    observer: Observer,
) -> Result<Begun> {
    let pool = pool(config.threads)?;
    let mut gathered = Gathered::read(
        config,
        (&linker, asked.right_by.as_deref()),
        &pool,
        observer,
    )?;
    // The truth takes the labels out of the records.
    let size = gathered.size();
    let truth = truth(config, asked, &mut gathered)?;
    let budget = config.budget(pool.current_num_threads(), outputs, |_| 0)?;
    budget.hold(size);
    let linker = prepared(linker, &gathered, (&budget, &pool));
    let taught = taught(
        linker,
        &gathered,
        truth.as_ref(),
        (&budget, &pool),
        observer,
    )?;
    Ok(Begun {
        pool,
        gathered,
        size,
        truth,
        budget,
        taught,
    })
}

/// Returns the ground truth, if there is one.
fn truth(config: &RunConfig, asked: &Link, gathered: &mut Gathered) -> Result<Option<Truth>> {
    match &asked.truth {
        Some(path) => Truth::read(path, gathered, &config.temp_dir).map(Some),
        None => Ok(config
            .label_field
            .as_ref()
            .map(|_| Truth::Labels(std::mem::take(&mut gathered.labels)))),
    }
}

/// Checks the request and returns the linker for it.
pub(super) fn check(config: &RunConfig, asked: &Link) -> Result<Linker> {
    let linker = Linker::new(asked.config.clone()).map_err(refused)?;
    if asked.truth.is_some() && (config.label_field.is_some() || config.allow_repeated_ids) {
        let without = " without $label_field and $allow_repeated_ids";
        let refused = Error::new(
            ErrorKind::Config,
            "true pairs refer to unique ids and need no labels",
        );
        return Err(refused.advise(words!["give $truth", without]));
    }
    asked
        .truth
        .as_deref()
        .map_or(Ok(()), |path| refuse_url(Setting("truth"), "file", path))?;
    refuse_compared(&linker, asked.right_by.as_deref())?;
    if linker.config().weights == Weights::Labelled
        && asked.truth.is_none()
        && config.label_field.is_none()
    {
        return Err(without_labels());
    }
    Ok(linker)
}

/// Returns an error if pairs were compared by the field `right_by`: a field that contributes to the score is no independent
/// evidence that a pair is correct.
fn refuse_compared(linker: &Linker, right_by: Option<&str>) -> Result<()> {
    let Some(name) = right_by else { return Ok(()) };
    match linker
        .config()
        .fields
        .iter()
        .find(|field| field.paths().iter().any(|path| path == name))
    {
        None => Ok(()),
        Some(field) => {
            let asked = (Setting("right_by"), cut(name).into_owned());
            let what = words![
                asked,
                format!(": the field {} already compares it", quoted(&field.name))
            ];
            Err(Error::new(ErrorKind::Config, what)
                .advise("name a field that the score does not use"))
        }
    }
}
