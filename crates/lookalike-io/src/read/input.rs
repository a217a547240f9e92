//! What the user names → the files that are meant, in an order that depends on names alone.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::WalkBuilder;
use serde::Serialize;

use super::{files::Files, packing::PACKED, reading::Reading, splits};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    input_table::InputTable,
    store::{self, Object},
};

/// One stream of lines.
#[derive(Debug, Clone)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// Files that are a document each.
    Files(Arc<Files>),
    /// An object in a store.
    Object(Arc<Object>),
    /// A command for the shell, and its number among the commands, from 1.
    Command(String, usize),
    /// A table in memory.
    Table(InputTable),
}

impl Input {
    /// The files that are documents.
    pub fn files(&self) -> Option<impl Iterator<Item = &Path>> {
        if let Self::Files(files) = self { Some(files.looks().map(|(path, ..)| path)) } else { None }
    }

    /// The name that messages and made-up ids use: the path as the user would write it.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".into(),
            Self::File(path) => path.display().to_string(),
            Self::Files(files) => files.name.clone(),
            Self::Object(object) => object.url().into(),
            Self::Command(_, number) => format!("command:{number}"),
            #[cfg(feature = "tables")]
            Self::Table(table) => table.name().into(),
            #[cfg(not(feature = "tables"))]
            Self::Table(table) => match *table {},
        }
    }

    /// What tells each of its files from others, however they are named, and its name.
    fn places(&self) -> Vec<(PathBuf, String)> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let place = match self {
            Self::Stdin => PathBuf::from("-"),
            Self::Command(line, _) => PathBuf::from(format!("command {line}")),
            Self::File(path) => real(path),
            Self::Object(object) => PathBuf::from(object.address()),
            Self::Table(_) => PathBuf::from(format!("table {}", self.name())),
            Self::Files(files) => {
                return files.looks().map(|(path, ..)| (real(path), path.display().to_string())).collect();
            }
        };
        vec![(place, self.name())]
    }
}

/// Files of folders that are not read, and that nobody has said to leave out.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// How many there are.
    pub files: u64,
    /// One of them.
    pub example: String,
    /// Why it is not read, and what to do to have it read.
    pub advice: String,
}

/// What is left out on the way.
#[derive(Default)]
struct Leaving {
    documents: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

impl Leaving {
    /// What is left out of all folders, and is no input by another name, if there are `several`.
    fn told(mut self, inputs: &[Input], several: bool) -> Option<LeftOut> {
        if several && !(self.documents.is_empty() && self.others.is_empty()) {
            let read: BTreeSet<PathBuf> = inputs.iter().flat_map(Input::places).map(|(place, _)| place).collect();
            let is_left = |path: &PathBuf| !read.contains(&path.canonicalize().unwrap_or_else(|_| path.clone()));
            self.documents.retain(is_left);
            self.others.retain(is_left);
        }
        let files = (self.documents.len() + self.others.len()) as u64;
        let (example, advice) = match (self.documents.first(), self.others.first()) {
            (Some(path), _) => {
                let advice = format!(
                    "where a folder has files of records, only these are read; to have documents read too, name them, as with \
                     the quoted glob '{}'",
                    like(path).display()
                );
                (path, advice)
            }
            (None, Some(path)) => {
                let advice = "of a folder only those are read whose endings say what they hold; name it to have it read";
                (path, advice.into())
            }
            (None, None) => return None,
        };
        Some(LeftOut { files, example: example.display().to_string(), advice })
    }
}

/// A glob for the files beside one that end as it does.
fn like(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = PACKED.into_iter().find(|packed| name.ends_with(packed)).unwrap_or_default();
    let stem = &name[..name.len() - packed.len()];
    let ending = stem.rfind('.').map_or("", |at| &stem[at..]);
    path.with_file_name(format!("*{ending}{packed}"))
}

/// What a run is asked to read.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Files, folders, globs, URLs, or `-` for standard input.
    pub names: &'a [String],
    /// Commands whose output is an input, behind the names.
    pub commands: &'a [String],
    /// Tables in memory, behind the commands.
    pub tables: &'a [InputTable],
    /// References, named as inputs are.
    pub against: &'a [String],
    /// Tables in memory, references behind the named ones.
    pub against_tables: &'a [InputTable],
    /// What all inputs hold; none for what their names and first bytes say.
    pub format: Option<Format>,
    /// In folders, leave out what `.gitignore` files say.
    pub gitignore: bool,
    /// Read all splits of a data set that a folder holds.
    pub all_splits: bool,
}

/// What a run reads.
pub struct Expanded {
    /// References first.
    pub inputs: Vec<Input>,
    /// How many of the inputs are references.
    pub references: usize,
    /// What folders hold that was left out.
    pub left_out: Option<LeftOut>,
}

/// The inputs of a run in the order given, commands behind them, tables last; inside a folder or a glob in the order of names.
pub fn expand(asked: Inputs<'_>) -> Result<Vec<Input>> {
    expand_into(asked, &mut Leaving::default())
}

fn expand_into(asked: Inputs<'_>, leaving: &mut Leaving) -> Result<Vec<Input>> {
    let naming = Naming { format: asked.format, gitignore: asked.gitignore, all_splits: asked.all_splits };
    let mut inputs = named(asked.names, naming, leaving)?;
    let commands = asked.commands.iter().cloned().zip(1..);
    inputs.extend(commands.map(|(line, number)| Input::Command(line, number)));
    inputs.extend(asked.tables.iter().cloned().map(Input::Table));
    if inputs.is_empty() {
        return Err(Error::new(
            ErrorKind::Input,
            "no input: name a file, a folder, a quoted glob, a URL, or - for standard input",
        ));
    }
    refuse_repeats(&inputs)?;
    Ok(inputs)
}

/// The references of a run and behind them its inputs, in the order given.
pub fn expand_with_references(asked: Inputs<'_>) -> Result<Expanded> {
    let mut leaving = Leaving::default();
    let own = expand_into(asked, &mut leaving)?;
    let mut inputs = references(asked, &own, &mut leaving)?;
    let references = inputs.len();
    inputs.extend(own);
    let left_out = leaving.told(&inputs, asked.names.len() + asked.against.len() > 1);
    Ok(Expanded { inputs, references, left_out })
}

/// The references that these inputs are compared with, in the order given; none where none is named.
fn references(asked: Inputs<'_>, inputs: &[Input], leaving: &mut Leaving) -> Result<Vec<Input>> {
    // References stay, so those of several splits take nothing from each other.
    let naming = Naming { format: asked.format, gitignore: asked.gitignore, all_splits: true };
    let mut references = named(asked.against, naming, leaving)?;
    references.extend(asked.against_tables.iter().cloned().map(Input::Table));
    refuse_repeats(&references)?;
    let inputs: BTreeMap<PathBuf, String> = inputs.iter().flat_map(Input::places).collect();
    match references.iter().flat_map(Input::places).find(|(place, _)| inputs.contains_key(place)) {
        None => Ok(references),
        Some((_, name)) => {
            let message = format!(
                "{name}: given twice, as an input and as what inputs are compared with, so that each of its documents would be \
                 found in itself; leave out one of the two"
            );
            Err(Error::new(ErrorKind::Input, message))
        }
    }
}

/// What holds decisions, a table or JSON Lines, under one name.
pub fn expand_decisions(name: &str) -> Result<Vec<Input>> {
    let naming = Naming { format: Reading::decisions(name).format, gitignore: false, all_splits: true };
    named(&[name.into()], naming, &mut Leaving::default())
}

/// What makes a name a glob.
const WILD: [char; 3] = ['*', '?', '['];

/// The path of an object inside the folder that was named.
fn below<'a>(url: &'a str, folder: &str) -> &'a str {
    url.strip_prefix(folder).unwrap_or(url.rsplit('/').next().unwrap_or(url)).trim_start_matches('/')
}

/// How names are taken.
#[derive(Clone, Copy)]
struct Naming {
    /// What all files hold, if the user says so.
    format: Option<Format>,
    /// Whether folders leave out what `.gitignore` files say.
    gitignore: bool,
    /// Whether a folder may hold several splits of a data set.
    all_splits: bool,
}

/// The files that names mean.
fn named(names: &[String], naming: Naming, leaving: &mut Leaving) -> Result<Vec<Input>> {
    let forced = naming.format;
    let mut inputs: Vec<Input> = Vec::new();
    let leaving = RefCell::new(leaving);
    for name in names {
        let path = Path::new(name);
        if name == "-" {
            inputs.push(Input::Stdin);
        } else if store::is_url(name) {
            let is_wanted = |object: &str| {
                let wanted = is_wanted(object);
                if !wanted && !is_decisions(object) {
                    leaving.borrow_mut().others.push(object.into());
                }
                wanted
            };
            let objects = store::expand(name, is_wanted)?;
            if !naming.all_splits && !name.contains(WILD) {
                let inside = objects.iter().map(|object| below(object.url(), name));
                splits::refuse_several(&store::shown_name(name), inside)?;
            }
            inputs.extend(objects.into_iter().map(Input::Object));
        } else if path.is_dir() {
            inputs.extend(folder(path, naming, &mut leaving.borrow_mut())?);
        } else if path.exists() {
            inputs.extend(files(name, vec![path.into()], forced)?);
        } else if name.contains(WILD) {
            inputs.extend(files(name, matching(name)?, forced)?);
        } else {
            return Err(Error::reading(name, &std::io::ErrorKind::NotFound.into()));
        }
    }
    Ok(inputs)
}

/// The collections in a folder; where there are none, its documents. A folder without any file is an empty collection; one with
/// other files alone is more likely the wrong folder. What `.gitignore` files say is left out on request, also
/// where there is no repository; what a machine's own settings of git say never is.
fn folder(path: &Path, naming: Naming, leaving: &mut Leaving) -> Result<Vec<Input>> {
    let Naming { format: forced, gitignore, all_splits } = naming;
    let (mut collections, mut documents, mut links, mut has_files) = (Vec::new(), Vec::new(), false, false);
    let mut walk = WalkBuilder::new(path);
    walk.standard_filters(false).hidden(true).git_ignore(gitignore).parents(gitignore).require_git(false);
    for entry in walk.follow_links(true).sort_by_file_name(Ord::cmp).build() {
        let refuse = |error: ignore::Error| {
            Error::new(
                ErrorKind::Input,
                format!("{}: cannot be listed: {error}; make it readable, or name files", path.display()),
            )
        };
        let entry = match entry {
            // A link that leads back: all behind it is met without it.
            Err(error) if is_loop(&error) => continue,
            Err(error) if let Some(link) = dangling(&error) => {
                let message = format!("{}: is a link to nothing; remove it, or name files", link.display());
                return Err(Error::new(ErrorKind::Input, message));
            }
            entry => entry.map_err(refuse)?,
        };
        links |= entry.path_is_symlink();
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        has_files = true;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_document = match forced {
            Some(format) => format.is_document(),
            None => Format::of_name(&name).is_some_and(Format::is_document),
        };
        if is_document {
            let id = entry.path().strip_prefix(path).unwrap_or(entry.path()).to_string_lossy().into_owned();
            documents.push((entry.into_path(), id));
        } else if is_wanted(&name) && forced.is_none_or(|format| Format::of_name(&name).is_none_or(|named| named.may_be(format)))
        {
            collections.push(entry.into_path());
        } else if !is_decisions(&name) {
            leaving.others.push(entry.into_path());
        }
    }
    if links {
        once(path, &mut collections, |path| path);
        once(path, &mut documents, |(path, _)| path);
    }
    if !collections.is_empty() {
        if !all_splits {
            let inside = collections.iter().filter_map(|file| file.strip_prefix(path).unwrap_or(file).to_str());
            splits::refuse_several(&path.display().to_string(), inside)?;
        }
        leaving.documents.extend(documents.into_iter().map(|(path, _)| path));
        return Ok(collections.into_iter().map(Input::File).collect());
    }
    if documents.is_empty() && has_files {
        let message = format!(
            "{}: no .jsonl, .ndjson, .csv, .tsv, .parquet, .arrow or .warc file in this folder, and no .txt, .md or .html; name the \
             files themselves, or take all of them for documents with --format text",
            path.display()
        );
        return Err(Error::new(ErrorKind::Input, message));
    }
    if !all_splits {
        splits::refuse_several_of_documents(&path.display().to_string(), documents.iter().map(|(_, id)| id.as_str()))?;
    }
    Ok(vec![Input::Files(Arc::new(Files::new(path.display().to_string(), documents, forced)?))])
}

/// Takes a file once that a folder has under several names, by links: under its own, if that is one of them.
fn once<T>(folder: &Path, files: &mut Vec<T>, path: impl Fn(&T) -> &PathBuf) {
    let root = folder.canonicalize().unwrap_or_else(|_| folder.into());
    let mut own: BTreeMap<PathBuf, (bool, usize)> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        let path = path(file);
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let is_link = path.strip_prefix(folder).map_or(true, |inside| root.join(inside) != real);
        let best = own.entry(real).or_insert((is_link, at));
        *best = (*best).min((is_link, at));
    }
    let kept: BTreeSet<usize> = own.into_values().map(|(_, at)| at).collect();
    let mut at = 0..;
    files.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
}

fn is_loop(error: &ignore::Error) -> bool {
    match error {
        ignore::Error::Loop { .. } => true,
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => is_loop(err),
        _ => false,
    }
}

/// The link to nothing that could not be looked at.
fn dangling(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithDepth { err, .. } => dangling(err),
        ignore::Error::WithPath { path, err } => {
            let is_absent = err.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
            (is_absent && path.is_symlink()).then(|| path.clone())
        }
        _ => None,
    }
}

/// Files that were named: those that are documents together.
fn files(name: &str, paths: Vec<PathBuf>, forced: Option<Format>) -> Result<Vec<Input>> {
    let (mut inputs, mut documents) = (Vec::new(), Vec::new());
    let together = |documents: &mut Vec<(PathBuf, String)>, inputs: &mut Vec<Input>| {
        if !documents.is_empty() {
            inputs.push(Input::Files(Arc::new(Files::new(name.into(), std::mem::take(documents), forced)?)));
        }
        Ok::<_, Error>(())
    };
    for path in paths {
        let shown = path.display().to_string();
        let format = match (forced, Format::of_name(&shown)) {
            (Some(format), _) => format,
            // A .txt may be JSON Lines.
            (None, Some(format)) if format.is_document() && path.is_file() => super::source::look(&path, &shown)?,
            _ => Format::Lines,
        };
        if format.is_document() && path.is_file() {
            documents.push((path, shown));
        } else {
            together(&mut documents, &mut inputs)?;
            inputs.push(Input::File(path));
        }
    }
    together(&mut documents, &mut inputs)?;
    Ok(inputs)
}

/// Whether a file of this name is taken from a folder.
fn is_wanted(name: &str) -> bool {
    let name = PACKED.iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    let is_data = Format::of_name(name).is_some_and(|format| !format.is_document()) && !name.ends_with(".json");
    is_data && !is_decisions(name)
}

/// Whether a file of this name is what an earlier run wrote beside what it kept, which is no collection.
fn is_decisions(name: &str) -> bool {
    let name = PACKED.iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    name.rsplit_once('.').is_some_and(|(stem, _)| stem.ends_with(".decisions"))
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let refuse = |what: String| Error::new(ErrorKind::Input, format!("{pattern}: {what}"));
    let mut found = Vec::new();
    for path in glob::glob(pattern).map_err(|error| refuse(format!("not a glob: {error}")))? {
        let path = path.map_err(|error| refuse(format!("cannot be listed: {error}")))?;
        if path.is_file() {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(refuse("no file matches; check the pattern, and quote it so that the shell leaves it alone".into()));
    }
    found.sort();
    Ok(found)
}

/// An input named twice would make each of its documents its own duplicate.
fn refuse_repeats(inputs: &[Input]) -> Result<()> {
    let mut seen = BTreeMap::new();
    for (place, name) in inputs.iter().flat_map(Input::places) {
        if let Some(first) = seen.insert(place, name.clone()) {
            let message = format!("{name}: given twice (first as {first}); name each input once");
            return Err(Error::new(ErrorKind::Input, message));
        }
    }
    Ok(())
}
