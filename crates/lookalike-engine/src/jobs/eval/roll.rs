//! Identifies documents by their ids, and by the groups that their labels put them in. Both are needed to find the documents that
//! a ground truth names.

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

/// The documents of a collection by their ids. Memory: 32 bytes per document, and 4 more with labels.
#[derive(Debug)]
pub struct Roll {
    /// Pairs of an id's hash and the document with this id, sorted by the hash.
    by_id: Vec<(u128, u64)>,
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
        let by_id = table.ids.by_hash(table.documents, hash_name)?;
        Ok(Self {
            by_id,
            labels,
            bad_examples: table.counts.unread.bad_examples.clone(),
        })
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> u32 {
        self.by_id.len() as u32
    }

    /// Returns the document with an id, by its position in the input. The id is JSON, as in the decisions: a string with its
    /// quotes, or a number. 1 and "1" are two different ids. Equal strings are the same id, however they are escaped.
    pub fn document(&self, id: &str) -> Option<u32> {
        let hash = hash_name(id);
        let at = self.by_id.binary_search_by_key(&hash, |row| row.0).ok()?;
        Some(self.by_id[at].1 as u32)
    }

    /// Returns each document's group, if labels were requested. The group is given as the first document with the same label. A
    /// document without a label, or with null, is in a group of its own.
    pub fn groups(&self) -> Option<&[u32]> {
        self.labels.as_deref()
    }

    /// Returns the errors of the first lines that are not records and were skipped.
    pub fn bad_examples(&self) -> &[Error] {
        &self.bad_examples
    }
}

/// Reads a collection once for its documents' ids, and for their labels if the configuration names a field.
///
/// # Errors
/// Fails if an input cannot be read, if a line is not a record (unless bad lines are skipped), if a label is not a string or a
/// number, or if an id occurs twice and is therefore ambiguous.
pub fn enrol(config: &RunConfig, observer: Observer) -> Result<Roll> {
    let method = Method::new(Config {
        candidates: Candidates::Exact,
        ..Config::default()
    })?;
    let source = Source::new(config.expand()?, reading(config)?, &config.temp_dir)?;
    Roll::of(&read(config, &method, &source, observer)?, config)
}

/// Runs the first pass over a collection in which every document has a unique id.
pub(crate) fn read(
    config: &RunConfig,
    method: &Method,
    source: &Source,
    observer: Observer,
) -> Result<Table> {
    if config.allow_repeated_ids {
        return Err(
            Error::new(ErrorKind::Config, "repeated ids cannot be distinguished")
                .about(Setting("allow_repeated_ids"))
                .advise("make ids unique"),
        );
    }
    let bad = config.skip_bad.as_deref();
    refuse_overwriting(
        &bad.into_iter()
            .chain(config.summary.as_deref())
            .collect::<Vec<_>>(),
        source.inputs(),
    )?;
    let mut bad = bad
        .map(|path| Output::create(path, config.threads))
        .transpose()?;
    let pool = pool(config.threads)?;
    let threads = pool.current_num_threads();
    let budget = config.budget(threads, &[], |memory| source.extra(threads, memory))?;
    let beside = Beside {
        bad: bad.as_mut(),
        ..Beside::default()
    };
    let table = sketching::sketch(config, method, source, &budget, &pool, beside, observer)?;
    table.refuse_more_than_32_bits("evaluating a collection")?;
    finish([bad])?;
    Ok(table)
}
