//! The destinations of records: one output, an output for each input or a copy of each document, or numbered outputs of limited size.

use std::{
    collections::BTreeMap,
    num::NonZeroU64,
    path::{Path, PathBuf},
    sync::Arc,
};

use lookalike::shown::quoted;

use crate::{
    disk::{folder_of, text_of},
    error::{Error, ErrorKind, Result, Setting, Words},
    format::{Format, OutputFormat},
    read::{Files, Input, Named, Source, without_packing},
    store::{expand, is_url, shown_path},
    words,
};

/// The largest size of a numbered output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The number of records.
    Records(NonZeroU64),
    /// The number of bytes before compression. For a table, the size of its rows in memory. A record that is larger has an output of its
    /// own.
    Bytes(NonZeroU64),
}

/// What is written to a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Records, in this format. Without it, the names of outputs select the format, or it is that of the inputs if it can be written.
    Records(Option<OutputFormat>),
    /// Decisions about records.
    Decisions,
    /// What is cut out of texts.
    Cuts,
    /// Attributes in the format of Dolma, whose files have the names of the files with records.
    Attributes,
}

/// The destination of records, or of lines about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// One output; `-` is standard output.
    One(PathBuf),
    /// A folder, which gets an output for each input, with its relative name. If the inputs are documents, it gets copies of them.
    Folder(PathBuf),
    /// Numbered outputs of limited size.
    Numbered(Numbered),
}

/// The names of numbered outputs, such as `part-{:05}.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    before: String,
    /// The least number of digits.
    digits: usize,
    after: String,
    pub(super) limit: Limit,
}

/// The largest number of digits.
const MOST_DIGITS: usize = 18;

impl Destination {
    /// Returns the destination that a name means. It is a folder if the name ends with `/`, or if there is a folder of this name. If there
    /// is a limit, the number of each output replaces `{}` in the name, or `{:05}` with five digits. The name for records must then have
    /// such a place; other names may have none.
    ///
    /// # Errors
    /// Fails if the name for records has no number although there is a limit, or a number although there is no limit.
    pub fn of(path: &Path, content: Content, limit: Option<Limit>) -> Result<Self> {
        let name = path.to_str().unwrap_or_default();
        let is_folder = name.ends_with('/') || path.is_dir();
        let place = if is_folder { None } else { number_in(name) };
        let refuse = |what: Words| Error::new(ErrorKind::Config, what).at(shown_path(path));
        match (place, limit) {
            (Some((_, end, _)), Some(_)) if has_number(&name[end..]) => {
                let refused = refuse("the name has two places for the number".into());
                Err(refused.advise("leave one {} in it, such as part-{:05}.jsonl"))
            }
            (Some((at, end, digits)), Some(limit)) => {
                let (before, after) = (name[..at].into(), name[end..].into());
                Ok(Self::Numbered(Numbered {
                    before,
                    digits,
                    after,
                    limit,
                }))
            }
            (Some(_), None) if matches!(content, Content::Records(_)) => {
                let advice = "limit the outputs with $rows_per_file or $bytes_per_file";
                Err(
                    refuse("the name has a number, but one output gets all records".into())
                        .advise(advice),
                )
            }
            (None, Some(_)) if let Some(width) = wrong_width(name) => {
                let refused =
                    refuse(format!("{} is not a place for a number", quoted(width)).into());
                Err(refused
                    .advise(format!("put {{}} there, or a width of at most {MOST_DIGITS} digits after a zero, such as {{:05}}")))
            }
            (None, Some(limit)) if matches!(content, Content::Records(_)) => {
                let setting = if let Limit::Records(_) = limit {
                    Setting("rows_per_file")
                } else {
                    Setting("bytes_per_file")
                };
                let refused = refuse(words![
                    "with ",
                    setting,
                    ", the name of the outputs needs a number"
                ])
                .about(setting);
                Err(refused
                    .advise("put {:05} into the last part of the name, such as part-{:05}.jsonl"))
            }
            _ if is_folder && is_url(name) => Ok(Self::Folder(path.into())),
            // Without `/.` at the end.
            _ if is_folder => Ok(Self::Folder(path.components().collect())),
            _ => Ok(Self::One(path.into())),
        }
    }

    /// Returns whether two destinations have the same numbered outputs.
    pub fn are_same_numbered(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Numbered(own), Self::Numbered(other)) => {
                absolute(&own.before) == absolute(&other.before) && own.after == other.after
            }
            _ => false,
        }
    }

    /// Returns whether the outputs are objects of a store.
    pub(super) fn is_remote(&self) -> bool {
        match self {
            Self::One(path) | Self::Folder(path) => path.to_str().is_some_and(is_url),
            Self::Numbered(numbered) => is_url(&numbered.before),
        }
    }

    /// Returns the name of the output, if there is only one.
    pub fn one(&self) -> Option<&Path> {
        if let Self::One(path) = self {
            Some(path)
        } else {
            None
        }
    }

    /// Returns the names of outputs. `named` are the names of inputs as the user gave them.
    ///
    /// # Errors
    /// Fails if an input has no name that an output could have, if two inputs would have the same output, or if a numbered output exists.
    pub(super) fn names(
        &self,
        content: Content,
        source: &Source,
        named: &[String],
    ) -> Result<Names> {
        match self {
            Self::One(path) => Ok(Names::One(path.clone())),
            Self::Folder(folder) => {
                let named = Named::new(named);
                if content == Content::Records(None)
                    && let Some(documents) = documents(source, &named)?
                {
                    let is_remote = folder.to_str().is_some_and(is_url);
                    return if is_remote {
                        Err(refuse_remote(folder))
                    } else {
                        Ok(Names::Documents(folder.clone(), documents.into()))
                    };
                }
                let mut names: BTreeMap<PathBuf, usize> = BTreeMap::new();
                let mut paths = Vec::new();
                for (number, input) in source.inputs().iter().enumerate().skip(source.references())
                {
                    let Some(name) = named.relative(input) else {
                        return Err(refuse_without_name(input, content));
                    };
                    let ending = match content {
                        Content::Records(_) => None,
                        Content::Decisions => Some(".decisions.jsonl"),
                        Content::Cuts => Some(".cuts.jsonl"),
                        Content::Attributes => Some(".jsonl"),
                    };
                    let converted = match content {
                        Content::Records(Some(asked)) => {
                            other_ending(&name, source.format(number), asked)
                        }
                        _ => None,
                    };
                    let name = match ending.or(converted) {
                        None => writable(name, source.format(number)),
                        // If files with the same name have several formats, the extension of a later one remains.
                        Some(ending) => Some(with_ending(&name, ending))
                            .filter(|name| !names.contains_key(name))
                            .unwrap_or_else(|| name.with_file_name(longer(&name, ending))),
                    };
                    if let Some(&other) = names.get(&name) {
                        let what = format!(
                            "its output would be {}, like that of {}",
                            folder.join(&name).display(),
                            source.inputs()[other].name()
                        );
                        let refused = Error::new(ErrorKind::Config, what).at(input.name());
                        return Err(
                            refused.advise("name the folder that contains both, so that their outputs have different names")
                        );
                    }
                    paths.push(folder.join(&name));
                    names.insert(name, number);
                }
                Ok(Names::Inputs(paths))
            }
            Self::Numbered(numbered) => {
                numbered.refuse_existing()?;
                Ok(Names::Numbered(numbered.clone()))
            }
        }
    }
}

/// The names of the outputs, in order.
pub(super) enum Names {
    One(PathBuf),
    /// One for each input that is not a reference.
    Inputs(Vec<PathBuf>),
    Numbered(Numbered),
    /// The folder to which documents are copied, and the name of each document of each input in it.
    Documents(PathBuf, Arc<[Vec<PathBuf>]>),
}

impl Names {
    /// Returns the name of an output.
    pub(super) fn get(&self, number: usize) -> Option<PathBuf> {
        match self {
            Self::One(path) => (number == 0).then(|| path.clone()),
            Self::Inputs(paths) => paths.get(number).cloned(),
            Self::Documents(..) => None,
            Self::Numbered(numbered) => Some(numbered.name(number)),
        }
    }
}

/// Returns the names for copies of documents, if all inputs consist of documents; `None` if none of them does, or if there are no
/// inputs.
fn documents(source: &Source, named: &Named) -> Result<Option<Vec<Vec<PathBuf>>>> {
    let inputs = &source.inputs()[source.references()..];
    let files = inputs.iter().filter_map(Input::documents).count();
    if files == 0 {
        return Ok(None);
    }
    if let Some(other) = inputs.iter().find(|input| input.documents().is_none()) {
        let what =
            "has records, but other inputs are files that are copied to the folder of outputs";
        let refused = Error::new(ErrorKind::Config, what).at(other.name());
        return Err(refused.advise("give the name of one output, such as kept.jsonl"));
    }
    let name = |(files, number): (&Files, usize)| {
        named.document(files, number).ok_or_else(|| {
            let what = format!("{} cannot be the name of a copy", quoted(files.id(number)));
            Error::new(ErrorKind::Config, what)
                .at(&*files.name)
                .advise("give the name of one output, such as kept.jsonl")
        })
    };
    let names = inputs.iter().filter_map(Input::documents).map(|files| {
        (0..files.len())
            .map(|number| name((files, number)))
            .collect()
    });
    let names = names.collect::<Result<Vec<Vec<PathBuf>>>>()?;
    refuse_equal(inputs, &names)?;
    Ok(Some(names))
}

/// Fails if two documents have the same name, or if one has the name of another's folder.
fn refuse_equal(inputs: &[Input], names: &[Vec<PathBuf>]) -> Result<()> {
    let mut all: BTreeMap<&Path, &Input> = BTreeMap::new();
    let refuse = |name: &Path, input: &Input, what: &str| {
        let refused = Error::new(
            ErrorKind::Config,
            format!("the copy of {} {what}", quoted(&name.to_string_lossy())),
        );
        Err(refused
            .at(input.name())
            .advise("give the name of one output, such as kept.jsonl"))
    };
    for (input, names) in inputs.iter().zip(names) {
        for name in names {
            if let Some(other) = all.insert(name, input) {
                return refuse(
                    name,
                    input,
                    &format!(
                        "would have the same name as that of a document in {}",
                        other.name()
                    ),
                );
            }
        }
    }
    match all.iter().find(|(name, _)| {
        name.ancestors()
            .skip(1)
            .any(|folder| all.contains_key(folder))
    }) {
        None => Ok(()),
        Some((name, input)) => refuse(
            name,
            input,
            "would be in a folder that has the name of another document",
        ),
    }
}

/// Returns the error for an input whose name no output in a folder can have.
fn refuse_without_name(input: &Input, content: Content) -> Error {
    let has_documents = input.documents().is_some();
    let (what, example): (Words, &str) = match content {
        Content::Records(Some(_)) if has_documents => {
            let what = words![
                "has documents, which are copied to a folder as they are, so $output_format does not work"
            ];
            (what, "kept.jsonl")
        }
        Content::Decisions if has_documents => (
            "has documents, and the decisions about them have one output".into(),
            "decisions.jsonl",
        ),
        Content::Cuts if has_documents => (
            "has documents, and what is cut out of them has one output".into(),
            "cuts.jsonl",
        ),
        _ => (
            "is not one file of records, so the folder of outputs gets no file of its name".into(),
            "kept.jsonl",
        ),
    };
    Error::new(ErrorKind::Config, what)
        .at(input.name())
        .advise(format!("give the name of one output, such as {example}"))
}

fn refuse_remote(folder: &Path) -> Error {
    let refused = Error::new(
        ErrorKind::Config,
        "documents can be copied to a local folder only",
    )
    .at(shown_path(folder));
    refused.advise("give a local folder, or the name of one output such as kept.jsonl")
}

impl Numbered {
    fn name(&self, number: usize) -> PathBuf {
        let Self {
            before,
            digits,
            after,
            ..
        } = self;
        format!("{before}{number:0digits$}{after}").into()
    }

    /// Returns whether an output could have this name, which is written in the same way as the name of this one.
    fn is_own(&self, name: &str) -> bool {
        let number = name
            .strip_prefix(&*self.before)
            .and_then(|rest| rest.strip_suffix(&*self.after));
        number.is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    }

    /// Fails if one of the other outputs has the name of a numbered one.
    pub(super) fn refuse_others(&self, others: &[&Path]) -> Result<()> {
        let own = Self {
            before: absolute(&self.before),
            ..self.clone()
        };
        match others.iter().find(|path| {
            path.to_str()
                .is_some_and(|name| own.is_own(&absolute(name)))
        }) {
            None => Ok(()),
            Some(path) => {
                let refused = Error::new(ErrorKind::Output, "has the name of a numbered output")
                    .at(shown_path(path));
                Err(refused.advise("give another name"))
            }
        }
    }

    /// Fails if there are outputs of an earlier run. If that run had more of them, some would remain beside the new ones.
    fn refuse_existing(&self) -> Result<()> {
        let Self { before, after, .. } = self;
        let is_own = |name: &str| self.is_own(name);
        let found: Option<String> = if is_url(before) {
            let objects = expand(&format!("{before}*{after}"), |_| true);
            // If there is no such object, the listing fails. Any other failure is reported when an output is opened.
            objects.ok().and_then(|all| {
                all.iter()
                    .map(|object| object.url().to_owned())
                    .find(|url| is_own(url))
            })
        } else {
            let folder = folder_of(Path::new(before));
            let entries = folder.read_dir().into_iter().flatten().flatten();
            let (prefix, names) = (
                before.rfind('/').map_or("", |slash| &before[..=slash]),
                entries.map(|entry| entry.file_name()),
            );
            names
                .map(|name| format!("{prefix}{}", name.to_string_lossy()))
                .filter(|name| is_own(name))
                .min()
        };
        match found {
            None => Ok(()),
            Some(name) => {
                let refused = Error::new(
                    ErrorKind::Output,
                    "exists, and outputs of an earlier run could remain beside new ones",
                );
                Err(refused
                    .at(shown_path(Path::new(&name)))
                    .advise("remove the numbered files, or give another name"))
            }
        }
    }
}

/// Returns the name of the decisions about the records of a file: `a.parquet` → `a.decisions.jsonl`, `a.jsonl.zst` →
/// `a.decisions.jsonl.zst`. In a store, a whole bucket has no name beside it, so its decisions are in it.
pub fn decisions_name(path: &Path) -> PathBuf {
    let bucket = path
        .to_str()
        .map(|name| name.trim_end_matches('/'))
        .filter(|name| is_url(name));
    match bucket.filter(|name| name.matches('/').count() == 2) {
        Some(bucket) => format!("{bucket}/lookalike.decisions.jsonl").into(),
        None => with_ending(path, ".decisions.jsonl"),
    }
}

/// Returns the file extension for an input that is converted, or none if its name is already one of the format that is asked for.
fn other_ending(name: &Path, format: Option<Format>, asked: OutputFormat) -> Option<&'static str> {
    let name = name.to_str().unwrap_or_default();
    let (named, may_be_array) = (Format::of_name(name), Format::may_be_array(name));
    let is_same = match asked {
        OutputFormat::Array => may_be_array,
        OutputFormat::Lines => {
            named == Some(Format::Lines) && (!may_be_array || format == Some(Format::Lines))
        }
        other => named == Some(other.as_input()),
    };
    (!is_same).then(|| asked.ending())
}

/// Returns the name of a file with another extension, and its own one before it.
fn longer(path: &Path, ending: &str) -> String {
    let name = text_of(path.file_name().unwrap_or_default());
    let plain = without_packing(&name);
    format!(
        "{plain}{ending}{}",
        packing_after(&name[plain.len()..], ending)
    )
}

/// Returns the file extension of a compression, unless it would come after that of a table.
fn packing_after<'a>(packing: &'a str, ending: &str) -> &'a str {
    let is_table = Format::of_name(ending).is_some_and(Format::is_table);
    if is_table { "" } else { packing }
}

/// Replaces the file extension of a format in a name.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let name = text_of(path.file_name().unwrap_or_default());
    let plain = without_packing(&name);
    let packing = &name[plain.len()..];
    let stem = match Format::of_name(plain).filter(|format| !format.is_document()) {
        Some(_) => plain.rsplit_once('.').map_or(plain, |(stem, _)| stem),
        None => plain,
    };
    path.with_file_name(format!("{stem}{ending}{}", packing_after(packing, ending)))
}

/// Returns a path from the root, so that different names of a file are equal, apart from links.
fn absolute(name: &str) -> String {
    let path = if is_url(name) {
        None
    } else {
        std::path::absolute(name).ok()
    };
    path.and_then(|path| path.to_str().map(String::from))
        .unwrap_or_else(|| name.into())
}

/// Returns whether a part of a name has a place for a number.
fn has_number(part: &str) -> bool {
    part.match_indices('{')
        .any(|(at, _)| number_in(&part[at..]).is_some())
}

/// Returns a part of a name such as `{:99}` or `{:5}`, which looks like a place for a number, but has a wrong width.
fn wrong_width(name: &str) -> Option<&str> {
    let last = name.rsplit('/').next()?;
    let part = &last[last.find("{:")?..];
    let part = &part[..=part.find('}')?];
    (number_in(part).is_none()
        && part[2..part.len() - 1]
            .bytes()
            .all(|byte| byte.is_ascii_digit()))
    .then_some(part)
}

/// Returns the place of a number in the last part of a name, and its least number of digits.
fn number_in(name: &str) -> Option<(usize, usize, usize)> {
    let start = name.rfind('/').map_or(0, |slash| slash + 1);
    let at = start + name[start..].find('{')?;
    let end = at + name[at..].find('}')?;
    let digits = match &name[at + 1..end] {
        "" => 1,
        digits => digits
            .strip_prefix(":0")?
            .parse()
            .ok()
            .filter(|digits| (1..=MOST_DIGITS).contains(digits))?,
    };
    Some((at, end + 1, digits))
}

/// Returns the name of the output for an input of this name: that of JSON Lines if the format of the input is not written.
fn writable(name: PathBuf, format: Option<Format>) -> PathBuf {
    let is_written = |format| !matches!(format, Some(Format::Warc | Format::Html));
    if is_written(format) && is_written(name.to_str().and_then(Format::of_name)) {
        name
    } else {
        with_ending(&name, ".jsonl")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_numbers() {
        for (name, number) in [
            ("part-{:05}.jsonl", Some(("part-00012.jsonl", 12))),
            ("out/{}.parquet", Some(("out/0.parquet", 0))),
            (
                "s3://bucket/{:03}.jsonl.zst",
                Some(("s3://bucket/1234.jsonl.zst", 1234)),
            ),
            ("a{:018}", Some(("a000000000000000007", 7))),
            ("{}/kept.jsonl", None),
            ("part-{}-{:03}.jsonl", None),
            ("part-{}-{x}.jsonl", Some(("part-1-{x}.jsonl", 1))),
            ("kept-{:5}.jsonl", None),
            ("kept-{:}.jsonl", None),
            ("kept-{:019}.jsonl", None),
            ("kept-{x}.jsonl", None),
            ("kept.jsonl", None),
            ("kept}{", None),
        ] {
            let limit = Limit::Records(NonZeroU64::MIN);
            let found = Destination::of(Path::new(name), Content::Records(None), Some(limit)).ok();
            let found = found.map(|found| {
                if let Destination::Numbered(numbered) = found {
                    numbered
                } else {
                    unreachable!()
                }
            });
            match number {
                Some((expected, number)) => {
                    assert_eq!(found.unwrap().name(number), Path::new(expected))
                }
                None => assert_eq!(found, None, "{name}"),
            }
        }
        assert!(Destination::of(Path::new("part-{}.jsonl"), Content::Records(None), None).is_err());
        assert_eq!(
            Destination::of(Path::new("kept/"), Content::Records(None), None).unwrap(),
            Destination::Folder("kept/".into())
        );
    }

    #[test]
    fn names_of_decisions() {
        for (name, expected) in [
            ("kept.jsonl.zst", "kept.decisions.jsonl.zst"),
            ("out/kept.parquet", "out/kept.decisions.jsonl"),
            ("clean/", "clean.decisions.jsonl"),
            ("part-{:05}.csv", "part-{:05}.decisions.jsonl"),
            ("s3://bucket/out/", "s3://bucket/out.decisions.jsonl"),
            ("s3://bucket/", "s3://bucket/lookalike.decisions.jsonl"),
        ] {
            assert_eq!(
                decisions_name(Path::new(name)),
                Path::new(expected),
                "{name}"
            );
        }
    }

    #[test]
    fn formats_that_cannot_be_written_become_json_lines() {
        let name = |name: &str, format| writable(name.into(), format).display().to_string();
        assert_eq!(name("a/b.warc.gz", Some(Format::Warc)), "a/b.jsonl.gz");
        assert_eq!(name("b.warc", None), "b.jsonl");
        assert_eq!(name("b.jsonl.zst", Some(Format::Lines)), "b.jsonl.zst");
    }

    #[test]
    fn numbered_outputs_are_not_mixed_with_those_of_another_run() {
        let folder = tempfile::tempdir().unwrap();
        let pattern = folder.path().join("part-{:05}.jsonl");
        let Destination::Numbered(numbered) = Destination::of(
            &pattern,
            Content::Records(None),
            Some(Limit::Bytes(NonZeroU64::MIN)),
        )
        .unwrap() else {
            panic!()
        };
        for (name, is_refused) in [
            ("part-x.jsonl", false),
            ("part-.jsonl", false),
            ("part-3.jsonl.gz", false),
            ("part-3.jsonl", true),
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
            assert_eq!(numbered.refuse_existing().is_err(), is_refused, "{name}");
        }
    }
}
