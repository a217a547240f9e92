//! Runs one kernel of the core over committed texts, so that its instructions can be counted: `drift KERNEL ROUNDS`.
//!
//! `bench/drift/run.py` runs this program under valgrind with two numbers of rounds. The difference of the two counts has no
//! start-up, no reading and no preparation, because they do not depend on the number of rounds. The program prints a checksum, so
//! that the compiler cannot leave out any work.
//!
//! Methods get AVX2 explicitly. The single functions choose the best instructions of the processor themselves, and valgrind,
//! which has no AVX-512, shows them a processor with AVX2. So all kernels use AVX2, and a count does not depend on whether the
//! processor has AVX-512. Portable code was not chosen, because only the cargo feature `portable` would select it everywhere, and
//! because few machines run it.

use std::{
    fs::File,
    hint::black_box,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use lookalike::{
    Config, Method, Scratch, Simd,
    fingerprint::{Rabin, digest},
    runs::{Winnowing, shared_runs},
    shingle::Shingling,
    sketch::{MinHash, SimHash, Width},
    text::{Folds, Text, Tokens, TokensBy, canonicalise},
    verify::Overlap,
};
use serde_json::value::RawValue;

/// Run a kernel over the first texts of testdata
#[derive(Parser)]
struct Arguments {
    kernel: Kernel,
    /// How often the kernel processes all texts
    rounds: u32,
    /// The folder with the collections
    #[arg(long, default_value = "testdata")]
    testdata: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kernel {
    /// From the raw JSON string to band keys and digest
    SketchEnglish,
    SketchChinese,
    /// From the raw JSON string to the sorted set of shingles
    SetEnglish,
    /// The canonical form without accents, marks and digits
    FoldedForm,
    /// From the canonical form to the digest
    Digest,
    /// From the canonical form to Rabin's fingerprints of all shingles
    Rabin,
    /// MinHash with 128 permutations
    Minhash,
    /// SimHash with 64 bits
    Simhash,
    /// The exact overlap of each set and the next one
    Overlap,
    /// The runs that each text shares with the next one
    SharedRuns,
}

/// The bytes of text that are taken from each collection.
const MOST: usize = 300_000;
const SEED: u64 = 1;
/// The minimum length of a run, in tokens.
const RUN: usize = 16;

#[derive(serde::Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    text: &'a RawValue,
}

fn main() -> anyhow::Result<()> {
    let Arguments {
        kernel,
        rounds,
        testdata,
    } = Arguments::parse();
    let english = || read(&testdata.join("licenses.jsonl.zst"));
    let chinese = || read(&testdata.join("zh_tang.jsonl.zst"));
    let method = Method::new(Config::default())?.with_simd(simd()?);
    let sum = match kernel {
        Kernel::SketchEnglish => sketches(&method, &english()?, rounds),
        Kernel::SketchChinese => sketches(&method, &chinese()?, rounds),
        Kernel::SetEnglish => sets(&method, &english()?, rounds),
        Kernel::FoldedForm => folded_forms(&[english()?, chinese()?].concat(), rounds)?,
        Kernel::Digest => digests(&canonical_forms(&english()?)?, rounds),
        Kernel::Rabin => rabin(&method, &canonical_forms(&english()?)?, rounds)?,
        Kernel::Minhash => signatures(&shingle_sets(&method, &english()?), rounds),
        Kernel::Simhash => simhashes(&shingle_sets(&method, &english()?), rounds),
        Kernel::Overlap => overlaps(&shingle_sets(&method, &english()?), rounds),
        Kernel::SharedRuns => runs(&token_hashes(&method, &english()?), rounds)?,
    };
    println!("{sum:016x}");
    Ok(())
}

/// Returns AVX2 on x86-64, and portable code, which is the only code, on other processors.
fn simd() -> anyhow::Result<Simd> {
    #[cfg(target_arch = "x86_64")]
    let is_chosen = |simd: &Simd| matches!(simd, Simd::Avx2(_));
    #[cfg(not(target_arch = "x86_64"))]
    let is_chosen = |simd: &Simd| matches!(simd, Simd::Portable);
    Simd::all()
        .find(is_chosen)
        .context("the committed counts are for AVX2, which this processor does not have")
}

/// Reads the raw contents of the JSON strings `text` at the start of a collection.
fn read(path: &Path) -> anyhow::Result<Vec<String>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let mut lines = BufReader::new(zstd::Decoder::new(file)?);
    let (mut texts, mut bytes, mut line) = (Vec::new(), 0, String::new());
    while bytes < MOST && lines.read_line(&mut line)? > 0 {
        let text = serde_json::from_str::<Line>(&line)?.text.get();
        let text = &text[1..text.len() - 1];
        bytes += text.len();
        texts.push(text.to_string());
        line.clear();
    }
    Ok(texts)
}

fn decode(raw: &str) -> anyhow::Result<String> {
    Ok(serde_json::from_str(&format!("\"{raw}\""))?)
}

fn canonical_forms(texts: &[String]) -> anyhow::Result<Vec<Tokens>> {
    let form = |raw: &String| {
        let mut tokens = Tokens::new();
        canonicalise(&decode(raw)?, TokensBy::Auto, Folds::default(), &mut tokens);
        Ok(tokens)
    };
    texts.iter().map(form).collect()
}

fn shingle_sets(method: &Method, texts: &[String]) -> Vec<Vec<u64>> {
    let mut scratch = Scratch::default();
    let set = |text: &String| {
        method.set(Text::Escaped(text), &mut scratch);
        scratch.fingerprints.clone()
    };
    texts.iter().map(set).collect()
}

fn token_hashes(method: &Method, texts: &[String]) -> Vec<Vec<u64>> {
    let mut scratch = Scratch::default();
    let hashes = |text: &String| {
        method.set(Text::Escaped(text), &mut scratch);
        scratch.token_hashes.clone()
    };
    texts.iter().map(hashes).collect()
}

/// Calls `run` for each input in each round. Returns a checksum of what it returned.
fn repeat<T>(rounds: u32, inputs: &[T], mut run: impl FnMut(&T) -> u64) -> u64 {
    let mut sum = 0u64;
    for _ in 0..rounds {
        for input in inputs {
            sum = sum.rotate_left(3) ^ black_box(run(black_box(input)));
        }
    }
    sum
}

fn sketches(method: &Method, texts: &[String], rounds: u32) -> u64 {
    let mut scratch = Scratch::default();
    repeat(rounds, texts, |text| {
        method.sketch(Text::Escaped(text), &mut scratch);
        let keys = scratch.keys.iter().map(|&key| u64::from(key));
        keys.sum::<u64>() ^ scratch.digest as u64
    })
}

fn sets(method: &Method, texts: &[String], rounds: u32) -> u64 {
    let mut scratch = Scratch::default();
    repeat(rounds, texts, |text| {
        method.set(Text::Escaped(text), &mut scratch);
        scratch.fingerprints.last().copied().unwrap_or(0)
    })
}

fn folded_forms(texts: &[String], rounds: u32) -> anyhow::Result<u64> {
    let texts = texts.iter().map(|raw| decode(raw));
    let texts = texts.collect::<anyhow::Result<Vec<_>>>()?;
    let folds = Folds {
        simplified: false,
        accents: true,
        marks: true,
        digits: true,
    };
    let mut tokens = Tokens::new();
    Ok(repeat(rounds, &texts, |text| {
        canonicalise(text, TokensBy::Auto, folds, &mut tokens);
        (tokens.len() ^ tokens.text().len() << 20) as u64
    }))
}

fn digests(forms: &[Tokens], rounds: u32) -> u64 {
    repeat(rounds, forms, |tokens| digest(tokens) as u64)
}

fn rabin(method: &Method, forms: &[Tokens], rounds: u32) -> anyhow::Result<u64> {
    let (rabin, shingling) = (Rabin::new(64, SEED)?, Shingling::new(method.config().k())?);
    let mut fingerprints = Vec::new();
    Ok(repeat(rounds, forms, |tokens| {
        rabin.shingles(tokens, shingling, &mut fingerprints);
        fingerprints.last().copied().unwrap_or(0)
    }))
}

fn signatures(sets: &[Vec<u64>], rounds: u32) -> u64 {
    let (family, mut minima) = (MinHash::new(128, SEED), Vec::new());
    repeat(rounds, sets, |set| {
        family.minima(set, &mut minima);
        minima.iter().map(|&minimum| u64::from(minimum)).sum()
    })
}

fn simhashes(sets: &[Vec<u64>], rounds: u32) -> u64 {
    let family = SimHash::new(Width::W64, SEED);
    repeat(rounds, sets, |set| family.hash(set) as u64)
}

fn overlaps(sets: &[Vec<u64>], rounds: u32) -> u64 {
    let pairs: Vec<_> = sets.windows(2).collect();
    repeat(rounds, &pairs, |pair| {
        Overlap::of(&pair[0], &pair[1]).shared
    })
}

fn runs(texts: &[Vec<u64>], rounds: u32) -> anyhow::Result<u64> {
    let (pairs, winnowing): (Vec<_>, _) = (texts.windows(2).collect(), Winnowing::new(RUN)?);
    Ok(repeat(rounds, &pairs, |pair| {
        shared_runs(&pair[0], &pair[1], winnowing).len() as u64
    }))
}
