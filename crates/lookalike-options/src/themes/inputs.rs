//! The inputs of a run, and how their records are read.

use std::path::PathBuf;

use lookalike::Config;
use lookalike_io::{
    error::Result,
    format::{Format, Html},
};

use super::shingling::as_sets;
use crate::{choice, not_together, options, values::Delimiter};

options! {
/// The inputs of a run.
pub struct Inputs {
    /// Files, folders, quoted globs or URLs (- for standard input)
    ///
    /// JSON Lines, JSON arrays, CSV, TSV and WARC files can be plain or compressed (.gz, .zst, .bz2, .xz, .lz4 or .br). Parquet
    /// and Arrow files are recognised by .parquet, .arrow and .feather. A .txt, .md, .html or similar file is one document. A
    /// .zip or .tar archive, also a compressed one, is read like a folder of such files. URLs can be s3://, gs:// and az://, or https://
    /// for a single file.
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// Run COMMAND with sh -c and read its output after the named inputs
    ///
    /// The output can be plain or compressed, but not with brotli. A run can read its inputs several times; COMMAND is run again
    /// each time and must print the same data. Repeat the flag for several commands. A record without an id gets the id
    /// command:N:line, where N is the number of the command.
    #[arg(long, value_name = "COMMAND", help_heading = "Input")]
    pub input_command: Vec<String>,
    #[command(flatten)]
    pub records: Records,
}

/// How records are read.
pub struct Records {
    /// Format of all inputs [default: detected by extension and first bytes]
    #[arg(long, value_parser = choice::<Format>(), value_name = "FORMAT", help_heading = "Input")]
    pub format: Option<Format>,
    #[command(flatten)]
    pub files: RecordFiles,
    /// In folders, skip files that .gitignore files exclude
    #[arg(long, help_heading = "Input")]
    pub gitignore: bool,
    /// Parse texts as HTML and compare this part of each page
    ///
    /// [default: only .html files and HTML records are parsed, and their visible text is compared]
    #[arg(long, value_parser = choice::<Html>(), value_name = "WHAT", help_heading = "Input")]
    pub html: Option<Html>,
    #[command(flatten)]
    pub fields: Fields,
    /// Skip bad lines, count them and write them to FILE
    ///
    /// Without this flag, the first bad line ends the run. FILE can be - for standard output.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub skip_bad: Option<PathBuf>,
}

/// How records are read, also by jobs that read no texts.
pub struct RecordFiles {
    /// Read all splits of a dataset folder, such as train and test, together
    ///
    /// Without this flag, a folder with several splits is an error.
    #[arg(long, help_heading = "Input")]
    pub all_splits: bool,
    /// Field delimiter of CSV [default: a tab in .tsv, detected otherwise]
    ///
    /// The detected delimiter is the comma, semicolon, tab or vertical bar, whichever occurs most often in the header.
    #[arg(long, value_name = "CHARACTER", help_heading = "Input")]
    pub delimiter: Option<Delimiter>,
    /// Encoding of inputs that are not UTF-8, such as windows-1252 or gbk
    ///
    /// The flag applies to JSON Lines, and to CSV that is neither UTF-8 nor UTF-16. The encoding of text and HTML documents is
    /// detected unless this flag is given.
    #[arg(long, value_name = "LABEL", help_heading = "Input")]
    pub encoding: Option<String>,
    /// Allow duplicate ids
    #[arg(long, help_heading = "Input")]
    pub allow_repeated_ids: bool,
}

/// The fields of a record.
pub struct Fields {
    /// Field or column with the text [default: text]
    ///
    /// A name with dots, such as meta.text, is the field with exactly this name or, if there is none, a path into objects and
    /// structs. The same rule applies to all flags that name fields. In CSV, a name is always the exact name of a column.
    ///
    /// Several fields are one text: --text-field title,body. In JSON and tables, messages[].content has the texts of all elements of an
    /// array. Blank lines separate the parts, and parts that are missing or null are left out.
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub text_field: Option<String>,
    /// Compare sets: field with a JSON array of strings and numbers
    ///
    /// In CSV, the field is a column that contains such arrays; in tables, it is a column of lists. Each item is compared
    /// unchanged and as a whole. --keep longest keeps the set with the most items.
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub set_field: Option<String>,
    /// Field or column with the id [default: id]
    ///
    /// An id is a string or a number. A record without this field gets an id of the form file:line.
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub id_field: Option<String>,
}
}

impl Fields {
    /// Returns the field that is compared.
    pub fn text(&self) -> &str {
        let field = self.set_field.as_ref().or(self.text_field.as_ref());
        field.map_or("text", String::as_str)
    }

    /// Returns the field with the id.
    pub fn id(&self) -> &str {
        self.id_field.as_deref().unwrap_or("id")
    }

    /// Turns a configuration for texts into one for sets if documents are sets.
    ///
    /// # Errors
    /// Fails if the configuration has settings that sets do not have.
    pub fn of_sets(&self, config: Config) -> Result<Config> {
        match (&self.set_field, &self.text_field) {
            (None, _) => Ok(config),
            (Some(_), None) => as_sets(config),
            (Some(_), Some(_)) => Err(not_together("text_field", "set_field")),
        }
    }
}
