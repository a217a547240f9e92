//! Checks a table in memory, whatever its buffers contain. Three outcomes are correct: the table is refused with an error
//! message, a run over it ends with an error message, or the run decides about every row. The contents of the buffers may be
//! wrong, but their sizes are true, as in tables from producers that check their own buffers.
#![no_main]

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};
use libfuzzer_sys::fuzz_target;
use lookalike::{Config, text::TokensBy};
use lookalike_engine::{InputTable, Outputs, RunConfig, UNOBSERVED, check_batch, dedup_reporting};
use lookalike_fuzz::file;

/// Bytes that are consumed one after another.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn one(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn buffer(&mut self, most: usize) -> Buffer {
        let (own, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        let mut whole = vec![0; most];
        whole[..own.len()].copy_from_slice(own);
        Buffer::from(whole)
    }

    /// Returns offsets that are mostly valid. Each byte of the input gives the distance from one offset to the next. But after
    /// the byte 255, the byte that follows is itself the next offset, which is usually invalid.
    fn offsets(&mut self, rows: usize, wide: bool) -> Buffer {
        let (mut at, mut all) = (0i64, vec![0i64]);
        for _ in 0..rows {
            let step = self.one();
            at = if step == 255 {
                i64::from(self.one() as i8)
            } else {
                at + i64::from(step % 8)
            };
            all.push(at);
        }
        if wide {
            Buffer::from_slice_ref(&all)
        } else {
            all.iter().map(|at| *at as i32).collect::<Vec<_>>().into()
        }
    }

    fn nulls(&mut self, rows: usize) -> Option<Buffer> {
        (self.one() % 4 == 0).then(|| self.buffer(rows.div_ceil(8)))
    }

    /// Returns a column of some type, which is nested at most `depth` levels deep.
    fn column(&mut self, rows: usize, depth: usize) -> ArrayData {
        let nulls = self.nulls(rows);
        let child = |kind: &ArrayData| Arc::new(Field::new("item", kind.data_type().clone(), true));
        let bytes = |this: &mut Self| {
            let most = usize::from(this.one() % 64);
            this.buffer(most)
        };
        let (kind, buffers, children) = match self.one() % if depth == 0 { 8 } else { 13 } {
            0 | 1 => (
                DataType::Utf8,
                vec![self.offsets(rows, false), bytes(self)],
                vec![],
            ),
            2 => (
                DataType::LargeUtf8,
                vec![self.offsets(rows, true), bytes(self)],
                vec![],
            ),
            3 => (
                DataType::Binary,
                vec![self.offsets(rows, false), bytes(self)],
                vec![],
            ),
            4 => (
                DataType::Utf8View,
                vec![self.buffer(16 * rows), bytes(self)],
                vec![],
            ),
            5 => (
                DataType::BinaryView,
                vec![self.buffer(16 * rows), bytes(self)],
                vec![],
            ),
            6 => (DataType::Int64, vec![self.buffer(8 * rows)], vec![]),
            7 => (
                DataType::Boolean,
                vec![self.buffer(rows.div_ceil(8))],
                vec![],
            ),
            8 => {
                let items = self.items(depth);
                (
                    DataType::List(child(&items)),
                    vec![self.offsets(rows, false)],
                    vec![items],
                )
            }
            9 => {
                let items = self.items(depth);
                (
                    DataType::LargeList(child(&items)),
                    vec![self.offsets(rows, true)],
                    vec![items],
                )
            }
            10 => {
                let items = self.items(depth);
                (
                    DataType::FixedSizeList(child(&items), 2),
                    vec![],
                    vec![items],
                )
            }
            11 => {
                let fields = self.column(rows, depth - 1);
                (
                    DataType::Struct(
                        vec![Field::new("a", fields.data_type().clone(), true)].into(),
                    ),
                    vec![],
                    vec![fields],
                )
            }
            _ => {
                let values = self.items(depth);
                let kind =
                    DataType::Dictionary(DataType::Int8.into(), values.data_type().clone().into());
                (kind, vec![self.buffer(rows)], vec![values])
            }
        };
        let data = ArrayData::builder(kind)
            .len(rows)
            .null_bit_buffer(nulls)
            .buffers(buffers)
            .child_data(children);
        // SAFETY: no value is read before the data is checked, and that check is what this target tests.
        unsafe { data.build_unchecked() }
    }

    fn items(&mut self, depth: usize) -> ArrayData {
        let rows = usize::from(self.one() % 16);
        self.column(rows, depth - 1)
    }
}

/// Returns a column, or `None` if arrow cannot make one from the data.
fn array(data: ArrayData) -> Option<ArrayRef> {
    lookalike_engine::quietly(|| make_array(data)).ok()
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes(bytes);
    let (choice, rows) = (bytes.one(), usize::from(bytes.one() % 12));
    let Some(text) = array(bytes.column(rows, 2)) else {
        return;
    };
    let Some(other) = array(bytes.column(rows, 2)) else {
        return;
    };
    let fields = [("text", &text), ("id", &other)]
        .map(|(name, own)| Field::new(name, own.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let Ok(Ok(batch)) =
        lookalike_engine::quietly(|| RecordBatch::try_new(schema.clone(), vec![text, other]))
    else {
        return;
    };
    if check_batch("table", 0, &batch).is_err() {
        return;
    }
    let table = InputTable::new("table", schema, vec![batch]).expect("one schema");
    let tokens = if choice & 1 == 0 {
        TokensBy::Auto
    } else {
        TokensBy::Items
    };
    let config = RunConfig {
        tables: vec![table],
        method: Config {
            tokens,
            ..Config::default()
        },
        id_field: if choice & 2 == 0 {
            "id".into()
        } else {
            "none".into()
        },
        allow_repeated_ids: choice & 4 == 0,
        threads: 1,
        temp_dir: file::folder(),
        ..RunConfig::default()
    };
    let mut reported = 0;
    let mut tell = |_: &lookalike_engine::Decided<'_>| {
        reported += 1;
        Ok(())
    };
    match dedup_reporting(&config, &Outputs::default(), &mut tell, UNOBSERVED) {
        Ok(summary) => assert_eq!((summary.documents, reported), (rows as u64, rows)),
        Err(error) => assert!(
            error.kind() != lookalike_engine::ErrorKind::Internal,
            "{error}"
        ),
    }
});
