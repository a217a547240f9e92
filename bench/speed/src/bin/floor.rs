//! The floor: read, find the two fields, lower-case, split words, roll the 5-gram hash, and stop.
//!
//! Nothing is unescaped, sketched, compared or written, and no line is checked for being JSON. Prints the bytes, the
//! shingles and the seconds; the sum of the fingerprints is printed too, so that no work can be left out.

use std::{fs::File, io::Read, path::PathBuf, sync::Mutex, time::Instant};

use clap::Parser;
use lookalike::{
    fingerprint::{fingerprints, token_hashes},
    shingle::Shingling,
    text::{Folds, Tokens, TokensBy, canonicalise},
};

/// Measure the floor under a run
#[derive(Parser)]
struct Arguments {
    input: PathBuf,
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

const BLOCK: usize = 1 << 20;

/// Blocks of whole lines, handed to whichever thread asks.
struct Lines {
    file: File,
    tail: Vec<u8>,
}

impl Lines {
    fn next(&mut self, block: &mut Vec<u8>) -> std::io::Result<usize> {
        let kept = self.tail.len();
        block.resize(block.len().max(kept + BLOCK), 0);
        block[..kept].copy_from_slice(&self.tail);
        let mut filled = kept;
        loop {
            block.resize(block.len().max(filled + BLOCK), 0);
            let n = self.file.read(&mut block[filled..filled + BLOCK])?;
            filled += n;
            let end = if n == 0 { Some(filled) } else { memchr::memrchr(b'\n', &block[..filled]).map(|at| at + 1) };
            if let Some(end) = end {
                self.tail.clear();
                self.tail.extend_from_slice(&block[end..filled]);
                return Ok(end);
            }
        }
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let started = Instant::now();
    let lines = Mutex::new(Lines { file: File::open(&arguments.input)?, tail: Vec::new() });
    let totals = Mutex::new((0u64, 0u64, 0u64));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..arguments.threads).map(|_| scope.spawn(|| work(&lines, &totals))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread failed"))))
    })?;
    let (bytes, shingles, sum) = *totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    println!("{bytes} bytes, {shingles} shingles, sum {sum:016x}, {:.3} s", started.elapsed().as_secs_f64());
    Ok(())
}

fn work(lines: &Mutex<Lines>, totals: &Mutex<(u64, u64, u64)>) -> anyhow::Result<()> {
    let (id, text, quote) = (memchr::memmem::Finder::new(b"\"id\":"), memchr::memmem::Finder::new(b"\"text\":\""), b'"');
    let (mut tokens, mut hashes, mut shingles) = (Tokens::new(), Vec::new(), Vec::new());
    let shingling = Shingling::new(5)?;
    let mut block = Vec::new();
    let (mut bytes, mut count, mut sum) = (0, 0, 0u64);
    loop {
        let filled = lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next(&mut block)?;
        if filled == 0 {
            break;
        }
        bytes += filled as u64;
        let mut from = 0;
        for to in memchr::memchr_iter(b'\n', &block[..filled]).map(|at| at + 1) {
            let line = &block[from..to];
            from = to;
            sum = sum.wrapping_add(id.find(line).unwrap_or(0) as u64);
            let Some(start) = text.find(line).map(|at| at + 8) else { continue };
            let mut end = start;
            loop {
                end += memchr::memchr(quote, &line[end..]).unwrap_or(line.len() - end);
                let slashes = line[start..end].iter().rev().take_while(|b| **b == b'\\').count();
                if slashes % 2 == 0 {
                    break;
                }
                end += 1;
            }
            canonicalise(std::str::from_utf8(&line[start..end])?, TokensBy::Auto, Folds::default(), &mut tokens);
            token_hashes(&tokens, &mut hashes);
            fingerprints(&hashes, shingling, &mut shingles);
            count += shingles.len() as u64;
            sum = shingles.iter().fold(sum, |sum, shingle| sum.wrapping_add(*shingle));
        }
    }
    let mut totals = totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    *totals = (totals.0 + bytes, totals.1 + count, totals.2.wrapping_add(sum));
    Ok(())
}
