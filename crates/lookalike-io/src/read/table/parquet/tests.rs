//! Tests row groups that are read in several parts.

use arrow_array::{
    ArrayRef, BinaryArray, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
    types::Int32Type,
};
use arrow_schema::Field;
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, ZstdLevel},
    file::properties::{EnabledStatistics, WriterProperties, WriterVersion},
};
use proptest::prelude::*;

use super::*;
use crate::read::table::{TableFile, Wanted};

/// The settings that a file is written with.
#[derive(Debug, Clone)]
struct Made {
    rows: usize,
    group: usize,
    /// The maximum number of rows in a page.
    page: usize,
    /// The maximum number of bytes in a dictionary, after which values are written without it. None for no dictionary.
    dictionary: Option<usize>,
    second: bool,
    zstd: bool,
    chunk_statistics: bool,
}

impl Made {
    fn file(&self, more: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let version = if self.second {
            WriterVersion::PARQUET_2_0
        } else {
            WriterVersion::PARQUET_1_0
        };
        let statistics = if self.chunk_statistics {
            EnabledStatistics::Chunk
        } else {
            EnabledStatistics::None
        };
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_max_row_group_row_count(Some(self.group))
            .set_data_page_row_count_limit(self.page)
            .set_write_batch_size(1)
            .set_dictionary_enabled(self.dictionary.is_some())
            .set_dictionary_page_size_limit(self.dictionary.unwrap_or(1))
            .set_statistics_enabled(statistics)
            .set_offset_index_disabled(true)
            .set_compression(if self.zstd {
                Compression::ZSTD(ZstdLevel::default())
            } else {
                Compression::UNCOMPRESSED
            });
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..self.rows as i64));
        let text = |row: usize| {
            (!row.is_multiple_of(7)).then(|| format!("{row} {}", "é x".repeat(row * 37 % 240)))
        };
        let texts: ArrayRef = Arc::new(StringArray::from_iter((0..self.rows).map(text)));
        let columns = [("id", ids), ("text", texts)]
            .into_iter()
            .chain(more)
            .map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }
}

fn open(bytes: &[u8]) -> (TableFile, Columns) {
    let table = TableFile::open(Ranges::memory(bytes.to_vec(), "t.parquet")).unwrap();
    let columns = Columns::choose(
        table.name(),
        table.schema(),
        ("text", None, None),
        "id",
        &"first".parse().unwrap(),
        None,
    )
    .unwrap();
    (table, columns)
}

/// Returns the rows of every part.
fn parts_of(table: &TableFile, columns: &Columns, wanted: Wanted) -> Vec<RecordBatch> {
    let mut all = Vec::new();
    for (number, part) in table.parts().iter().enumerate() {
        let mut stream = table.part(number, columns, wanted).unwrap();
        let mut read = Vec::new();
        while let Some(batch) = stream.next_batch().unwrap() {
            read.push(batch);
        }
        let rows: usize = read.iter().map(RecordBatch::num_rows).sum();
        assert_eq!((rows as u64, stream.left()), (part.rows, 0));
        all.extend(read);
    }
    all
}

fn whole(batches: &[RecordBatch]) -> RecordBatch {
    arrow_select::concat::concat_batches(&batches[0].schema(), batches).unwrap()
}

#[test]
fn large_row_groups_have_several_parts() {
    let made = Made {
        rows: 1000,
        group: 400,
        page: 10,
        dictionary: None,
        second: false,
        zstd: true,
        chunk_statistics: true,
    };
    let bytes = made.file(Vec::new());
    let (mut table, columns) = open(&bytes);
    assert_eq!(table.parts().len(), 3);
    let (rows, size): (u64, u64) = (
        table.rows(),
        table.parts().iter().map(|part| part.bytes).sum(),
    );
    table.split(&columns, 4000);
    let parts = table.parts();
    assert!(parts.len() > 20 && parts.len() < 60, "{}", parts.len());
    assert_eq!(
        (
            table.rows(),
            parts.iter().map(|part| part.bytes).sum::<u64>()
        ),
        (rows, size)
    );
    assert!(
        parts
            .windows(2)
            .all(|pair| pair[0].before + pair[0].rows == pair[1].before)
    );
    assert!(parts.iter().all(|part| part.before % 400 % 10 == 0));
    assert_eq!(table.layout().group_rows, Some(400));
    // Small row groups are not divided.
    table.split(&columns, 1 << 20);
    assert_eq!(table.parts().len(), 3);
}

#[test]
fn values_that_no_part_needs_are_not_decoded() {
    let made = Made {
        rows: 600,
        group: 600,
        page: 10,
        dictionary: Some(300),
        second: false,
        zstd: false,
        chunk_statistics: false,
    };
    let mut bytes = made.file(Vec::new());
    let (mut table, columns) = open(&bytes);
    table.split(&columns, 4000);
    let place = table.chunk_place(0, &["text".into()]).unwrap();
    // The chunk begins with the dictionary: a header, and then the first values of the column. The later values are stored
    // outside the dictionary. The next line damages the values in the dictionary.
    bytes[place.start + 60..place.start + 90].fill(0xff);
    let (mut damaged, _) = open(&bytes);
    damaged.split(&columns, 4000);
    let read = |part| {
        damaged
            .part(part, &columns, Wanted::Chosen)
            .and_then(|mut stream| stream.next_batch())
    };
    let reported = read(0).unwrap_err().to_string();
    assert!(
        reported.contains("row group 0, column \"text\""),
        "{reported}"
    );
    let last = damaged.parts().len() - 1;
    assert!(last > 4, "{last}");
    assert!(read(last).unwrap().is_some());
}

#[test]
fn rows_with_lists_are_not_split() {
    let made = Made {
        rows: 500,
        group: 500,
        page: 5,
        dictionary: None,
        second: true,
        zstd: false,
        chunk_statistics: false,
    };
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..500).map(|row| Some(vec![Some(row); row as usize % 4])),
    );
    let (mut table, columns) = open(&made.file(vec![("list", Arc::new(lists))]));
    table.split(&columns, 1000);
    assert_eq!(table.parts().len(), 1);
}

#[test]
fn many_other_columns_make_parts_larger() {
    let made = Made {
        rows: 600,
        group: 600,
        page: 10,
        dictionary: None,
        second: false,
        zstd: false,
        chunk_statistics: false,
    };
    let other = |number: i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(
            (0..600).map(|row| row * 1_000_003 + number),
        ))
    };
    let names: Vec<String> = (0..10).map(|number| format!("n{number}")).collect();
    let parts = |others: usize| {
        let more = names[..others]
            .iter()
            .enumerate()
            .map(|(number, name)| (name.as_str(), other(number as i64)));
        let (mut table, columns) = open(&made.file(more.collect()));
        table.split(&columns, 2000);
        table.parts().len()
    };
    assert!(parts(0) > 2 && parts(10) == 1, "{} {}", parts(0), parts(10));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(200)))]

    #[test]
    fn parts_have_the_rows_of_their_groups(
        made in (1usize..500, 1usize..300, 1usize..20, prop::option::of(1usize..2000), any::<bool>(), any::<bool>(), any::<bool>())
            .prop_map(|(rows, group, page, dictionary, second, zstd, chunk_statistics)| {
                Made { rows, group, page, dictionary, second, zstd, chunk_statistics }
            }),
        bytes in 1u64..5000,
    ) {
        let inner: ArrayRef = Arc::new(Int64Array::from_iter((0..made.rows as i64).map(|row| (row % 5 > 0).then_some(row / 3))));
        let field = Arc::new(Field::new("n", DataType::Int64, true));
        let present = arrow_array::BooleanArray::from_iter((0..made.rows).map(|row| Some(row % 11 > 0)));
        let meta = StructArray::new(vec![field].into(), vec![inner], Some(present.values().clone().into()));
        let long = BinaryArray::from_iter_values((0..made.rows).map(|row| vec![b'z'; row % 90]));
        let file = made.file(vec![("meta", Arc::new(meta)), ("long", Arc::new(long))]);
        let (mut table, columns) = open(&file);
        let expected = [Wanted::Chosen, Wanted::All].map(|wanted| whole(&parts_of(&table, &columns, wanted)));
        table.split(&columns, bytes);
        for (wanted, expected) in [Wanted::Chosen, Wanted::All].into_iter().zip(expected) {
            let read = parts_of(&table, &columns, wanted);
            prop_assert_eq!(whole(&read), expected);
        }
        // The batches of a pass have the same numbers of rows, whether it reads the chosen columns or all columns.
        let rows = |wanted| parts_of(&table, &columns, wanted).iter().map(RecordBatch::num_rows).collect::<Vec<_>>();
        prop_assert_eq!(rows(Wanted::Chosen), rows(Wanted::All));
    }
}
