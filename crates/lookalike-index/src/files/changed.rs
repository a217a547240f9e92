//! What changed in segments since they were written.

use std::{collections::BTreeMap, path::Path};

use xxhash_rust::xxh3::xxh3_128;

use super::{
    codec::{Decoder, Encoder},
    whole,
};
use crate::{error::Result, law::Verdict, listed::Listed};

const MAGIC: [u8; 8] = *b"\x89LKACHG\n";

/// What changed in segments. All documents are given by their numbers, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Changed {
    /// Removed documents.
    pub(crate) gone: Vec<u64>,
    pub(crate) verdicts: BTreeMap<u64, Verdict>,
    /// For posted documents that are not the first copies of their classes, these first copies.
    pub(crate) firsts: BTreeMap<u64, u64>,
    /// Documents that were posted later.
    pub(crate) late: Vec<u64>,
    /// Posted documents whose first copies are kept, though their segments say otherwise.
    pub(crate) leading: Vec<u64>,
    /// Documents that were posted later, whose first copies are dropped.
    pub(crate) following: Vec<u64>,
}

impl Changed {
    /// Writes the file, whose name depends on the content alone; none if nothing changed.
    pub(crate) fn write(&self, folder: &Path) -> Result<Option<Listed>> {
        if *self == Self::default() {
            return Ok(None);
        }
        let mut out = Encoder::default();
        let numbers = |out: &mut Encoder, numbers: &[u64]| {
            out.number(numbers.len() as u64);
            numbers.iter().for_each(|&number| out.number(number));
        };
        numbers(&mut out, &self.gone);
        out.number(self.verdicts.len() as u64);
        self.verdicts.iter().for_each(|(&number, &verdict)| {
            out.number(number);
            out.verdict(verdict);
        });
        out.number(self.firsts.len() as u64);
        self.firsts.iter().for_each(|(&posted, &first)| {
            out.number(posted);
            out.number(first);
        });
        numbers(&mut out, &self.late);
        numbers(&mut out, &self.leading);
        numbers(&mut out, &self.following);
        let bytes = whole::seal(MAGIC, &out.0);
        let name = format!("changed-{:032x}", xxh3_128(&bytes));
        whole::write(folder, &name, &bytes).map(Some)
    }

    pub(crate) fn read(folder: &Path, listed: &Listed) -> Result<Self> {
        let path = folder.join(&listed.name);
        let content = whole::unseal(&path, listed, MAGIC)?;
        let mut read = Decoder(&content);
        let mut all = || {
            let changed = Self {
                gone: read.list(Decoder::number)?,
                verdicts: read
                    .list(|read| Some((read.number()?, read.verdict()?)))?
                    .into_iter()
                    .collect(),
                firsts: read
                    .list(|read| Some((read.number()?, read.number()?)))?
                    .into_iter()
                    .collect(),
                late: read.list(Decoder::number)?,
                leading: read.list(Decoder::number)?,
                following: read.list(Decoder::number)?,
            };
            read.0.is_empty().then_some(changed)
        };
        all().ok_or_else(|| whole::damaged(&path, "its content is invalid"))
    }
}
