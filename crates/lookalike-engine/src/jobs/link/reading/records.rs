//! Reads records with fields and holds their normal forms compactly, for linking.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use lookalike::shown::{cut, quoted};
use lookalike_applications::records::{Linker, Records, Scratch as Normal, measure};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    format::Format,
    read::{
        Block, Blocks, Naming, Paths, Reading, RecordFields, Scratch, Shape, Source, each_block,
    },
    words,
};
use rayon::ThreadPool;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use super::collections::{Collection, collections, shown_names};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::{
        lines::repeated_id,
        parallel::{Weigh, in_order_placed},
    },
    sketching::ids::hash_name,
};

/// The records of one collection, or of two, with the first collection's records first.
#[derive(Debug)]
pub(in crate::jobs::link) struct Gathered {
    /// The values of the records.
    pub(in crate::jobs::link) records: Records,
    /// The ids of the records, as JSON.
    ids: Records,
    /// Hashes of the labels, 0 for none; empty if labels are not used.
    pub(in crate::jobs::link) labels: Vec<u128>,
    /// A date or a number for each record, NaN if it has none; empty if these values are not used.
    pub(in crate::jobs::link) values: Vec<f64>,
    /// The number of the second collection's first record, or the number of all records if there is one collection.
    pub(in crate::jobs::link) split: u32,
    /// Whether there are two collections; one of them may be empty.
    are_two: bool,
    /// Records by the hashes of their ids, for each collection; for a repeated id, the first record.
    by_id: [BTreeMap<u128, u32>; 2],
}

impl Gathered {
    /// Reads the one or two collections.
    ///
    /// # Errors
    /// Fails if an input cannot be read or does not contain records with fields, if a record or a value is invalid, if an id
    /// occurs twice, or if a field occurs in no record of a collection.
    pub(in crate::jobs::link) fn read(
        config: &RunConfig,
        (linker, right_by): (&Linker, Option<&str>),
        pool: &ThreadPool,
        observer: Observer,
    ) -> Result<Self> {
        let wanted = Asked::new(config, linker, right_by).record_fields();
        let open = |collection: &Collection| collection.open(config, wanted.clone());
        let sources: Vec<Source> = collections(config)
            .iter()
            .map(open)
            .collect::<Result<_>>()?;
        Self::read_from(config, &sources, (linker, right_by), pool, observer)
    }

    /// Reads the records of sources that are already open, one for each collection. A pipe can be read again only from the same source.
    pub(in crate::jobs::link) fn read_from(
        config: &RunConfig,
        sources: &[Source],
        (linker, right_by): (&Linker, Option<&str>),
        pool: &ThreadPool,
        observer: Observer,
    ) -> Result<Self> {
        let (fields, collections) = (linker.config().fields.len(), collections(config));
        let mut all = Self {
            records: Records::new(fields),
            ids: Records::new(1),
            labels: Vec::new(),
            values: Vec::new(),
            split: 0,
            are_two: collections.len() > 1,
            by_id: Default::default(),
        };
        let asked = Asked::new(config, linker, right_by);
        let (mut seen, mut first) = (vec![false; asked.paths_of_fields], Vec::new());
        for (number, (collection, source)) in collections.iter().zip(sources).enumerate() {
            let came = all.collection(
                config,
                (collection, source),
                number,
                (&asked, linker, pool, observer),
            )?;
            if number == 0 {
                all.split = all.len()?;
            }
            // An empty collection has no record that could have a field.
            if came.first.is_empty() {
                continue;
            }
            let name = &collection.shown();
            asked.refuse_absent(&came.seen, &came.first, name)?;
            seen.iter_mut()
                .zip(&came.seen)
                .for_each(|(seen, other)| *seen |= other);
            if first.is_empty() {
                first = came.first;
            }
            all.refuse_unlabelled(config, name, number)?;
            all.refuse_unmeasured(right_by, name, number)?;
        }
        if !first.is_empty() {
            asked.refuse_absent_everywhere(&seen, &first, &shown_names(config))?;
        }
        Ok(all)
    }

    /// Returns an error if no record of a collection has the label field, because all pairs would then count as wrong.
    fn refuse_unlabelled(&self, config: &RunConfig, name: &str, collection: usize) -> Result<()> {
        let Some(label) = &config.label_field else {
            return Ok(());
        };
        let own = if collection == 0 {
            &self.labels[..]
        } else {
            &self.labels[self.split as usize..]
        };
        if own.iter().any(|label| *label != 0) {
            return Ok(());
        }
        let label = (Setting("label_field"), cut(label).into_owned());
        let wrong = Error::record(words![
            label,
            ": this field is missing or empty in all records"
        ])
        .at(name);
        Err(wrong.advise("name the field that shows which records belong together"))
    }

    /// Returns an error if no record of a collection has a date or a number in the field `right_by`.
    fn refuse_unmeasured(
        &self,
        right_by: Option<&str>,
        name: &str,
        collection: usize,
    ) -> Result<()> {
        let Some(field) = right_by else { return Ok(()) };
        let own = if collection == 0 {
            &self.values[..]
        } else {
            &self.values[self.split as usize..]
        };
        if own.iter().any(|value| !value.is_nan()) {
            return Ok(());
        }
        let field = (Setting("right_by"), cut(field).into_owned());
        let wrong = Error::record(words![
            field,
            ": no record has a date or a number in this field"
        ])
        .at(name);
        Err(wrong.advise("name a field that has one"))
    }

    /// Returns the number of records.
    pub(in crate::jobs::link) fn len(&self) -> Result<u32> {
        u32::try_from(self.records.len()).map_err(|_| {
            Error::new(
                ErrorKind::Input,
                "more than 4,294,967,295 records cannot be linked in one run",
            )
            .advise("split them by a field that linked records must share")
        })
    }

    /// Returns the number of bytes that are held in memory and cannot be spilled.
    pub(in crate::jobs::link) fn size(&self) -> usize {
        const FOUND_BY: usize = 30;
        let found: usize = self.by_id.iter().map(BTreeMap::len).sum();
        let extra = size_of_val(&*self.labels) + size_of_val(&*self.values);
        self.records.size() + self.ids.size() + extra + FOUND_BY * found
    }

    /// Returns whether there are two collections.
    pub(in crate::jobs::link) fn are_two(&self) -> bool {
        self.are_two
    }

    /// Returns the first record of the second collection, if there are two collections.
    pub(in crate::jobs::link) fn second(&self) -> Option<u32> {
        self.are_two.then_some(self.split)
    }

    /// Returns the collection of a record, `a` or `b`, if there are two.
    pub(in crate::jobs::link) fn collection_of(&self, record: u32) -> Option<&'static str> {
        self.are_two
            .then_some(if record < self.split { "a" } else { "b" })
    }

    /// Returns the number of pairs of some records, of which the first `first` are in the first collection. If there are two collections,
    /// only pairs of records from different collections count.
    pub(in crate::jobs::link) fn pairs_of(&self, first: u64, all: u64) -> u64 {
        if self.are_two {
            first * (all - first)
        } else {
            all * all.saturating_sub(1) / 2
        }
    }

    /// Returns the number of pairs that could be scored.
    pub(in crate::jobs::link) fn pairs(&self) -> u64 {
        self.pairs_of(self.split.into(), self.records.len() as u64)
    }

    /// Returns a record's id, as written in the record.
    pub(in crate::jobs::link) fn id(&self, record: u32) -> &str {
        self.ids.get(record, 0)
    }

    /// Returns the record with an id, in the first collection or in the second.
    pub(in crate::jobs::link) fn find(&self, id: &str, collection: usize) -> Option<u32> {
        self.by_id[collection].get(&hash_name(id)).copied()
    }

    /// Returns the record with this id, which is given as JSON. If there is none, a number is also looked up as a string, and a
    /// string as a number, because CSV does not distinguish 7 and "7".
    pub(in crate::jobs::link) fn find_of_any_type(
        &self,
        id: &str,
        collection: usize,
    ) -> Option<u32> {
        self.find(id, collection)
            .or_else(|| match serde_json::from_str(id) {
                Ok(serde_json::Value::String(text)) => self.find(&text, collection),
                _ => self.find(&serde_json::Value::from(id).to_string(), collection),
            })
    }

    fn collection(
        &mut self,
        config: &RunConfig,
        (collection, source): (&Collection, &Source),
        number: usize,
        (asked, linker, pool, observer): (&Asked, &Linker, &ThreadPool, Observer),
    ) -> Result<Came> {
        let says_format = collection.says_format(config);
        let mut came = Came {
            seen: vec![false; asked.paths_of_fields],
            first: Vec::new(),
        };
        in_order_placed(
            pool,
            Blocks::new(source),
            |block, worker: &mut Worker| {
                asked.read(block, (source.reading(), says_format), linker, worker)
            },
            |place, piece: Piece| {
                Progress::new(Stage::Gathering, source.read(), source.total()).tell(observer)?;
                for (at, line) in piece.lines.iter().enumerate() {
                    let id = piece.ids.get(at as u32, 0);
                    let called;
                    let id = match id {
                        "" => {
                            called =
                                serde_json::Value::from(place.of(u64::from(*line)).to_string())
                                    .to_string();
                            &called
                        }
                        id => id,
                    };
                    let record = (self.ids.len()) as u32;
                    let first = *self.by_id[number].entry(hash_name(id)).or_insert(record);
                    if first != record && !config.allow_repeated_ids {
                        return Err(repeated_id(id).of_line(u64::from(*line)));
                    }
                    self.ids.push([id]);
                }
                self.records.append(&piece.records);
                self.labels.extend(&piece.labels);
                self.values.extend(&piece.values);
                came.seen
                    .iter_mut()
                    .zip(&piece.seen)
                    .for_each(|(seen, other)| *seen |= other);
                if came.first.is_empty() {
                    came.first = piece.first;
                }
                self.len().map(drop)
            },
        )?;
        // The columns that are not read are not in the first record, but a message about a missing field lists them, too.
        let is_table = source
            .formats()
            .iter()
            .any(|format| format.is_some_and(Format::is_table));
        if is_table && !came.first.is_empty() && came.seen.contains(&false) {
            came.first = first_record(config, collection)?;
        }
        Ok(came)
    }
}

/// The fields that were found in a collection.
struct Came {
    /// Which of the paths occur in any record.
    seen: Vec<bool>,
    /// The first record, for messages.
    first: Vec<u8>,
}

/// Returns the first record of a collection with all its fields; empty if there is none.
fn first_record(config: &RunConfig, collection: &Collection) -> Result<Vec<u8>> {
    let source = collection.open(config, RecordFields::All)?;
    let (mut scratch, mut line, mut first) = (Scratch::default(), Vec::new(), Vec::new());
    each_block(Blocks::new(&source), |block, _| {
        for at in 0..block.len() {
            if let Some(object) = block.fields(at, source.reading(), &mut scratch, &mut line)? {
                first = object.to_vec();
                return Ok(false);
            }
        }
        Ok(true)
    })?;
    Ok(first)
}

/// What is read from each record.
struct Asked<'a> {
    paths: Paths,
    /// The numbers of each field's paths. The paths of the id and the label are numbered after the paths of all fields.
    fields: Vec<(&'a str, Range<usize>)>,
    names: Vec<&'a str>,
    paths_of_fields: usize,
    id: &'a str,
    label: Option<&'a str>,
    right_by: Option<&'a str>,
}

#[derive(Default)]
struct Worker {
    scratch: Scratch,
    normal: Normal,
    line: Vec<u8>,
    text: String,
    values: Vec<String>,
}

/// The records of a block.
struct Piece {
    records: Records,
    /// Empty for a record without an id.
    ids: Records,
    /// The hash of each record's label. Equal labels have equal hashes, and the hash is 0 if the record has no label. Empty if
    /// labels are not used.
    labels: Vec<u128>,
    /// A date or a number for each record, NaN if it has none; empty if these values are not used.
    values: Vec<f64>,
    /// The position of each record in the block.
    lines: Vec<u32>,
    /// Which of the paths occur in any record.
    seen: Vec<bool>,
    /// The first record.
    first: Vec<u8>,
}

impl Weigh for Piece {
    fn weight(&self) -> usize {
        self.records.size()
            + self.ids.size()
            + 16 * self.labels.len()
            + 8 * self.values.len()
            + 4 * self.lines.len()
            + self.first.len()
    }
}

impl<'a> Asked<'a> {
    fn new(config: &'a RunConfig, linker: &'a Linker, right_by: Option<&'a str>) -> Self {
        let (mut names, mut fields): (Vec<&str>, Vec<_>) = (Vec::new(), Vec::new());
        for field in &linker.config().fields {
            let first = names.len();
            names.extend(field.paths().iter().map(String::as_str));
            fields.push((field.name.as_str(), first..names.len()));
        }
        let (paths_of_fields, label) = (names.len(), config.label_field.as_deref());
        let all = names
            .iter()
            .copied()
            .chain([config.id_field.as_str()])
            .chain(label)
            .chain(right_by)
            .map(String::from);
        Self {
            paths: Paths::new(all),
            fields,
            paths_of_fields,
            id: &config.id_field,
            label,
            right_by,
            names,
        }
    }

    /// Returns the fields that are read.
    fn record_fields(&self) -> RecordFields {
        let names = self
            .names
            .iter()
            .copied()
            .chain([self.id])
            .chain(self.label)
            .chain(self.right_by);
        RecordFields::Named(names.map(String::from).collect())
    }

    fn read(
        &self,
        block: &Block,
        (reading, says_format): (&Reading, bool),
        linker: &Linker,
        worker: &mut Worker,
    ) -> Result<Piece> {
        let mut piece = Piece {
            records: Records::new(self.fields.len()),
            ids: Records::new(1),
            labels: Vec::new(),
            values: Vec::new(),
            lines: Vec::new(),
            seen: vec![false; self.paths_of_fields],
            first: Vec::new(),
        };
        let Worker {
            scratch,
            normal,
            line,
            text,
            values,
        } = worker;
        values.resize(self.fields.len(), String::new());
        for at in 0..block.len() {
            let wrong = |wrong: Error| wrong.of_line(at as u64);
            let object = block.fields(at, reading, scratch, line).map_err(wrong)?;
            let Some(object) = object else { continue };
            let no_object =
                !says_format && block.is_lines() && !object.trim_ascii_start().starts_with(b"{");
            let found = self.paths.find(object).map_err(|what| {
                wrong(
                    block
                        .not_utf8(at, reading, Naming::Encoding)
                        .unwrap_or_else(|| {
                            if no_object {
                                what.advise("for CSV, give $format=csv")
                            } else {
                                what
                            }
                        }),
                )
            })?;
            if piece.lines.is_empty() {
                piece.first = object.to_vec();
            }
            piece.lines.push(at as u32);
            for ((_, numbers), (field, into)) in
                self.fields.iter().zip(values.iter_mut().enumerate())
            {
                text.clear();
                into.clear();
                for number in numbers.clone() {
                    let Some(value) = found[number] else { continue };
                    piece.seen[number] = true;
                    let value = written(value, self.names[number]).map_err(wrong)?;
                    if !text.is_empty() && !value.is_empty() {
                        text.push(' ');
                    }
                    text.push_str(&value);
                }
                linker.normalise(field, text, normal, into);
            }
            piece.records.push(values.iter().map(String::as_str));
            let id = name(
                found[self.paths_of_fields],
                self.id,
                "an id",
                Setting("id_field"),
            )
            .map_err(wrong)?;
            piece.ids.push([if block.is_delimited() && id == "\"\"" {
                ""
            } else {
                id
            }]);
            if let Some(field) = self.label {
                let value = found[self.paths_of_fields + 1];
                name(value, field, "a label", Setting("label_field")).map_err(wrong)?;
                // Only the text of the label counts, not its type, because CSV has no numbers: 7 and "7" are the same label.
                let label = value
                    .map_or(Ok("".into()), |value| written(value, field))
                    .map_err(wrong)?;
                piece.labels.push(if label.is_empty() {
                    0
                } else {
                    xxh3_128(label.as_bytes()).max(1)
                });
            }
            if let Some(field) = self.right_by {
                let value = found[self.paths_of_fields + 1 + usize::from(self.label.is_some())];
                let value = value
                    .map_or(Ok("".into()), |value| written(value, field))
                    .map_err(wrong)?;
                piece
                    .values
                    .push(measure(&value, normal).unwrap_or(f64::NAN));
            }
        }
        Ok(piece)
    }

    /// Returns an error if a field occurs in no record of a collection, because such a field is surely a mistake. If the field is
    /// read from several paths, only one of the paths has to occur, because two collections may use different names for the same
    /// field.
    fn refuse_absent(&self, seen: &[bool], first: &[u8], input: &str) -> Result<()> {
        match self
            .fields
            .iter()
            .find(|(_, numbers)| !numbers.clone().any(|number| seen[number]))
        {
            None => Ok(()),
            Some((field, numbers)) => {
                Err(absent(input, field, &self.names[numbers.clone()], first))
            }
        }
    }

    /// Returns an error if a field is read from a path that occurs in no record of any collection.
    fn refuse_absent_everywhere(
        &self,
        seen: &[bool],
        first: &[u8],
        inputs: &[String],
    ) -> Result<()> {
        let of_path = |(field, numbers): &(&str, Range<usize>)| {
            let number = numbers.clone().find(|&number| !seen[number])?;
            Some(absent(
                &inputs.join(", "),
                field,
                &self.names[number..=number],
                first,
            ))
        };
        self.fields.iter().find_map(of_path).map_or(Ok(()), Err)
    }
}

fn absent(input: &str, field: &str, paths: &[&str], first: &[u8]) -> Error {
    let absent: Vec<String> = paths.iter().map(|path| quoted(path)).collect();
    let names: Vec<String> = Paths::names_in(first)
        .iter()
        .map(|name| quoted(name))
        .collect();
    let what = format!(
        "no record has {}, from which the field {} is read; the first record has {}",
        absent.join(" or "),
        quoted(field),
        if names.is_empty() {
            "no fields".into()
        } else {
            names.join(", ")
        }
    );
    Error::record(what)
        .at(input)
        .in_field(field)
        .advise("set `from` to the field's name in the records")
}

/// Returns the text of a value; empty if it is null.
fn written<'v>(value: &'v RawValue, name: &str) -> Result<Cow<'v, str>> {
    let raw = value.get();
    match Shape::of(raw) {
        Shape::Text => {
            if raw[1..raw.len() - 1].contains('\\') {
                serde_json::from_str::<String>(raw)
                    .map(Cow::Owned)
                    .map_err(|_| {
                        Error::record(format!(
                    "field {} has half of a character (a lone surrogate), which is not valid text",
                    quoted(name)
                ))
                .in_field(name)
                .advise("write it again from its source")
                    })
            } else {
                Ok(raw[1..raw.len() - 1].into())
            }
        }
        Shape::Number | Shape::Bool => Ok(raw.into()),
        Shape::Null => Ok("".into()),
        shape @ (Shape::Array | Shape::Object) => {
            let wrong =
                Error::record(format!("field {} is {}", quoted(name), shape.name())).in_field(name);
            Err(wrong.advise(
                "a compared field must be a string or a number; join its parts into one string first, or name one with `from`",
            ))
        }
    }
}

/// Returns an id or a label as written in the record; empty if it is null or missing.
fn name<'v>(
    value: Option<&'v RawValue>,
    field: &str,
    what: &str,
    option: Setting,
) -> Result<&'v str> {
    let Some(value) = value.map(RawValue::get).filter(|value| *value != "null") else {
        return Ok("");
    };
    match Shape::of(value) {
        shape if shape.is_name() => Ok(value),
        other => {
            let advice = format!(
                "{what} must be a string or a number; leave it out, or name another field with "
            );
            let wrong = Error::record(format!("field {} is {}", quoted(field), other.name()))
                .in_field(field);
            Err(wrong.advise(words![advice, option]))
        }
    }
}
