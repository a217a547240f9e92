//! Merges files of sketches.

use std::{collections::BTreeMap, path::Path, time::Instant};

use lookalike::stored::{Sketching, StoredSketch};
use lookalike_io::{
    error::{Error, ErrorKind, Result, without_panic},
    read::{Reading, Source, Unread},
    write::{IdKind, SketchRow, are_rows, finish, refuse_overwriting},
};

use super::{SketchSummary, header, rows::each_row, written};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::open::Means,
    sketching::ids::hash_name,
};

/// Writes the documents of several files of sketches to one file. If `union` is true, documents with the same id become one
/// document: its sketch is that of the union of their sets ([`Sketching::union`]), and it has the place of the first of them.
/// Otherwise, a repeated id is an error. Memory: 32 bytes per document, and the sketches of the documents that are united. The inputs
/// are read up to three times.
///
/// # Errors
/// Fails if an input is not a file of sketches, if the parameters of two inputs differ, if documents are to be united and the union
/// does not follow from their sketches, or if the output cannot be written.
pub fn merge_sketches(
    config: &RunConfig,
    union: bool,
    output: &Path,
    observer: Observer,
) -> Result<SketchSummary> {
    without_panic(|| all_passes(config, union, output, observer))
}

fn all_passes(
    config: &RunConfig,
    union: bool,
    path: &Path,
    observer: Observer,
) -> Result<SketchSummary> {
    let started = Instant::now();
    let inputs = config.expand()?;
    let named: Vec<&Path> = [Some(path), config.summary.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    refuse_overwriting(&named, &inputs)?;
    are_rows(path, "sketches")?;
    let none = || header::not_sketches(&inputs.first().map_or(String::new(), |input| input.name()));
    let parameters = header::of_all(&inputs, 0)?.ok_or_else(none)?;
    let sketching = Sketching::new(&parameters)?;
    if union {
        sketching.can_unite()?;
    }
    let files = inputs.len() as u64;
    let source = Source::new(inputs, Reading::sketches(), &config.temp_dir)?;
    let means = Means::new(config, &named, |threads, memory| {
        source.extra(threads, memory)
    })?;
    let found = Ids::read(&source, &sketching, observer)?;
    if let (Some((first, second)), false) = (found.first_repeated, union) {
        return Err(repeated(&source, first, second)?);
    }
    let united = if found.repeated.is_empty() {
        BTreeMap::new()
    } else {
        unions(&source, &sketching, &found.repeated)?
    };
    let (mut documents, mut empty, mut bytes) = (0, 0, 0);
    let mut waiting = united.clone();
    let output = written(
        (config, path, found.kind),
        &sketching,
        |give| {
            each_row(&source, |_, row| {
                let hash = hash_name(row.id.get());
                let sketch = match (united.contains_key(&hash), waiting.remove(&hash)) {
                    (true, None) => return Ok(()),
                    (true, Some(union)) => union,
                    (false, _) => row.sketch,
                };
                documents += 1;
                empty += u64::from(sketch.is_empty());
                bytes += sketch.bytes.len() as u64;
                let StoredSketch {
                    shingles,
                    digest,
                    bytes,
                } = &sketch;
                give(&SketchRow {
                    id: row.id.get(),
                    shingles: *shingles,
                    digest: *digest,
                    sketch: bytes,
                })
            })
        },
        &means,
    )?;
    finish([Some(output)])?;
    Ok(SketchSummary {
        documents,
        empty,
        sketch_bytes: bytes,
        parameters,
        merged: Some(files),
        united: union.then_some(united.len() as u64),
        unread: Unread::default(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// What the first pass finds.
struct Ids {
    kind: IdKind,
    /// The hashes of the ids of several documents, sorted.
    repeated: Vec<u128>,
    /// The numbers of the first document whose id an earlier document has, and of the first document with this id.
    first_repeated: Option<(u64, u64)>,
}

impl Ids {
    fn read(source: &Source, sketching: &Sketching, observer: Observer) -> Result<Self> {
        let (mut all, mut kind) = (Vec::<(u128, u64)>::new(), None::<IdKind>);
        each_row(source, |number, row| {
            sketching.check(&row.sketch)?;
            let own = IdKind::of(row.id.get());
            kind = Some(kind.map_or(own, |kind| kind.with(own)));
            all.push((hash_name(row.id.get()), number));
            if number % 4096 == 0 {
                Progress::new(Stage::Sketching, source.read(), source.total()).tell(observer)?;
            }
            Ok(())
        })?;
        all.sort_unstable();
        let groups = || {
            all.chunk_by(|a, b| a.0 == b.0)
                .filter(|group| group.len() > 1)
        };
        Ok(Self {
            kind: kind.unwrap_or(IdKind::Strings),
            repeated: groups().map(|group| group[0].0).collect(),
            first_repeated: groups()
                .map(|group| (group[1].1, group[0].1))
                .min()
                .map(|(second, first)| (first, second)),
        })
    }
}

/// Returns the unions of the documents with repeated ids, by the hashes of the ids.
fn unions(
    source: &Source,
    sketching: &Sketching,
    repeated: &[u128],
) -> Result<BTreeMap<u128, StoredSketch>> {
    let mut unions = BTreeMap::new();
    each_row(source, |_, row| {
        let hash = hash_name(row.id.get());
        if repeated.binary_search(&hash).is_ok() {
            let union = match unions.get(&hash) {
                Some(other) => sketching.union(other, &row.sketch)?,
                None => row.sketch,
            };
            unions.insert(hash, union);
        }
        Ok(())
    })?;
    Ok(unions)
}

/// Returns the error for two documents with the same id, given their numbers.
fn repeated(source: &Source, first: u64, second: u64) -> Result<Error> {
    let (mut ids, mut number) = (Vec::new(), 0);
    crate::pass::lines::each_line_of(source, |line, block, at| {
        if let Some(row) = super::rows::row(line, block, at == 1)? {
            if number == first || number == second {
                ids.push((row.id.get().to_owned(), source.place(block.tag().part, at)));
            }
            number += 1;
        }
        Ok(())
    })?;
    let [(_, first), (id, second)] = &ids[..] else {
        return Err(source.changed(0));
    };
    let what = format!(
        "id {} was already used at {first}",
        lookalike::shown::cut(id)
    );
    let error = Error::new(ErrorKind::Record, what).at_place(second.clone());
    Ok(error.advise("make ids unique, or unite the documents with the same id with $union"))
}
