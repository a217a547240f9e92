//! Who the documents are: their ids, and the groups that a label puts them in. What a truth about a collection is read by.

use std::collections::BTreeMap;

use lookalike::{Candidates, Config, Method};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    read::Source,
    write::{Output, finish, refuse_overwriting},
};

use crate::{
    config::{Observer, RunConfig},
    pass::{open::pool, reading::reading},
    sketching::{self, Beside, ids::hash_name, table::Table},
};

/// The documents of a collection by their ids. 32 bytes a document, 4 more with labels.
#[derive(Debug)]
pub struct Roll {
    /// Sorted.
    by_id: Vec<(u128, u32)>,
    labels: Option<Vec<u32>>,
    bad_examples: Vec<Error>,
}

impl Roll {
    pub(crate) fn of(table: &Table, config: &RunConfig) -> Result<Self> {
        let labels = config.label_field.is_some().then(|| {
            let mut firsts = BTreeMap::new();
            let group = |(document, label): (u32, &Option<_>)| match label {
                Some(label) => *firsts.entry(*label).or_insert(document),
                None => document,
            };
            (0..).zip(&table.labels).map(group).collect()
        });
        let (mut by_id, mut room) = (Vec::new(), Vec::new());
        table.ids.each(0..table.documents, &mut room, |id| {
            by_id.push((hash_name(id), by_id.len() as u32));
            Ok(())
        })?;
        by_id.sort_unstable();
        Ok(Self { by_id, labels, bad_examples: table.counts.bad_examples.clone() })
    }

    /// The number of documents.
    pub fn documents(&self) -> u32 {
        self.by_id.len() as u32
    }

    /// The document with an id, by its place in the input. The id is JSON: a string with its quotes, or a number, as in the
    /// decisions; 1 and "1" are two ids, and equal strings are one however they are escaped.
    pub fn document(&self, id: &str) -> Option<u32> {
        let hash = hash_name(id);
        let at = self.by_id.binary_search_by_key(&hash, |row| row.0).ok()?;
        Some(self.by_id[at].1)
    }

    /// Each document's group, where labels were asked for: the first document with the same label. One without a label, or
    /// with null, is alone.
    pub fn groups(&self) -> Option<&[u32]> {
        self.labels.as_deref()
    }

    /// The first lines that were set aside as no records, told.
    pub fn bad_examples(&self) -> &[Error] {
        &self.bad_examples
    }
}

/// Reads a collection once for its documents' ids, and their labels where the configuration names a field.
///
/// # Errors
/// An input that cannot be read, a line that is no record (unless bad lines are set aside), a label that is no string or
/// number, an id that stands twice: nobody could tell which document it means.
pub fn enrol(config: &RunConfig, observer: Observer) -> Result<Roll> {
    let method = Method::new(Config { candidates: Candidates::Exact, ..Config::default() })?;
    let source = Source::new(config.expand()?, reading(config)?, &config.temp_dir)?;
    Roll::of(&read(config, &method, &source, observer)?, config)
}

/// The first pass over a collection of which every document can be named.
pub(crate) fn read(config: &RunConfig, method: &Method, source: &Source, observer: Observer) -> Result<Table> {
    if config.allow_repeated_ids {
        return Err(Error::new(ErrorKind::Config, "repeated ids cannot be told apart")
            .about(Setting::AllowRepeatedIds)
            .instead("make ids unique"));
    }
    let bad = config.skip_bad.as_deref();
    refuse_overwriting(&bad.into_iter().chain(config.summary.as_deref()).collect::<Vec<_>>(), source.inputs())?;
    let mut bad = bad.map(|path| Output::create(path, config.threads)).transpose()?;
    let pool = pool(config.threads)?;
    let threads = pool.current_num_threads();
    let budget = config.budget(threads, &[], |memory| source.besides(threads, memory))?;
    let beside = Beside { bad: bad.as_mut(), ..Beside::default() };
    let table = sketching::sketch(config, method, source, &budget, &pool, beside, observer)?;
    table.refuse_more_than_32_bits("judging a collection")?;
    finish([bad])?;
    Ok(table)
}
