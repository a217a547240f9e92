//! What can be read only once (standard input, pipes) is kept, compressed, while it is first read.

use std::{
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use crate::{
    disk::File,
    error::{Error, Result},
    lock::lock,
    read::{
        bytes::{Reader, decompress, widen},
        input::Input,
    },
};

/// What was kept of an input; nothing before it was read to its end.
#[derive(Default)]
pub(crate) struct Spool(Arc<Mutex<Option<File>>>);

impl Spool {
    /// Opens what can be read only once, or what was kept of it.
    pub(crate) fn open(&self, input: &Input, temp_dir: &Path) -> Result<Reader> {
        let spooled = lock(&self.0).take();
        if let Some(file) = spooled {
            let mut again = file.try_clone().map_err(|error| Error::temporary(temp_dir, &error))?;
            again.rewind().map_err(|error| Error::temporary(temp_dir, &error))?;
            *lock(&self.0) = Some(file);
            return decompress(Spooled { file: again, temp_dir: temp_dir.into() }, "the spool of standard input");
        }
        let name = input.name();
        let reader = match input {
            Input::File(path) => {
                let file = File::open(path).map_err(|error| Error::reading(&name, &error))?;
                widen(&file);
                decompress(file, &name)?
            }
            _ => {
                widen(io::stdin());
                decompress(File::stdin().map_err(|error| Error::reading(&name, &error))?, &name)?
            }
        };
        Ok(Box::new(Spooling::new(reader, self.0.clone(), temp_dir)?))
    }
}

/// How hard the spool is compressed: it is written once and read twice. Of a GB of text level 1 took 3.7 s of a core to write
/// and 1.2 s to read, for 0.43 GB; this 2.8 s and 0.9 s, for 0.56 GB; lz4 writes 0.57 GB in 2.9 s.
const SPOOL_LEVEL: i32 = -3;

/// Reads, and keeps what it read for later passes.
struct Spooling {
    reader: Reader,
    encoder: Option<zstd::Encoder<'static, File>>,
    spool: Arc<Mutex<Option<File>>>,
    temp_dir: PathBuf,
}

impl Spooling {
    fn new(reader: Reader, spool: Arc<Mutex<Option<File>>>, temp_dir: &Path) -> Result<Self> {
        let encoder = File::temporary(temp_dir).and_then(|file| zstd::Encoder::new(file, SPOOL_LEVEL));
        let encoder = encoder.map_err(|error| Error::temporary(temp_dir, &error))?;
        Ok(Self { reader, encoder: Some(encoder), spool, temp_dir: temp_dir.into() })
    }

    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(encoder) = &mut self.encoder {
            encoder.write_all(bytes)?;
        }
        if bytes.is_empty()
            && let Some(encoder) = self.encoder.take()
        {
            *lock(&self.spool) = Some(encoder.finish()?);
        }
        Ok(())
    }
}

impl Read for Spooling {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        if !buffer.is_empty() {
            self.keep(&buffer[..n]).map_err(|error| of_spool(&self.temp_dir, &error))?;
        }
        Ok(n)
    }
}

/// What was spooled, read again.
struct Spooled {
    file: File,
    temp_dir: PathBuf,
}

impl Read for Spooled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer).map_err(|error| of_spool(&self.temp_dir, &error))
    }
}

/// A failure of our own, so that the message speaks of the spool and not of damaged input.
fn of_spool(temp_dir: &Path, error: &io::Error) -> io::Error {
    io::Error::other(Error::temporary(temp_dir, error))
}
