//! What the first pass found out of a block ↔ a record of the journal.

use super::{ids::BlockIds, lists::BlockLists, table::Sketched};
use crate::{
    read::{BlockInfo, Tag},
    state::{Taken, put, put_text},
};

/// A block of the first pass: all that it gives, and what tells where it stands.
pub(crate) struct Recorded {
    pub(crate) sketched: Sketched,
    pub(crate) tag: Tag,
    /// Of a command's block.
    pub(crate) digest: Option<u64>,
    /// Bytes of the input files that were read by then.
    pub(crate) read: u64,
}

impl Recorded {
    /// Appends the record of a block that [stands](Sketched::stand) where it belongs.
    pub(crate) fn put(sketched: &Sketched, tag: Tag, digest: Option<u64>, read: u64, into: &mut Vec<u8>) {
        let Sketched { info, digests, bits, columns, lists, keys, labels, ids, bad_lines, bad_messages, .. } = sketched;
        let place = [tag.input as u64, tag.index, u64::from(tag.last), tag.lines, read];
        put(into, &place);
        put(into, digest.as_slice());
        put(into, &[info.first_line, info.count.into(), sketched.without_id, sketched.line_bytes]);
        put(into, &info.skipped);
        put(into, digests);
        put(into, bits);
        put(into, &[columns.len() as u64]);
        columns.iter().for_each(|column| put(into, column));
        put(into, &lists.elements);
        put(into, &lists.lengths);
        put(into, &lists.levels);
        put(into, keys);
        put(into, labels);
        put_text(into, &ids.text);
        put(into, &ids.lengths);
        put(into, &ids.hashes);
        put(into, bad_lines);
        put(into, &[bad_messages.len() as u64]);
        for (line, message) in bad_messages {
            put(into, &[*line]);
            put_text(into, message);
        }
    }

    /// The block that a record is of; none where it is no such record.
    pub(crate) fn take(record: &[u8]) -> Option<Self> {
        let mut from = Taken(record);
        let [input, index, last, lines, read] = from.some::<u64, 5>()?;
        let tag = Tag { input: input as usize, index, last: last == 1, lines };
        let digest = from.many()?.first().copied();
        let [first_line, count, without_id, line_bytes] = from.some::<u64, 4>()?;
        let (count, skipped) = (count as u32, from.many()?);
        let info = BlockInfo { input: tag.input, first_line, first_document: 0, count, skipped };
        let (digests, bits) = (from.many()?, from.many()?);
        let [columns] = from.some::<u64, 1>()?;
        let columns = (0..columns).map(|_| from.many()).collect::<Option<_>>()?;
        let lists = BlockLists { elements: from.many()?, lengths: from.many()?, levels: from.many()? };
        let (keys, labels) = (from.many()?, from.many()?);
        let ids = BlockIds { text: from.text()?, lengths: from.many()?, hashes: from.many()? };
        let bad_lines = from.many()?;
        let [messages] = from.some::<u64, 1>()?;
        let message = |_| Some((from.some::<u32, 1>()?[0], from.text()?));
        let bad_messages = (0..messages).map(message).collect::<Option<_>>()?;
        let sketched =
            Sketched { info, digests, bits, columns, lists, keys, labels, ids, without_id, bad_lines, bad_messages, line_bytes };
        Some(Self { sketched, tag, digest, read })
    }
}
