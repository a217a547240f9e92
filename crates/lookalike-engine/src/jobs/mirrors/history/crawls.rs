//! The crawls of a history: how they are named and opened, and which documents belong to each.

use std::{ops::Range, path::Path};

use lookalike::shown::cut;
use lookalike_io::{
    error::{Error, Result},
    input_table::InputTable,
    read::{Expanded, Source},
    write::{Output, refuse_other_than_lines, refuse_overwriting},
};

use crate::{
    config::RunConfig,
    jobs::mirrors::sites::Sites,
    pass::{
        lines::make_unique,
        open::{Means, create},
        reading::reading,
    },
    sketching::{ids::hash_name, table::Table},
};

/// A crawl: files, folders, globs or URLs, and tables in memory.
#[derive(Debug, Clone, Default)]
pub struct Crawl {
    /// The names of inputs.
    pub inputs: Vec<String>,
    /// In-memory tables, which are read after the named inputs.
    pub tables: Vec<InputTable>,
}

/// What was opened for a run.
pub(super) struct OpenedCrawls {
    pub(super) source: Source,
    /// The number of inputs of each crawl.
    pub(super) counts: Vec<usize>,
    pub(super) output: Option<Output>,
    pub(super) bad: Option<Output>,
    pub(super) means: Means,
}

/// Opens all crawls and outputs. The inputs of the configuration are replaced with those of the crawls.
///
/// # Errors
/// Fails if an input cannot be read, if the same input is named twice, if an output would overwrite an input, or if the number of
/// threads or the memory limit is invalid.
pub(super) fn open(
    config: &mut RunConfig,
    crawls: &[Crawl],
    output: &Path,
) -> Result<OpenedCrawls> {
    config.inputs = crawls
        .iter()
        .flat_map(|crawl| crawl.inputs.clone())
        .collect();
    config.tables = crawls
        .iter()
        .flat_map(|crawl| crawl.tables.clone())
        .collect();
    (config.against, config.against_tables, config.against_stored) = Default::default();
    let config = &*config;
    let named: Vec<&Path> = [
        Some(output),
        config.skip_bad.as_deref(),
        config.summary.as_deref(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let collections: Vec<_> = crawls
        .iter()
        .map(|crawl| (&*crawl.inputs, &*crawl.tables))
        .collect();
    let (
        Expanded {
            inputs, left_out, ..
        },
        counts,
    ) = config.expand_collections(&collections)?;
    refuse_overwriting(&named, &inputs)?;
    refuse_other_than_lines(output, "history")?;
    let mut source = Source::new(inputs, reading(config)?, &config.temp_dir)?;
    source.left_out = left_out;
    let [mut output, bad] = create(config, [Some(output), config.skip_bad.as_deref()])?;
    let means = Means::new(config, &named, |threads, memory| {
        source.extra(threads, memory)
    })?;
    means.run_ahead([&mut output]);
    Ok(OpenedCrawls {
        source,
        counts,
        output,
        bad,
        means,
    })
}

/// The documents of each crawl.
pub(super) struct Crawls {
    /// The first document of each crawl, and the number of documents.
    starts: Vec<u64>,
}

impl Crawls {
    /// Finds the documents of each crawl; `counts` has the number of inputs of each crawl.
    pub(super) fn new(counts: &[usize], table: &Table, source: &Source) -> Result<Self> {
        let (mut starts, mut inputs) = (vec![0], 0);
        for count in counts {
            inputs += count;
            // The documents are in the order of their inputs, so the first document of the next crawl is found by halving.
            let (mut low, mut high) = (starts[starts.len() - 1], table.documents);
            while low < high {
                let middle = low + (high - low) / 2;
                if (table.record(middle, source)?.0 as usize) < inputs {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            starts.push(low);
        }
        Ok(Self { starts })
    }

    /// Returns the number of crawls.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the crawl of a document, from 0.
    pub(super) fn of(&self, document: u64) -> u32 {
        self.starts.partition_point(|&start| start <= document) as u32 - 1
    }

    /// Returns the documents of a crawl.
    pub(super) fn documents(&self, crawl: usize) -> Range<u64> {
        self.starts[crawl]..self.starts[crawl + 1]
    }

    /// Returns the number of pages of a crawl.
    pub(super) fn pages(&self, crawl: usize) -> u64 {
        self.documents(crawl).end - self.documents(crawl).start
    }

    /// Returns the number of sites of a crawl.
    pub(super) fn sites(&self, crawl: usize, sites: &Sites) -> u64 {
        let mut is_there = vec![false; sites.names.len()];
        self.documents(crawl)
            .for_each(|page| is_there[sites.of[page as usize] as usize] = true);
        is_there.into_iter().filter(|&is_there| is_there).count() as u64
    }

    /// Returns an error if two pages of one crawl have the same id. A history identifies pages by their ids.
    pub(super) fn refuse_repeated_ids(&self, table: &Table, source: &Source) -> Result<()> {
        let (mut rows, mut scratch) = (Vec::new(), Vec::new());
        for crawl in 0..self.len() {
            rows.clear();
            let mut document = self.documents(crawl).start;
            table.ids.each(self.documents(crawl), &mut scratch, |id| {
                rows.push((hash_name(id), document));
                document += 1;
                Ok(())
            })?;
            rows.sort_unstable();
            let repeated = rows
                .windows(2)
                .filter(|two| two[0].0 == two[1].0)
                .map(|two| (two[1].1, two[0].1))
                .min();
            if let Some((document, first)) = repeated {
                let id = table.ids.get(document, &mut scratch)?;
                let (here, there) = (table.place(document, source)?, table.place(first, source)?);
                return Err(
                    Error::record(format!("id {} was already used at {there}", cut(id)))
                        .at_place(here)
                        .advise(make_unique()),
                );
            }
        }
        Ok(())
    }
}
