//! One gzip member, its parts compressed side by side.
//!
//! Each window is compressed for itself, as a run of deflate blocks that ends at a byte (a sync flush), so the runs stand one
//! behind the other as one stream: what pigz does. The parts are cut by content alone, so the number of threads changes no
//! byte. One member and not several: readers that stop at the end of the first would lose the rest without a word. A part
//! does not know the last 32 KiB of the part before it, which costs less than 1 % of the size.

use std::{
    io::{self, Write},
    sync::mpsc::{Receiver, Sender, SyncSender, sync_channel},
    thread::JoinHandle,
};

use flate2::{Compress, Compression, Crc, FlushCompress};

use super::gathered::Gathered;
use crate::{disk::Window, error::Error};

/// Parts that a thread may have before it: one in work, one that waits.
const AHEAD: u64 = 2;

/// RFC 1952, section 2.3: magic, deflate, no flags, no time, no extra flags, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// RFC 1951, section 3.2.6: the last block, with fixed codes, and nothing but its end.
const END: [u8; 2] = [3, 0];

/// A gzip stream in the making.
pub(crate) struct Gzip {
    into: Gathered,
    threads: u64,
    packers: Vec<Packer>,
    /// Parts handed out, and parts written.
    given: u64,
    taken: u64,
    crc: Crc,
    length: u64,
    /// Parts that are written, to be used again.
    spare: Vec<Part>,
}

/// A window and what becomes of it.
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
        Ok(Self { into, threads: threads as u64, packers, given: 0, taken: 0, crc: Crc::new(), length: 0, spare })
    }

    /// Windows that it may hold.
    pub(crate) fn windows(&self) -> usize {
        (self.threads * AHEAD) as usize
    }

    /// Takes a window; windows that are done go to `empty`.
    pub(crate) fn write(&mut self, window: Window, empty: &Sender<Window>) -> io::Result<()> {
        if self.given == self.taken + self.threads * AHEAD {
            // The producer may be gone.
            drop(self.take()?.map(|window| empty.send(window)));
        }
        let number = (self.given % self.threads) as usize;
        if number == self.packers.len() {
            self.packers.push(Packer::start()?);
        }
        self.length += window.bytes().len() as u64;
        let part = Part { window: Some(window), ..self.spare.pop().unwrap_or_default() };
        let packer = &mut self.packers[number];
        if packer.jobs.as_ref().is_none_or(|jobs| jobs.send(part).is_err()) {
            return Err(packer.failure());
        }
        self.given += 1;
        Ok(())
    }

    /// Writes the next part in order; gives its window.
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
        // By the format, modulo 2^32.
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
        let thread = std::thread::Builder::new().name("gzip".into()).spawn(work)?;
        Ok(Self { jobs: Some(jobs), done, thread: Some(thread) })
    }

    /// Why the thread is gone.
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
        // Room for all of it at once, were it as random as can be: a flush that is called twice leaves two marks, and the bytes
        // must not depend on how large a buffer once was.
        self.packed.reserve(bytes.len() + bytes.len() / 8 + 1024);
        compress.compress_vec(bytes, &mut self.packed, FlushCompress::Sync)?;
        let whole = compress.total_in() == bytes.len() as u64 && self.packed.len() < self.packed.capacity();
        if whole { Ok(()) } else { Err(io::Error::other("a compressed part is larger than it can be")) }
    }
}
