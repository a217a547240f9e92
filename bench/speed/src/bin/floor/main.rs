//! The floor under a run: read, find the two fields, lower-case, split words, hash windows of five into a sketch by one
//! permutation, sort the bands, and stop.
//!
//! The fastest such loop that we know, so it takes whatever a run may not: no line is checked for being JSON, `\u` escapes are
//! read as letters, a word's middle beyond sixteen bytes does not count, Chinese and kana are known by their first bytes, ids are
//! not kept, nothing is folded or normalised beyond ASCII, nothing is digested, verified or written. With `--core` the same by
//! the core's own functions, which do all that belongs to a sketch. Prints what was read and found, so that no work can be
//! left out.

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

/// Measure the floor under a run
#[derive(Parser)]
struct Arguments {
    input: PathBuf,
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Sketch by the core's functions
    #[arg(long)]
    core: bool,
    /// Without AVX-512, as on a machine that has none
    #[arg(long)]
    portable: bool,
}

/// What is read at a time: it stays in a core's own cache.
const BLOCK: u64 = 256 << 10;

/// What a worker has seen.
#[derive(Debug, Default)]
pub struct Seen {
    documents: u64,
    shingles: u64,
    /// [`bands::BANDS`] keys a document.
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
            let mut lines = Lines { file: &file, size, next: &next, block: Vec::new() };
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
        let workers: Vec<_> = (0..arguments.threads).map(|_| scope.spawn(worker)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread failed")))
        };
        workers.into_iter().map(join).collect::<anyhow::Result<Vec<_>>>()
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

/// The lines of a file, in blocks that any thread may take: those that begin in its [`BLOCK`] bytes.
pub struct Lines<'a> {
    file: &'a File,
    size: u64,
    next: &'a AtomicU64,
    block: Vec<u8>,
}

impl Lines<'_> {
    /// The next block of whole lines, with [`scan::PAD`] bytes behind them; none at the end.
    pub fn take(&mut self) -> std::io::Result<Option<&[u8]>> {
        let start = self.next.fetch_add(1, Ordering::Relaxed) * BLOCK;
        if start >= self.size {
            return Ok(None);
        }
        // The byte before tells whether a line begins here.
        let from = start.saturating_sub(1);
        let end = (start + BLOCK).min(self.size);
        let mut filled = self.fill(0, from, end)?;
        let begin = if start == 0 { 0 } else { memchr::memchr(b'\n', &self.block[..filled]).map_or(filled, |at| at + 1) };
        // The last line that begins here may end elsewhere.
        let mut searched = filled;
        while begin < (end - from) as usize && self.block[filled - 1] != b'\n' && from + (filled as u64) < self.size {
            let to = (from + filled as u64 + (16 << 10)).min(self.size);
            filled = self.fill(filled, from + filled as u64, to)?;
            if let Some(at) = memchr::memchr(b'\n', &self.block[searched..filled]) {
                filled = searched + at + 1;
                break;
            }
            searched = filled;
        }
        // Blocks that end where a line does are whole.
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
