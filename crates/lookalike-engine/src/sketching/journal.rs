//! Converts the first pass's results for a block to a journal record, and back.

use lookalike::{Method, cluster::Keep};
use lookalike_io::{
    error::Error,
    read::{BlockInfo, Fields, Skipped, Start, Tag},
};

use super::{ids::BlockIds, sampled::BlockSamples, signs::Signs, table::Sketched};
use crate::state::{Taken, put, put_text};

/// A block of the first pass: all its results, and its position in the input.
pub(crate) struct Recorded {
    pub(crate) sketched: Sketched,
    pub(crate) tag: Tag,
    /// The digest of the block's bytes, if the input is the output of a command.
    pub(crate) digest: Option<u64>,
    /// The number of bytes of the input files that had been read up to this block.
    pub(crate) read: u64,
}

impl Recorded {
    /// Appends the record of a block whose position has been [filled in](Sketched::place_at).
    pub(crate) fn put(
        sketched: &Sketched,
        tag: Tag,
        digest: Option<u64>,
        read: u64,
        into: &mut Vec<u8>,
    ) {
        let Sketched {
            info,
            digests,
            bits,
            columns,
            samples,
            keys,
            sizes,
            labels,
            ids,
            bad_lines,
            bad_messages,
            ..
        } = sketched;
        let place = [
            tag.part as u64,
            tag.index,
            u64::from(tag.last),
            tag.lines,
            tag.before,
            read,
        ];
        put(into, &place);
        put(into, digest.as_slice());
        put(
            into,
            &[
                info.first_line,
                info.count.into(),
                sketched.without_id,
                sketched.few_anchors,
                sketched.too_large,
                sketched.line_bytes,
            ],
        );
        put_text(into, &serde_json::json!(sketched.left_out).to_string());
        put(into, &sketched.signs.numbers());
        put(into, info.skipped.runs());
        put(into, digests);
        put(into, bits);
        put(into, &[columns.len() as u64]);
        columns.iter().for_each(|column| put(into, column));
        put(into, &samples.elements);
        put(into, &samples.lengths);
        put(into, &samples.levels);
        put(into, keys);
        put(into, sizes);
        put(into, labels);
        put_text(into, &ids.text);
        put(into, &ids.lengths);
        put(into, &ids.hashes);
        put(into, bad_lines);
        put(into, &[sketched.bad_count, bad_messages.len() as u64]);
        for (line, message) in bad_messages {
            put(into, &[*line]);
            put_text(into, &message.saved());
        }
    }

    /// Reads a block from a record. Returns `None` if the record does not contain a block.
    pub(crate) fn take(from: &mut Taken) -> Option<Self> {
        let [part, index, last, lines, before, read] = from.some::<u64, 6>()?;
        let tag = Tag {
            part: part as usize,
            index,
            last: last == 1,
            lines,
            before,
        };
        let digest = from.many()?.first().copied();
        let [
            first_line,
            count,
            without_id,
            few_anchors,
            too_large,
            line_bytes,
        ] = from.some::<u64, 6>()?;
        let left_out = serde_json::from_str(&from.text()?).ok()?;
        let signs = Signs::of(from.some::<u64, 5>()?);
        let (count, skipped) = (count as u32, Skipped::of(from.many()?)?);
        let info = BlockInfo {
            part: tag.part,
            first_line,
            first_document: 0,
            count,
            skipped,
        };
        let (digests, bits) = (from.many()?, from.many()?);
        let [columns] = from.some::<u64, 1>()?;
        let columns = (0..columns).map(|_| from.many()).collect::<Option<_>>()?;
        let samples = BlockSamples {
            elements: from.many()?,
            lengths: from.many()?,
            levels: from.many()?,
        };
        let (keys, sizes, labels) = (from.many()?, from.many()?, from.many()?);
        let ids = BlockIds {
            text: from.text()?,
            lengths: from.many()?,
            hashes: from.many()?,
        };
        let bad_lines = from.many()?;
        let [bad_count, messages] = from.some::<u64, 2>()?;
        let message = |_| Some((from.some::<u32, 1>()?[0], Error::of_saved(&from.text()?)?));
        let bad_messages = (0..messages).map(message).collect::<Option<_>>()?;
        let sketched = Sketched {
            info,
            digests,
            bits,
            columns,
            samples,
            keys,
            sizes,
            labels,
            // A run that asks for label names is never resumed.
            label_names: Vec::new(),
            ids,
            textless: Vec::new(),
            without_id,
            few_anchors,
            signs,
            too_large,
            left_out,
            bad_lines,
            bad_count,
            bad_messages,
            line_bytes,
        };
        Some(Self {
            sketched,
            tag,
            digest,
            read,
        })
    }

    /// Returns whether the record is that of the block at `start`, and has all the data that this run collects for each document.
    /// Checksums detect damage; this check detects records of a different program, whose numbers have different meanings.
    pub(crate) fn fits(
        &self,
        method: &Method,
        fields: &Fields,
        parts: usize,
        start: &Start,
    ) -> bool {
        let Self { sketched, tag, .. } = self;
        let Sketched {
            info,
            digests,
            bits,
            columns,
            samples,
            keys,
            sizes,
            labels,
            ids,
            bad_messages,
            ..
        } = sketched;
        let count = digests.len();
        let if_asked = |asked: bool| if asked { count } else { 0 };
        let first_line = { start.lines }.first_line(Tag { lines: 0, ..*tag });
        tag.part < parts
            && tag.position() == start.block
            && tag.lines == count as u64 + info.skipped.len()
            && (info.count as usize, info.first_line) == (count, first_line)
            && sketched.bad_count <= info.skipped.len()
            && bad_messages.len() as u64 <= sketched.bad_count
            // These numbers are limited so that no sum can overflow.
            && sketched.line_bytes.max(sketched.without_id).max(sketched.few_anchors).max(sketched.too_large) >> 48 == 0
            && sketched.signs.numbers().iter().all(|&texts| texts <= count as u64)
            && bits.len() == count * method.stride()
            && columns.len() == method.columns()
            && columns.iter().all(|column| column.len() == count)
            && samples.fit(if_asked(method.keeps_samples()), method.highest_level())
            && keys.len() == if_asked(fields.keep != Keep::First)
            && sizes.len() == if_asked(method.depends_on_size())
            && labels.len() == if_asked(fields.label.is_some())
            && ids.fit(count)
    }
}

#[cfg(test)]
mod tests {
    use lookalike::fingerprint::EMPTY_DIGEST;

    use super::*;
    use crate::{config::RunConfig, pass::reading::reading};

    /// Returns a record in which the third line of the second block of the second input is bad, and the two lines before it are
    /// documents.
    fn recorded(method: &Method) -> Recorded {
        let mut sketched = Sketched::new(method);
        sketched.info = BlockInfo {
            part: 1,
            first_line: 8,
            first_document: 0,
            count: 2,
            ..BlockInfo::default()
        };
        sketched.info.skipped.push(2);
        sketched.digests = vec![EMPTY_DIGEST; 2];
        sketched.bits = vec![0; 2 * method.stride()];
        sketched
            .columns
            .iter_mut()
            .for_each(|column| column.extend([1, 2]));
        ["\"é\"", "7"].iter().for_each(|id| sketched.ids.push(id));
        sketched.bad_lines = b"no record\n".to_vec();
        (sketched.bad_count, sketched.bad_messages) = (1, vec![(2, Error::record("not JSON"))]);
        sketched.left_out =
            serde_json::from_str(r#"{"files":0,"reasons":{"status":7},"advice":"why"}"#).unwrap();
        Recorded {
            sketched,
            tag: Tag {
                part: 1,
                index: 1,
                last: true,
                lines: 3,
                before: 0,
            },
            digest: Some(5),
            read: 99,
        }
    }

    #[test]
    fn records_round_trip_and_fit_only_their_own_position() {
        let method = Method::new(Default::default()).unwrap();
        let fields = reading(&RunConfig::default()).unwrap().fields;
        let mut start = Start::default();
        start.pass(Tag {
            part: 0,
            index: 0,
            last: true,
            lines: 3,
            before: 0,
        });
        let first = start;
        start.pass(Tag {
            part: 1,
            index: 0,
            last: false,
            lines: 7,
            before: 0,
        });
        let again = |Recorded {
                         sketched,
                         tag,
                         digest,
                         read,
                     }: &Recorded| {
            let mut record = Vec::new();
            Recorded::put(sketched, *tag, *digest, *read, &mut record);
            assert!(
                (0..record.len()).all(|end| Recorded::take(&mut Taken(&record[..end])).is_none())
            );
            Recorded::take(&mut Taken(&record)).unwrap()
        };
        let taken = again(&recorded(&method));
        assert!(taken.fits(&method, &fields, 2, &start));
        assert_eq!(
            taken.sketched.left_out.as_ref().unwrap().reasons["status"],
            7
        );
        assert_eq!(
            (
                taken.tag.lines,
                taken.digest,
                taken.read,
                &*taken.sketched.ids.text
            ),
            (3, Some(5), 99, "\"é\"7")
        );
        assert!(
            !taken.fits(&method, &fields, 1, &start) && !taken.fits(&method, &fields, 2, &first)
        );
        let wrongs: [fn(&mut Recorded); 21] = [
            |wrong| wrong.tag.index = 2,
            |wrong| wrong.tag.lines = 4,
            |wrong| wrong.sketched.info.first_line = u64::MAX,
            |wrong| wrong.sketched.info.count = 3,
            |wrong| wrong.sketched.info.skipped = Skipped::default(),
            |wrong| wrong.sketched.bad_count = 2,
            |wrong| wrong.sketched.bad_messages.push((0, Error::record(""))),
            |wrong| wrong.sketched.line_bytes = u64::MAX,
            |wrong| wrong.sketched.without_id = u64::MAX,
            |wrong| wrong.sketched.few_anchors = u64::MAX,
            |wrong| wrong.sketched.too_large = u64::MAX,
            |wrong| wrong.sketched.signs = Signs::of([0, 0, 0, 3, 0]),
            |wrong| wrong.sketched.bits.truncate(1),
            |wrong| wrong.sketched.columns.truncate(1),
            |wrong| wrong.sketched.columns[3].clear(),
            |wrong| wrong.sketched.samples.push(&[1], 0),
            |wrong| wrong.sketched.keys.push(1),
            |wrong| wrong.sketched.sizes.push(1),
            |wrong| wrong.sketched.ids.lengths = vec![2, 3],
            |wrong| wrong.sketched.ids.lengths = vec![4, u32::MAX],
            |wrong| wrong.sketched.ids.hashes.clear(),
        ];
        for (number, wrong) in wrongs.iter().enumerate() {
            let mut recorded = recorded(&method);
            wrong(&mut recorded);
            assert!(
                !again(&recorded).fits(&method, &fields, 2, &start),
                "{number}"
            );
        }
    }
}
