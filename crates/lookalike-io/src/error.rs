//! What can go wrong with files, told so that the user knows where to look and what to do.

use std::{
    any::Any,
    borrow::Cow,
    fmt, io,
    panic::{self, AssertUnwindSafe},
    path::Path,
};

use lookalike::shown::{self, message};

/// The result of an engine function.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure. Its message names the file, the line and the field where there are such, and says what to do.
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    /// The line that the message is about, counted from 0 in its block, until it is known where the block begins.
    line: Option<u64>,
}

/// What sort of failure: for exit codes, exception classes, HTTP statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The configuration cannot be.
    Config,
    /// An input cannot be found, opened, read or decompressed.
    Input,
    /// A line is no usable record.
    Record,
    /// An output cannot be written.
    Output,
    /// The reader of our output has gone: no failure of ours.
    BrokenPipe,
    /// Temporary files cannot be written or read.
    Temporary,
    /// The one who asked for the run wants it no more: its observer said so.
    Interrupted,
    /// A fault of lookalike's own.
    Internal,
}

impl Error {
    /// A message may be printed on a terminal: control characters of names and data in it are written out. Nor is it longer than
    /// a message should be, whatever it quotes.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: on_one_line(message.into()), line: None }
    }

    /// A failure of a line, counted from 0 in its block: `path:line: ` comes before the message once it is known.
    pub fn on_line(kind: ErrorKind, line: u64, message: impl Into<String>) -> Self {
        Self { kind, message: on_one_line(message.into()), line: Some(line) }
    }

    /// Says where the failure is, if it is in a line, now that the number of its block's first line is known: `place` tells of a
    /// line's number in the block where that is.
    pub fn placed(self, place: impl FnOnce(u64) -> String) -> Self {
        match self.line {
            Some(line) => Self::new(self.kind, format!("{}: {}", place(line), self.message)),
            None => self,
        }
    }

    /// A configuration that another refuses in words for the user.
    pub fn config(refused: impl std::error::Error) -> Self {
        Self::new(ErrorKind::Config, refused.to_string())
    }

    /// What a panic has made of a run.
    pub fn of_panic(panic: &(dyn Any + Send)) -> Self {
        Self::new(ErrorKind::Internal, panicked(panic))
    }

    /// What sort of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong and what to do, of a limit of the system that is none of the disk's.
    fn of_limits(error: &io::Error) -> Option<&'static str> {
        // EMFILE and ENFILE: the standard library has no kind for them.
        if cfg!(unix) && matches!(error.raw_os_error(), Some(24 | 23)) {
            return Some("too many files are open; raise the limit, as with ulimit -n 4096, or give fewer --threads");
        }
        let is_large = error.kind() == io::ErrorKind::FileTooLarge;
        is_large.then_some("the file is larger than the system allows; raise the limit (ulimit -f), or write to another disk")
    }

    /// The failure of reading an input; of what carries a failure of ours, that.
    pub fn reading(path: &str, error: &io::Error) -> Self {
        if let Some(ours) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return ours.clone();
        }
        let path = shown::path(path);
        if let Some(what) = Self::of_limits(error) {
            return Self::new(ErrorKind::Input, format!("{path}: cannot be read: {what}"));
        }
        let message = match error.kind() {
            io::ErrorKind::NotFound => format!("{path}: no such file; check the name, or give a folder or a quoted glob"),
            io::ErrorKind::PermissionDenied => format!("{path}: permission denied; make the file readable for you"),
            io::ErrorKind::UnexpectedEof => {
                format!("{path}: the compressed data ends in the middle: the file is truncated; copy or download it again")
            }
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
                format!("{path}: the compressed data is damaged ({error}); copy or download it again")
            }
            _ => format!("{path}: cannot be read: {error}; look after the disk, or copy the file to another and read it there"),
        };
        Self::new(ErrorKind::Input, message)
    }

    /// The failure of writing an output; of what carries a failure of ours, that.
    pub(crate) fn writing(path: &str, error: &io::Error) -> Self {
        if let Some(ours) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return ours.clone();
        }
        let what = match error.kind() {
            _ if let Some(what) = Self::of_limits(error) => what.into(),
            io::ErrorKind::BrokenPipe => return Self::new(ErrorKind::BrokenPipe, format!("{path}: {error}")),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "no space left; free some or write elsewhere".into(),
            io::ErrorKind::PermissionDenied => "permission denied; write to a folder that is yours".into(),
            io::ErrorKind::NotFound => "its folder does not exist; make it first".into(),
            io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only; write elsewhere".into(),
            io::ErrorKind::IsADirectory => "it is a folder; give the name of a file".into(),
            // Told by ourselves.
            io::ErrorKind::Other => error.to_string(),
            _ => format!("{error}; look after the disk, or write elsewhere"),
        };
        let name = if path == "-" { "standard output".into() } else { shown::path(path) };
        Self::new(ErrorKind::Output, format!("{name}: cannot be written: {what}"))
    }

    /// The failure of a temporary file in a folder.
    pub fn temporary(folder: &Path, error: &io::Error) -> Self {
        let what = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "no space left".into(),
            _ => Self::of_limits(error).map_or_else(|| error.to_string(), String::from),
        };
        let message = format!(
            "temporary files in {}: {what}; name another folder with --temp-dir",
            shown::path(&folder.display().to_string())
        );
        Self::new(ErrorKind::Temporary, message)
    }

    /// The failure of keeping a run's state in a folder.
    pub fn state(folder: &Path, error: &io::Error) -> Self {
        let (what, advice) = match error.kind() {
            _ if let Some(what) = Self::of_limits(error) => {
                (what.into(), "then give the same command again: it goes on from there")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                ("no space left".into(), "free some and give the same command again: it goes on from there")
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                (error.to_string(), "give --resume a folder that is yours")
            }
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                ("is no folder".into(), "give --resume the name of a new one")
            }
            _ => (error.to_string(), "look after the disk, and give the same command again: it goes on from there"),
        };
        Self::new(ErrorKind::Temporary, format!("the state in {}: {what}; {advice}", shown::path(&folder.display().to_string())))
    }
}

/// A message as it may be printed.
fn on_one_line(words: String) -> String {
    match message(&words) {
        Cow::Borrowed(_) => words,
        Cow::Owned(written_out) => written_out,
    }
}

/// Works, and makes an error of a panic. What was being changed when it happened must not be used any more.
pub fn without_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let worked = panic::catch_unwind(AssertUnwindSafe(work));
    worked.unwrap_or_else(|panic| Err(Error::of_panic(&*panic)))
}

/// What is told of a panic.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> String {
    format!("lookalike failed: {}; please report it", said(panic))
}

/// What a panic said.
pub fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<lookalike::Error> for Error {
    fn from(error: lookalike::Error) -> Self {
        Self::config(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_has_a_control_character() {
        let name = "a\x1b[2J\nb\u{202e}";
        let shown = "a\\u001b[2J\\u000ab\\u202e: ";
        let missing = io::ErrorKind::NotFound.into();
        for error in [
            Error::reading(name, &missing),
            Error::new(ErrorKind::Record, "x").placed(|_| unreachable!()),
            Error::on_line(ErrorKind::Record, 1, "\x07").placed(|line| format!("{name}: {line}")),
        ] {
            let message = error.to_string();
            assert!(!message.chars().any(lookalike::shown::is_command), "{message}");
            assert!(message.starts_with(shown) || message == "x", "{message}");
        }
    }
}
