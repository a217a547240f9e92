//! Errors about files. An error consists of its place, the configuration field that it concerns, a description of what is wrong,
//! and advice on what to do. The command, Python and other front ends call the fields by their own names ([`Front`]).

use std::{
    any::Any,
    borrow::Cow,
    fmt, io,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::Arc,
};

use lookalike::shown;
use serde::{Deserialize, Serialize, Serializer};

mod place;

mod setting;

mod words;

pub use place::Place;
pub use setting::Setting;
pub use words::{Front, Neutral, Words};

use crate::words;

/// The result of a function of the engine.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure: its kind, its place, what is wrong and what to do. [`Display`](fmt::Display) uses the configuration's names of
/// fields; [`rendered`](Self::rendered) uses those of a front end.
#[derive(Debug, Clone)]
pub struct Error(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    kind: ErrorKind,
    place: Place,
    /// The line that the error concerns, counted from 0 in its block (some consecutive records). It is set only until the
    /// position of the block is known.
    record: Option<u64>,
    option: Option<Setting>,
    what: Words,
    advice: Words,
    joint: &'static str,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The kind of a failure, for exit codes, exception classes and HTTP statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The configuration is invalid.
    Config,
    /// An input cannot be found, opened, read or decompressed.
    Input,
    /// A line is not a usable record.
    Record,
    /// An output cannot be written.
    Output,
    /// The reader of an output pipe closed the pipe. This is not an error of lookalike.
    BrokenPipe,
    /// Temporary files cannot be written or read.
    Temporary,
    /// The caller cancelled the run through its observer.
    Interrupted,
    /// An internal error of lookalike.
    Internal,
}

/// The separators in a message between the description of an error and the advice.
const SEMICOLON: &str = "; ";
const COLON: &str = ": ";

impl Error {
    /// Creates an error from a description of what is wrong; its place and advice are added later.
    pub fn new(kind: ErrorKind, what: impl Into<Words>) -> Self {
        let (place, what, advice) = (Place::default(), what.into(), Words::default());
        Self(Box::new(Parts {
            kind,
            place,
            record: None,
            option: None,
            what,
            advice,
            joint: SEMICOLON,
            source: None,
        }))
    }

    /// Creates an error for a record that cannot be used.
    pub fn record(what: impl Into<Words>) -> Self {
        Self::new(ErrorKind::Record, what)
    }

    /// Sets the line, counted from 0 in its block. The message begins with `path:line: ` once the error is
    /// [placed](Self::placed).
    #[must_use]
    pub fn of_line(mut self, line: u64) -> Self {
        self.0.record = Some(line);
        self
    }

    /// Sets the input, folder or object; its name is shown before the message.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.0.place.path = Some(path.into());
        self
    }

    /// Sets the place in an input. A field or byte that is already known is kept if `place` has none.
    #[must_use]
    pub fn at_place(mut self, place: Place) -> Self {
        let known = std::mem::replace(&mut self.0.place, place);
        self.0.place.field = self.0.place.field.take().or(known.field);
        self.0.place.byte = self.0.place.byte.or(known.byte);
        self
    }

    /// Sets the field or column of the record. This does not change the message; to name the field there, include it in the
    /// description of what is wrong.
    #[must_use]
    pub fn in_field(mut self, field: impl Into<String>) -> Self {
        self.0.place.field = Some(field.into());
        self
    }

    /// Sets the byte of the line or field, counted from 1. This does not change the message; to name the byte there, include it
    /// in the description of what is wrong.
    #[must_use]
    pub fn at_byte(mut self, byte: u64) -> Self {
        self.0.place.byte = Some(byte);
        self
    }

    /// Sets the configuration field that causes the error, if that is not the first field that the message names.
    #[must_use]
    pub fn about(mut self, option: impl Into<Option<Setting>>) -> Self {
        self.0.option = option.into();
        self
    }

    /// Replaces a setting in the message with the setting that the user gave.
    #[must_use]
    pub fn naming(mut self, old: Setting, new: Setting) -> Self {
        let parts = &mut *self.0;
        for words in [&mut parts.what, &mut parts.advice] {
            *words = std::mem::take(words).naming(old, new);
        }
        parts.option = parts
            .option
            .map(|option| if option == old { new } else { option });
        self
    }

    /// Adds advice, after any existing advice.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<Words>) -> Self {
        let before = std::mem::take(&mut self.0.advice);
        self.0.advice = if before == Words::default() {
            advice.into()
        } else {
            words![before, SEMICOLON, advice]
        };
        self
    }

    /// Adds advice after a colon instead of a semicolon. This is for advice that explains why the request is impossible, or that
    /// continues the same sentence.
    #[must_use]
    pub fn instead(mut self, advice: impl Into<Words>) -> Self {
        self.0.joint = COLON;
        self.advise(advice)
    }

    /// Sets the cause.
    #[must_use]
    pub fn because(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Sets the final place of an error about a line, once the position of the line's block is known. `place` maps the line's
    /// number in the block to its place.
    #[must_use]
    pub fn placed(mut self, place: impl FnOnce(u64) -> Place) -> Self {
        match self.0.record.take() {
            Some(line) => self.at_place(place(line)),
            None => self,
        }
    }

    /// Creates an error for a configuration that another library rejects. The message of that library is shown to the user.
    pub fn config(refused: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(ErrorKind::Config, refused.to_string()).because(refused)
    }

    /// Creates an error for a panic of a run.
    pub fn of_panic(panic: &(dyn Any + Send)) -> Self {
        Self::failure(said(panic).to_owned())
    }

    /// Creates an internal error.
    pub fn failure(what: impl Into<Words>) -> Self {
        Self::new(ErrorKind::Internal, words!["lookalike failed: ", what])
            .advise("please report it")
    }

    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the same error with another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Returns the error's place.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// Returns the configuration field that the error concerns: the field that causes the error if it was set, otherwise the
    /// first field that the message names.
    pub fn option(&self) -> Option<Setting> {
        let named = || {
            self.0
                .what
                .settings()
                .chain(self.0.advice.settings())
                .next()
        };
        self.0.option.or_else(named)
    }

    /// Returns all settings that the message names, and the one that it is about.
    pub fn settings(&self) -> impl Iterator<Item = Setting> {
        let core = self
            .0
            .source
            .as_deref()
            .and_then(|source| source.downcast_ref());
        let fields = core.map_or(&[][..], |error: &lookalike::Error| error.kind().fields());
        let (what, advice) = (self.0.what.settings(), self.0.advice.settings());
        what.chain(advice)
            .chain(self.option())
            .chain(fields.iter().map(|&name| Setting(name)))
    }

    /// Returns what is wrong.
    pub fn what(&self) -> &Words {
        &self.0.what
    }

    /// Returns what to do; empty if there is no advice.
    pub fn advice(&self) -> &Words {
        &self.0.advice
    }

    /// Returns the message, in which configuration fields have the names of a front end. The message is safe to print on a
    /// terminal: it is on one line, and control characters in names and data are escaped. Its length is limited, even if it
    /// quotes long data.
    pub fn rendered(&self, front: &dyn Front) -> String {
        let Parts {
            place,
            what,
            advice,
            joint,
            ..
        } = &*self.0;
        let (place, what, advice) = (place.shown(), what.rendered(front), advice.rendered(front));
        let parts = [
            place.as_deref().unwrap_or_default(),
            if place.is_some() { ": " } else { "" },
            &what,
        ];
        let advice = [if advice.is_empty() { "" } else { joint }, &advice];
        shown::message(&[&parts[..], &advice[..]].concat().concat()).into_owned()
    }

    /// Returns what is wrong and what to do, for an error about a system limit other than disk space.
    fn of_limits(error: &io::Error) -> Option<(&'static str, Words)> {
        // The numbers are EMFILE and ENFILE, for which the standard library has no kind of error.
        if cfg!(unix) && matches!(error.raw_os_error(), Some(24 | 23)) {
            let advice =
                words!["raise the limit, for example with ulimit -n 4096, or lower $threads"];
            return Some(("too many files are open", advice));
        }
        let is_large = error.kind() == io::ErrorKind::FileTooLarge;
        is_large.then(|| {
            (
                "the file is larger than the system allows",
                "raise the limit (ulimit -f), or write to another disk".into(),
            )
        })
    }

    /// Returns the lookalike error that a system error carries.
    fn carried(error: &io::Error) -> Option<Self> {
        error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Self>())
            .cloned()
    }

    /// Sets a system error as the cause.
    fn of_system(self, error: &io::Error) -> Self {
        self.because(match error.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::new(error.kind(), error.to_string()),
        })
    }

    /// Returns the error for a failure to read an input. If the system error carries a lookalike error, that error is returned.
    pub fn reading(path: &str, error: &io::Error) -> Self {
        if let Some(ours) = Self::carried(error) {
            return ours;
        }
        let (what, advice): (Words, Words) = match error.kind() {
            _ if let Some((what, advice)) = Self::of_limits(error) => {
                (words!["cannot be read: ", what], advice)
            }
            io::ErrorKind::NotFound => (
                "no such file".into(),
                "check the name, or give a folder or a quoted glob".into(),
            ),
            io::ErrorKind::PermissionDenied => {
                ("permission denied".into(), "make the file readable".into())
            }
            io::ErrorKind::UnexpectedEof => (
                "the compressed data ends in the middle: the file is truncated".into(),
                "copy or download it again".into(),
            ),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => (
                format!("the compressed data is damaged ({error})").into(),
                "copy or download it again".into(),
            ),
            _ => {
                let advice = "check the disk, or copy the file to another disk and read it there";
                (format!("cannot be read: {error}").into(), advice.into())
            }
        };
        Self::new(ErrorKind::Input, what)
            .at(path)
            .advise(advice)
            .of_system(error)
    }

    /// Returns the error for a failure to write an output. If the system error carries a lookalike error, that error is returned.
    pub(crate) fn writing(path: &str, error: &io::Error) -> Self {
        if let Some(ours) = Self::carried(error) {
            return ours;
        }
        let (what, advice): (String, Words) = match error.kind() {
            _ if let Some((what, advice)) = Self::of_limits(error) => (what.into(), advice),
            io::ErrorKind::BrokenPipe => {
                return Self::new(ErrorKind::BrokenPipe, error.to_string())
                    .at(path)
                    .of_system(error);
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
                "no space left".into(),
                "free some space or write elsewhere".into(),
            ),
            io::ErrorKind::PermissionDenied => (
                "permission denied".into(),
                "write to a folder that you can write to".into(),
            ),
            io::ErrorKind::NotFound => {
                ("its folder does not exist".into(), "create it first".into())
            }
            io::ErrorKind::ReadOnlyFilesystem => (
                "the file system is read-only".into(),
                "write elsewhere".into(),
            ),
            io::ErrorKind::NotADirectory => (
                "there is a file where a folder is needed".into(),
                "give the name of another folder".into(),
            ),
            io::ErrorKind::IsADirectory => {
                ("it is a folder".into(), "give the name of a file".into())
            }
            // An error of the kind `Other` has a message that lookalike itself wrote.
            io::ErrorKind::Other => (error.to_string(), Words::default()),
            _ => (
                error.to_string(),
                "check the disk, or write elsewhere".into(),
            ),
        };
        let name = if path == "-" { "standard output" } else { path };
        Self::new(ErrorKind::Output, words!["cannot be written: ", what])
            .at(name)
            .advise(advice)
            .of_system(error)
    }

    /// Returns the error for a failure of a temporary file in a folder.
    pub fn temporary(folder: &Path, error: &io::Error) -> Self {
        let (what, limits) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                ("no space left".into(), None)
            }
            _ => Self::of_limits(error).map_or_else(
                || (error.to_string(), None),
                |(what, advice)| (what.into(), Some(advice)),
            ),
        };
        let folder = folder.display().to_string();
        let what = words![
            format!("temporary files in {}: ", shown::path(&folder)),
            what
        ];
        let failure = limits
            .into_iter()
            .fold(Self::new(ErrorKind::Temporary, what), Self::advise);
        let failure = failure
            .advise("choose another folder with $temp_dir")
            .about(Setting("temp_dir"));
        failure.of_system(error)
    }

    /// Returns the error for a failure to keep a run's state in a folder.
    pub fn state(folder: &Path, error: &io::Error) -> Self {
        let (what, limits, advice): (String, Option<Words>, Words) = match error.kind() {
            _ if let Some((what, advice)) = Self::of_limits(error) => (
                what.into(),
                Some(advice),
                "then run the same command again, which continues from there".into(),
            ),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
                "no space left".into(),
                None,
                "free some space and run the same command again, which continues from there".into(),
            ),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => (
                error.to_string(),
                None,
                words!["give $resume a folder that you can write to"],
            ),
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => (
                "is not a directory".into(),
                None,
                words!["give $resume the name of a new folder"],
            ),
            _ => {
                let advice =
                    "check the disk and run the same command again, which continues from there";
                (error.to_string(), None, advice.into())
            }
        };
        let folder = folder.display().to_string();
        let folder = shown::path(&folder);
        let what = match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                format!("{folder} {what}")
            }
            _ => format!("the state in {folder}: {what}"),
        };
        let failure = limits
            .into_iter()
            .fold(Self::new(ErrorKind::Temporary, what), Self::advise);
        failure
            .advise(advice)
            .about(Setting("resume"))
            .of_system(error)
    }
}

/// Runs `work` and turns a panic into an error. Data that was being changed during the panic must not be used any more.
pub fn without_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let worked = panic::catch_unwind(AssertUnwindSafe(work));
    worked.unwrap_or_else(|panic| Err(Error::of_panic(&*panic)))
}

/// Returns the message of a panic.
pub fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
}

/// The failure of a record in serialised form, so that another process can report the failure.
#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    place: Cow<'a, Place>,
    option: Option<Setting>,
    what: Cow<'a, Words>,
    advice: Cow<'a, Words>,
    after_colon: bool,
}

impl Error {
    /// Returns the failure of a record as a text, from which [`of_saved`](Self::of_saved) restores it without its cause.
    pub fn saved(&self) -> String {
        let Parts {
            place,
            option,
            what,
            advice,
            joint,
            ..
        } = &*self.0;
        let [what, advice] = [what, advice].map(Cow::Borrowed);
        let saved = Saved {
            place: Cow::Borrowed(place),
            option: *option,
            what,
            advice,
            after_colon: *joint == COLON,
        };
        serde_json::to_string(&saved).unwrap_or_default()
    }

    /// Restores the failure of a record from the text that [`saved`](Self::saved) returned. Returns `None` for any other text.
    pub fn of_saved(text: &str) -> Option<Self> {
        let Saved {
            place,
            option,
            what,
            advice,
            after_colon,
        } = serde_json::from_str(text).ok()?;
        let error = Self::record(what.into_owned())
            .at_place(place.into_owned())
            .about(option);
        let advice = advice.into_owned();
        Some(if after_colon {
            error.instead(advice)
        } else {
            error.advise(advice)
        })
    }
}

/// Serialises an error as its message, in which fields have their names from the configuration.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Compares two errors without their causes.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let said = |error: &Self| {
            let Parts {
                kind,
                place,
                record,
                option,
                what,
                advice,
                joint,
                source: _,
            } = &*error.0;
            (
                *kind,
                place.clone(),
                *record,
                *option,
                what.clone(),
                advice.clone(),
                *joint,
            )
        };
        said(self) == said(other)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered(&Neutral))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<lookalike::Error> for Error {
    fn from(error: lookalike::Error) -> Self {
        let option = error.kind().field().map(Setting);
        Self::config(error).about(option)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_has_a_control_character() {
        let name = "a\x1b[2J\nb\u{202e}";
        let shown = "a\\u001b[2J\\u000ab\\u202e:";
        let missing = io::ErrorKind::NotFound.into();
        for error in [
            Error::reading(name, &missing),
            Error::new(ErrorKind::Record, "x").placed(|_| unreachable!()),
            Error::record("\x07")
                .of_line(1)
                .placed(|line| Place::line(name, line)),
        ] {
            let message = error.to_string();
            assert!(
                !message.chars().any(lookalike::shown::is_command),
                "{message}"
            );
            assert!(message.starts_with(shown) || message == "x", "{message}");
        }
    }

    #[test]
    fn a_front_end_uses_its_own_names_for_fields() {
        struct Flags;
        impl Front for Flags {
            fn setting(&self, setting: Setting) -> std::borrow::Cow<'static, str> {
                format!("--{}", setting.name().replace('_', "-")).into()
            }

            fn with_value(&self, setting: Setting, value: &str) -> String {
                format!("{} {value}", self.setting(setting))
            }
        }
        let error = Error::record("field text is null")
            .in_field("text")
            .advise("give a string, or name another with $text_field")
            .advise("of CSV say $format=csv")
            .of_line(3);
        let error = error.placed(|line| Place::line("a.jsonl", line + 1));
        let message = "a.jsonl:4: field text is null; give a string, or name another with --text-field; of CSV say --format csv";
        assert_eq!(error.rendered(&Flags), message);
        assert_eq!(
            error.to_string(),
            message
                .replace("--text-field", "text_field")
                .replace("--format csv", "format=csv")
        );
        assert_eq!(error.option(), Some(Setting("text_field")));
        assert_eq!(
            error.about(Setting("set_field")).option(),
            Some(Setting("set_field"))
        );
    }

    #[test]
    fn an_error_has_its_place_and_its_cause() {
        let error = Error::reading("a.jsonl", &io::Error::from_raw_os_error(2));
        assert_eq!(error.place(), &Place::of("a.jsonl"));
        assert_eq!(
            error.to_string(),
            "a.jsonl: no such file; check the name, or give a folder or a quoted glob"
        );
        let cause =
            std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<io::Error>());
        assert_eq!(cause.and_then(io::Error::raw_os_error), Some(2));
        let refused = Error::from(lookalike::Error::from(lookalike::ErrorKind::Threshold(1.5)));
        assert_eq!(refused.option(), Some(Setting("threshold")));
        let saved = Error::record("a$keep")
            .at_place(Place::line("x", 2))
            .instead("b");
        let again = Error::of_saved(&saved.saved()).unwrap();
        assert_eq!(
            (again.to_string(), again.place()),
            ("x:2: akeep: b".into(), saved.place())
        );
        assert!(Error::of_saved("no such text").is_none());
        // An error is one pointer, so results are as small as possible.
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
