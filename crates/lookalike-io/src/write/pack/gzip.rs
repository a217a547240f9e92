//! Compresses one gzip member in parallel.
//!
//! Each window (a write buffer of the output) is compressed separately, to a part that consists of deflate blocks and ends at a
//! byte boundary (a sync flush). The parts can thus be concatenated to one stream, as pigz does. The content alone determines the
//! parts, so the number of threads does not change the bytes. The output is one member, because readers that stop at the end of
//! the first member would silently lose the rest. A part cannot refer to the last 32 KiB of the part before it, which makes the
//! output less than 1 % larger.

use std::{
    io::{self, Write},
    sync::mpsc::{Receiver, Sender, SyncSender, sync_channel},
    thread::JoinHandle,
};

use flate2::{Compress, Compression, Crc, FlushCompress};

use super::gathered::Gathered;
use crate::{disk::Window, error::Error};

/// The number of parts that a thread may have at a time: one that it compresses, and one that waits.
const AHEAD: u64 = 2;

/// The header (RFC 1952, section 2.3): magic, deflate, no flags, no time, no extra flags, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// The end (RFC 1951, section 3.2.6): an empty last block with fixed codes.
const END: [u8; 2] = [3, 0];

/// A gzip stream that is being written.
pub(crate) struct Gzip {
    into: Gathered,
    threads: u64,
    packers: Vec<Packer>,
    /// The number of parts passed to threads; `taken` is the number of parts written.
    given: u64,
    taken: u64,
    crc: Crc,
    length: u64,
    /// Parts that were written, for reuse.
    spare: Vec<Part>,
}

/// A window and its compressed bytes.
#[derive(Default)]
struct Part {
    window: Option<Window>,
    packed: Vec<u8>,
    crc: Crc,
}

/// A thread that compresses.
struct Packer {
    jobs: Option<SyncSender<Part>>,
    done: Receiver<io::Result<Part>>,
    thread: Option<JoinHandle<()>>,
}

impl Gzip {
    pub(crate) fn new(mut into: Gathered, threads: usize) -> io::Result<Self> {
        into.write_all(&HEADER)?;
        let (packers, spare) = (Vec::new(), Vec::new());
        Ok(Self {
            into,
            threads: threads as u64,
            packers,
            given: 0,
            taken: 0,
            crc: Crc::new(),
            length: 0,
            spare,
        })
    }

    /// Returns the number of windows that the encoder may hold before it returns them.
    pub(crate) fn windows(&self) -> usize {
        (self.threads * AHEAD) as usize
    }

    /// Passes a window to a thread that compresses it. A window whose bytes are no longer needed is sent back through the channel
    /// `empty`.
    pub(crate) fn write(&mut self, window: Window, empty: &Sender<Window>) -> io::Result<()> {
        if self.given == self.taken + self.threads * AHEAD {
            // Sending fails if the producer has ended; the window is then not needed any more.
            drop(self.take()?.map(|window| empty.send(window)));
        }
        let number = (self.given % self.threads) as usize;
        if number == self.packers.len() {
            self.packers.push(Packer::start()?);
        }
        self.length += window.bytes().len() as u64;
        let part = Part {
            window: Some(window),
            ..self.spare.pop().unwrap_or_default()
        };
        let packer = &mut self.packers[number];
        if packer
            .jobs
            .as_ref()
            .is_none_or(|jobs| jobs.send(part).is_err())
        {
            return Err(packer.failure());
        }
        self.given += 1;
        Ok(())
    }

    /// Writes the next part in order, and returns its window.
    fn take(&mut self) -> io::Result<Option<Window>> {
        let packer = &mut self.packers[(self.taken % self.threads) as usize];
        let mut part = packer.done.recv().map_err(|_| packer.failure())??;
        self.taken += 1;
        self.into.write_all(&part.packed)?;
        self.crc.combine(&part.crc);
        let window = part.window.take();
        self.spare.push(part);
        Ok(window)
    }

    /// Ends the stream.
    pub fn finish(mut self) -> io::Result<Gathered> {
        while self.taken < self.given {
            self.take()?;
        }
        self.into.write_all(&END)?;
        self.into.write_all(&self.crc.sum().to_le_bytes())?;
        // The format stores the length modulo 2^32.
        self.into.write_all(&(self.length as u32).to_le_bytes())?;
        Ok(self.into)
    }
}

impl Packer {
    fn start() -> io::Result<Self> {
        let (jobs, waiting) = sync_channel::<Part>(AHEAD as usize);
        let (finished, done) = sync_channel(AHEAD as usize);
        let work = move || {
            let mut compress = Compress::new(Compression::default(), false);
            for mut part in waiting {
                let packed = part.pack(&mut compress).map(|()| part);
                if finished.send(packed).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("gzip".into())
            .spawn(work)?;
        Ok(Self {
            jobs: Some(jobs),
            done,
            thread: Some(thread),
        })
    }

    /// Returns why the thread has ended.
    fn failure(&mut self) -> io::Error {
        self.jobs.take();
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => io::Error::other(Error::of_panic(&*panic).to_string()),
            _ => io::Error::other("a compressing thread has ended"),
        }
    }
}

impl Part {
    fn pack(&mut self, compress: &mut Compress) -> io::Result<()> {
        let bytes = self.window.as_ref().map_or(&[][..], Window::bytes);
        self.crc.reset();
        self.crc.update(bytes);
        self.packed.clear();
        compress.reset();
        // Reserves enough space to compress the whole part in one call, even if the data is random. If the buffer were too small,
        // the flush would be called twice and leave two markers. The bytes would then depend on the former size of the buffer.
        self.packed.reserve(bytes.len() + bytes.len() / 8 + 1024);
        compress.compress_vec(bytes, &mut self.packed, FlushCompress::Sync)?;
        let whole =
            compress.total_in() == bytes.len() as u64 && self.packed.len() < self.packed.capacity();
        if whole {
            Ok(())
        } else {
            Err(io::Error::other(
                "a compressed part is larger than possible",
            ))
        }
    }
}
