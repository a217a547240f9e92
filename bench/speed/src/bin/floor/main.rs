//! Measures the floor under a run, which is the least work that any run has to do: read the input, find the two fields of each
//! line, and convert letters to lower case. Then split the text into words, hash windows of five words into a sketch with one
//! permutation, and sort the bands.
//!
//! This loop is the fastest that we know, and it takes shortcuts that a run may not take. It does not check that a line is JSON,
//! reads `\u` escapes as letters, and ignores the middle of a word that has more than sixteen bytes. It recognises Chinese and
//! kana by their first bytes, and does not keep ids. Beyond ASCII, it does no folding and no normalisation. It computes no
//! digests, verifies nothing and writes no outputs. With `--core`, the program runs the same loop with the core's own functions,
//! which do everything that a sketch needs. The program prints what it read and found, so that the compiler cannot leave out any
//! work.

mod bands;
mod core;
mod scan;
mod sketch;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use clap::Parser;

/// Measure the time for the least work that any run has to do (the floor)
#[derive(Parser)]
struct Arguments {
    input: PathBuf,
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Compute the sketches with the core's own functions
    #[arg(long)]
    core: bool,
    /// Do not use AVX-512, even if this machine has it
    #[arg(long)]
    portable: bool,
}

/// Bytes read at a time: they fit in a core's private cache.
const BLOCK: u64 = 256 << 10;

/// The data a worker has collected.
#[derive(Debug, Default)]
pub struct Seen {
    documents: u64,
    shingles: u64,
    /// [`bands::BANDS`] keys per document.
    keys: Vec<u32>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let started = Instant::now();
    let file = File::open(&arguments.input)?;
    let size = file.metadata()?.len();
    let next = AtomicU64::new(0);
    let (kernels, seen): (Vec<_>, Vec<Seen>) = std::thread::scope(|scope| {
        let worker = || {
            let mut seen = Seen::default();
            let mut lines = Lines {
                file: &file,
                size,
                next: &next,
                block: Vec::new(),
            };
            let kernel = match (arguments.core, arguments.portable) {
                (true, _) => {
                    core::work(&mut lines, &mut seen)?;
                    "core"
                }
                (false, true) => portable(&mut lines, &mut seen)?,
                (false, false) => fastest(&mut lines, &mut seen)?,
            };
            anyhow::Ok((kernel, seen))
        };
        let workers: Vec<_> = (0..arguments.threads)
            .map(|_| scope.spawn(worker))
            .collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker
                .join()
                .unwrap_or_else(|_| Err(anyhow::anyhow!("a thread failed")))
        };
        workers
            .into_iter()
            .map(join)
            .collect::<anyhow::Result<Vec<_>>>()
    })?
    .into_iter()
    .unzip();
    let sketched = started.elapsed().as_secs_f64();
    let shared = bands::sort(&seen, arguments.threads);
    let sum = |of: fn(&Seen) -> u64| seen.iter().map(of).sum::<u64>();
    let (documents, shingles) = (sum(|seen| seen.documents), sum(|seen| seen.shingles));
    println!(
        "{{\"kernel\": \"{}\", \"threads\": {}, \"bytes\": {size}, \"documents\": {documents}, \"shingles\": {shingles}, \
         \"shared_keys\": {shared}, \"sketched_s\": {sketched:.3}, \"seconds\": {:.3}}}",
        kernels.first().copied().unwrap_or_default(),
        arguments.threads,
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

fn portable(lines: &mut Lines, seen: &mut Seen) -> anyhow::Result<&'static str> {
    sketch::work(&scan::Portable, lines, seen)?;
    Ok("portable")
}

fn fastest(lines: &mut Lines, seen: &mut Seen) -> anyhow::Result<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86::Avx512::new() {
        kernel.work(lines, seen)?;
        return Ok("avx-512");
    }
    portable(lines, seen)
}

/// The lines of a file, in blocks that any thread can take. A block has the lines that begin within [`BLOCK`] consecutive bytes.
pub struct Lines<'a> {
    file: &'a File,
    size: u64,
    next: &'a AtomicU64,
    block: Vec<u8>,
}

impl Lines<'_> {
    /// Returns the next block of whole lines, followed by [`scan::PAD`] bytes, or `None` at the end of the file.
    pub fn take(&mut self) -> std::io::Result<Option<&[u8]>> {
        let start = self.next.fetch_add(1, Ordering::Relaxed) * BLOCK;
        if start >= self.size {
            return Ok(None);
        }
        // The byte before the block shows whether a line begins at the block's first byte.
        let from = start.saturating_sub(1);
        let end = (start + BLOCK).min(self.size);
        let mut filled = self.fill(0, from, end)?;
        let begin = if start == 0 {
            0
        } else {
            memchr::memchr(b'\n', &self.block[..filled]).map_or(filled, |at| at + 1)
        };
        // The last line that begins in this block may end in a later one.
        let mut searched = filled;
        while begin < (end - from) as usize
            && self.block[filled - 1] != b'\n'
            && from + (filled as u64) < self.size
        {
            let to = (from + filled as u64 + (16 << 10)).min(self.size);
            filled = self.fill(filled, from + filled as u64, to)?;
            if let Some(at) = memchr::memchr(b'\n', &self.block[searched..filled]) {
                filled = searched + at + 1;
                break;
            }
            searched = filled;
        }
        // A block that ends with a line end is already complete.
        Ok(Some(&self.block[begin.min(filled)..filled + scan::PAD]))
    }

    fn fill(&mut self, at: usize, from: u64, to: u64) -> std::io::Result<usize> {
        let filled = at + (to - from) as usize;
        if self.block.len() < filled + scan::PAD {
            self.block.resize(filled + scan::PAD, 0);
        }
        self.file.read_exact_at(&mut self.block[at..filled], from)?;
        Ok(filled)
    }
}
