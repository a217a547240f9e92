//! A file that appears under its name only when all of it is written: temporary name, sync, rename.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::mpsc::{SyncSender, sync_channel},
    thread::JoinHandle,
};

use flate2::{Compression, write::GzEncoder};
use tempfile::NamedTempFile;

use crate::{
    error::{Error, ErrorKind, Result},
    read::Input,
};

/// An output in the making. Dropped unfinished, it leaves nothing.
///
/// Compression and writing have a thread of their own: those who work on blocks never wait for the disk, unless they are
/// [`AHEAD`] pieces ahead of it.
pub(crate) struct Output {
    name: String,
    pieces: Option<SyncSender<Vec<u8>>>,
    writer: Option<JoinHandle<io::Result<Sink>>>,
    /// Where the temporary file goes in the end.
    target: Option<PathBuf>,
}

/// Pieces that may wait for the disk.
const AHEAD: usize = 8;

enum Encoder {
    Plain(Sink),
    Gzip(GzEncoder<Sink>),
    Zstd(zstd::Encoder<'static, Sink>),
}

/// Where the bytes go.
enum Sink {
    Stdout(io::Stdout),
    /// A device, a pipe: nothing that could be renamed over.
    Direct(File),
    Temporary(NamedTempFile),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Direct(file) => file.write(bytes),
            Self::Temporary(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Direct(file) => file.flush(),
            Self::Temporary(file) => file.flush(),
        }
    }
}

impl Output {
    /// Starts an output; `-` is standard output. Compressed by its ending, `.gz` or `.zst`.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let writing = |error| Error::writing(&name, &error);
        let (sink, target) = if path == Path::new("-") {
            (Sink::Stdout(io::stdout()), None)
        } else {
            match path.metadata() {
                Ok(there) if there.is_dir() => return Err(writing(io::ErrorKind::IsADirectory.into())),
                Ok(there) if !there.is_file() => {
                    (Sink::Direct(OpenOptions::new().write(true).open(path).map_err(writing)?), None)
                }
                _ => {
                    // A link is followed: the file that it names is replaced, not the link.
                    let target = path.canonicalize().unwrap_or_else(|_| path.into());
                    (Sink::Temporary(temporary_beside(&target).map_err(writing)?), Some(target))
                }
            }
        };
        let mut encoder = match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Encoder::Gzip(GzEncoder::new(sink, Compression::default())),
            Some("zst") => {
                let mut encoder = zstd::Encoder::new(sink, 3).map_err(writing)?;
                // One frame, compressed beside the other work. The bytes are the same for any number of workers but none.
                encoder.multithread(1).map_err(writing)?;
                encoder.include_checksum(true).map_err(writing)?;
                Encoder::Zstd(encoder)
            }
            _ => Encoder::Plain(sink),
        };
        let (pieces, waiting) = sync_channel::<Vec<u8>>(AHEAD);
        let work = move || {
            waiting.iter().try_for_each(|piece| encoder.write_all(&piece))?;
            encoder.finish()
        };
        let writer = std::thread::Builder::new().name("writer".into()).spawn(work).map_err(writing)?;
        Ok(Self { pieces: Some(pieces), writer: Some(writer), target, name })
    }

    /// Appends. Call with large pieces. A failure may be that of an earlier piece.
    pub(crate) fn write(&mut self, piece: Vec<u8>) -> Result<()> {
        match self.pieces.as_ref().map(|pieces| pieces.send(piece)) {
            Some(Ok(())) => Ok(()),
            // The writer is gone: it met an error.
            _ => self.join().map(drop),
        }
    }

    /// Ends the compression, brings all to the disk, and gives the file its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        let sink = self.join()?;
        if let (Some(Sink::Temporary(file)), Some(target)) = (sink, self.target.take()) {
            let named = file.as_file().sync_all().and_then(|()| file.persist(&target).map_err(|error| error.error));
            named.map_err(|error| Error::writing(&self.name, &error))?;
        }
        Ok(())
    }

    /// Waits until all pieces are written; gives what they were written to, the first time.
    fn join(&mut self) -> Result<Option<Sink>> {
        self.pieces.take();
        let Some(writer) = self.writer.take() else { return Ok(None) };
        let written = writer.join().unwrap_or_else(|_| Err(io::Error::other("the writing thread failed")));
        written.map(Some).map_err(|error| Error::writing(&self.name, &error))
    }
}

impl Drop for Output {
    /// The writer holds the temporary file: it is gone when the writer is.
    fn drop(&mut self) {
        drop(self.join());
    }
}

impl Encoder {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<Sink> {
        let mut sink = match self {
            Self::Plain(sink) => sink,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
        };
        sink.flush()?;
        Ok(sink)
    }
}

fn temporary_beside(target: &Path) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Readable as the user's umask has it, like any file that a program makes.
    tempfile::Builder::new()
        .prefix(".lookalike-")
        .suffix(".unfinished")
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
}

/// Refuses outputs that would overwrite an input or each other.
pub(crate) fn refuse_overwriting(outputs: &[&Path], inputs: &[Input]) -> Result<()> {
    let real = |path: &Path| match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), _, _) => real,
        (_, Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            parent.canonicalize().unwrap_or_else(|_| parent.into()).join(name)
        }
        _ => path.into(),
    };
    let mut taken: Vec<(PathBuf, String)> = Vec::new();
    for input in inputs {
        if let Input::File(path) = input {
            taken.push((real(path), format!("the input {}", path.display())));
        }
    }
    for &output in outputs {
        let path = real(output);
        let is_device = path.metadata().is_ok_and(|there| !there.is_file());
        if let Some((_, what)) = taken.iter().find(|(other, _)| *other == path && !is_device) {
            let message = format!("{}: would overwrite {what}; give another name", output.display());
            return Err(Error::new(ErrorKind::Output, message));
        }
        taken.push((path, format!("the output {}", output.display())));
    }
    Ok(())
}
