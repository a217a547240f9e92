//! The options of `cut`, and its plan.

use std::{path::PathBuf, str::FromStr};

use lookalike::{
    Config,
    cluster::Keep,
    cut::{CutConfig, Unit, Within},
    text::TokensBy,
};
use lookalike_io::error::{Error, ErrorKind, Result};
use lookalike_options::{
    Execution, Folding, Given, Inputs, OutputFiles, Page, Parsed, References, SavedProgress,
    choice, choice_of, options, refuse_other,
};

use super::asked::Cutting;
use crate::config::{ReportConfig, Resume, RunConfig};

/// The tokens of passages.
const OF_CUTS: &[TokensBy] = &[
    TokensBy::Auto,
    TokensBy::Words,
    TokensBy::Chars,
    TokensBy::Jieba,
];

options! {
/// The options of `cut`.
#[command(mut_arg("set_field", |arg| arg.hide(true)))]
pub struct CutOptions {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub references: References,
    /// Write the records with the remaining texts to FILE (- for standard output)
    ///
    /// FILE can be an s3://, gs:// or az:// URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br. If FILE is a
    /// folder, such as clean/, it gets one file for each input file, with the same relative name, format and compression.
    /// From folders and archives of text files, the texts are written as files.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub files: OutputFiles,
    /// Cut nothing; write all records with what would be cut
    ///
    /// The fields cut_verdict and cut_spans are added after the fields of the record. In CSV, the spans are JSON.
    #[arg(long)]
    pub mark: bool,
    /// With --mark: prefix for the names of the two fields [default: cut_]
    #[arg(long, value_name = "PREFIX")]
    pub mark_prefix: Option<String>,
    /// Write the places of all cuts and of their sources to FILE
    ///
    /// The file is JSON Lines, compressed as for -o; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub cuts: Option<PathBuf>,
    /// Write the places of all cuts to FILE, as attributes for Dolma
    ///
    /// The file is JSON Lines with one line per document, in input order. The attribute lookalike__cut has the spans in characters that are
    /// cut, each with the score 1, and lookalike__dropped has the whole text if the document is dropped.
    #[arg(long, value_name = "FILE")]
    pub dolma: Option<PathBuf>,
    /// What is compared and cut [default: runs]
    #[arg(long, value_parser = choice::<Unit>(), value_name = "UNIT")]
    pub unit: Option<Unit>,
    /// Units in the shortest passage that is cut [default: 50 for runs, else 1]
    #[arg(long, value_name = "N")]
    pub window: Option<usize>,
    /// Cut a passage only if at least K earlier documents contain it [default: 1]
    ///
    /// The first K documents with the passage keep it. The document itself counts as one of K if it has the passage before.
    #[arg(long, value_name = "K")]
    pub more_than: Option<usize>,
    /// Compare a document with all documents, itself, or its group [default: all]
    ///
    /// One of all, document and group:FIELD. Documents with the same value of FIELD are a group, and so are documents without a
    /// value.
    #[arg(long, value_name = "WHERE")]
    pub within: Option<Parsed<CutWithin>>,
    /// Minimum number of tokens in a passage [default: 5; none for runs]
    ///
    /// If single tokens were cut, every repeated } or "return" would be.
    #[arg(long, value_name = "N")]
    pub min_tokens: Option<usize>,
    /// Drop a document if fewer than N tokens are left after a cut [default: 1]
    #[arg(long, value_name = "N")]
    pub min_left: Option<usize>,
    /// Cut only if the original bytes are equal too
    ///
    /// With --unit runs, the separators after a token are compared too.
    #[arg(long)]
    pub verbatim: bool,
    /// With --unit runs: cut only lines that are completely in repeated runs
    #[arg(long)]
    pub whole_lines: bool,
    /// Which copy to keep: first, longest, newest:FIELD, max:FIELD or min:FIELD [default: first]
    ///
    /// Documents are processed in this order, and the first one that contains a passage keeps it.
    #[arg(long, value_name = "ORDER")]
    pub keep: Option<Parsed<Keep>>,
    /// What a token is [default: auto]
    #[arg(long, value_parser = choice_of(OF_CUTS), help_heading = "Comparison")]
    pub tokens: Option<TokensBy>,
    #[command(flatten)]
    pub folding: Folding,
    #[command(flatten)]
    pub page: Page,
    #[command(flatten)]
    pub saved: SavedProgress,
    #[command(flatten)]
    pub execution: Execution,
}
}

/// Which documents are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CutWithin {
    /// All documents.
    All,
    /// Each document with itself.
    Document,
    /// Those with the same value of a field.
    Group(String),
}

impl FromStr for CutWithin {
    type Err = &'static str;

    fn from_str(given: &str) -> std::result::Result<Self, Self::Err> {
        match (given, given.strip_prefix("group:")) {
            ("all", _) => Ok(Self::All),
            ("document", _) => Ok(Self::Document),
            (_, Some(field)) if !field.is_empty() => Ok(Self::Group(field.into())),
            _ => Err("give all, document, or group:FIELD, such as group:site"),
        }
    }
}

/// The prefix of the fields of a mark.
const MARK: &str = "cut_";

impl CutOptions {
    /// Returns the run that these options describe, and what is cut. `references` says whether there are references that the options
    /// do not name.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(&self, references: bool) -> Result<(RunConfig, Cutting)> {
        let given = Given::of(self).and("against", references);
        given.check()?;
        refuse_other("tokens", self.tokens, OF_CUTS)?;
        if self.inputs.records.fields.set_field.is_some() {
            let what = "$set_field: a set has no passages";
            return Err(Error::new(ErrorKind::Config, what)
                .advise("leave it out, or use `lookalike dedup`"));
        }
        let within = self.within.as_ref().map(|Parsed(within)| within);
        if given.has("against") && !matches!(within, None | Some(CutWithin::All)) {
            let what = "$within: references are compared with all documents; leave out $within, or cut in two runs";
            return Err(Error::new(ErrorKind::Config, what));
        }
        let method = Config {
            tokens: self.tokens.unwrap_or_default(),
            folds: self.folding.folds(),
            ..Config::default()
        };
        let run = RunConfig {
            keep: Some(self.keep.clone().map_or(Keep::First, |Parsed(keep)| keep)),
            report: ReportConfig::at(&self.page),
            resume: Resume::of(&self.saved),
            output_format: self.files.output_format,
            limit: self.files.limit(),
            label_field: match within {
                Some(CutWithin::Group(field)) => Some(field.clone()),
                _ => None,
            },
            ..RunConfig::against(&self.references, &self.inputs, &self.execution, method)
        };
        let usual = CutConfig::default();
        let cut = CutConfig {
            unit: self.unit.unwrap_or(usual.unit),
            window: self.window,
            more_than: self.more_than.unwrap_or(usual.more_than),
            within: if within == Some(&CutWithin::Document) {
                Within::Document
            } else {
                Within::All
            },
            min_tokens: self.min_tokens,
            min_left: self.min_left.unwrap_or(usual.min_left),
            verbatim: self.verbatim,
            whole_lines: self.whole_lines,
            ..usual
        };
        let cutting = Cutting {
            cut,
            texts: self.output.clone(),
            mark: self
                .mark
                .then(|| self.mark_prefix.clone().unwrap_or_else(|| MARK.into())),
            cuts: self.cuts.clone(),
            attributes: self.dolma.clone(),
        };
        Ok((run, cutting))
    }
}
