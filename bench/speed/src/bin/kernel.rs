//! Measures how fast one thread computes sketches and sets from the raw contents of JSON strings, in MB/s for each kind of text.
//!
//! Takes the first megabytes of each kind from a JSON Lines collection with a field `text`, processes them repeatedly, and prints
//! the speed of the fastest repetition: other programs on the machine can only make a repetition slower. It also prints a
//! checksum of all computed sketches and sets, so that the compiler cannot leave out any work and a reader can see that all
//! kernels compute the same values.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::PathBuf,
    time::Instant,
};

use anyhow::Context;
use clap::Parser;
use lookalike::{Config, Method, Scratch, Simd, text::Text};
use serde_json::value::RawValue;

/// Measure the steps from text to sketch
#[derive(Parser)]
struct Arguments {
    /// A collection, as `make bench` makes it
    input: PathBuf,
    /// Megabytes per kind. The default fits in the second-level cache, where a text usually is just after it has been read
    #[arg(long, default_value_t = 1)]
    megabytes: usize,
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// Only kinds of text whose names begin with this
    #[arg(long, default_value = "")]
    kind: String,
    /// Use only the best kernel, and compute only sketches, not sets
    #[arg(long)]
    quick: bool,
}

#[derive(serde::Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    text: &'a RawValue,
}

/// Texts of one kind, each the contents of a JSON string.
struct Kind {
    name: &'static str,
    is: fn(&str) -> bool,
    texts: Vec<String>,
    bytes: usize,
}

impl Kind {
    fn new(name: &'static str, is: fn(&str) -> bool) -> Self {
        Self {
            name,
            is,
            texts: Vec::new(),
            bytes: 0,
        }
    }

    fn push(&mut self, text: String) {
        self.bytes += text.len();
        self.texts.push(text);
    }
}

/// Returns the number of characters that are in a range, divided by the number of bytes of the text.
fn share(text: &str, range: std::ops::RangeInclusive<char>) -> f64 {
    text.chars().filter(|c| range.contains(c)).count() as f64 / text.len().max(1) as f64
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let most = arguments.megabytes << 20;
    let mut kinds = read(&arguments, most)?;
    derive(&mut kinds, most);

    kinds.retain(|kind| kind.name.starts_with(&arguments.kind));
    Simd::all()
        .skip(if arguments.quick {
            Simd::all().count() - 1
        } else {
            0
        })
        .try_for_each(|simd| measure(simd, &kinds, &arguments))
}

fn measure(simd: Simd, kinds: &[Kind], arguments: &Arguments) -> anyhow::Result<()> {
    let method = Method::new(Config::default())?.with_simd(simd);
    let mut scratch = Scratch::default();
    println!(
        "\n{simd:?}\n{:12} {:>8} {:>8} {:>10} {:>10} {:>10}",
        "texts", "number", "bytes", "sketch", "set", "µs/sketch"
    );
    for kind in kinds {
        let (sketch, sum) = best(arguments.rounds, kind, |text| {
            method.sketch(Text::Escaped(text), &mut scratch);
            let keys = scratch
                .keys
                .iter()
                .fold(0, |sum: u64, &key| sum.rotate_left(7) ^ u64::from(key));
            keys ^ scratch.digest as u64
                ^ scratch
                    .fingerprints
                    .iter()
                    .fold(0, |sum: u64, f| sum.wrapping_add(*f))
        });
        let rounds = if arguments.quick { 0 } else { arguments.rounds };
        let (set, other) = best(rounds, kind, |text| {
            method.set(Text::Escaped(text), &mut scratch);
            scratch
                .fingerprints
                .iter()
                .fold(0, |sum: u64, f| sum.rotate_left(1) ^ f)
        });
        println!(
            "{:12} {:8} {:8} {:5.0} MB/s {:5.0} MB/s {:10.3} {:016x}",
            kind.name,
            kind.texts.len(),
            kind.bytes / kind.texts.len(),
            kind.bytes as f64 / sketch / 1e6,
            kind.bytes as f64 / set / 1e6,
            sketch * 1e6 / kind.texts.len() as f64,
            sum ^ other
        );
    }
    Ok(())
}

/// Returns the time of the fastest round in seconds, and the checksum of the values that `run` returned in a round.
fn best(rounds: usize, kind: &Kind, mut run: impl FnMut(&str) -> u64) -> (f64, u64) {
    let (mut least, mut sum) = (f64::INFINITY, 0);
    for _ in 0..rounds {
        let started = Instant::now();
        sum = kind
            .texts
            .iter()
            .fold(0, |sum: u64, text| sum.rotate_left(3) ^ run(text));
        least = least.min(started.elapsed().as_secs_f64());
    }
    (least, sum)
}

fn read(arguments: &Arguments, most: usize) -> anyhow::Result<Vec<Kind>> {
    let mut kinds = vec![
        Kind::new("English", |text| text.is_ascii() && text.len() > 400),
        Kind::new("mixed", |text| {
            !text.is_ascii() && share(text, '\u{2e80}'..='\u{9fff}') < 0.01
        }),
        Kind::new("Japanese", |text| {
            share(text, '\u{3040}'..='\u{30ff}') > 0.1
        }),
        Kind::new("Chinese", |text| {
            share(text, '\u{4e00}'..='\u{9fff}') > 0.2
                && share(text, '\u{3040}'..='\u{30ff}') == 0.0
        }),
    ];
    let mut lines = BufReader::new(File::open(&arguments.input).context("the collection")?);
    let mut line = String::new();
    while lines.read_line(&mut line)? > 0 && kinds.iter().any(|kind| kind.bytes < most) {
        let text = serde_json::from_str::<Line>(&line)?.text.get();
        let text = &text[1..text.len() - 1];
        if let Some(kind) = kinds.iter_mut().find(|kind| (kind.is)(text))
            && kind.bytes < most
        {
            kind.push(text.to_string());
        }
        line.clear();
    }
    Ok(kinds)
}

/// Adds short texts, and texts in which every character beyond ASCII is escaped.
fn derive(kinds: &mut Vec<Kind>, most: usize) {
    let ascii = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => c
            .encode_utf16(&mut [0; 2])
            .iter()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect(),
    };
    let mut short = Kind::new("200 bytes", |_| false);
    for text in kinds[0]
        .texts
        .iter()
        .flat_map(|text| text.as_bytes().chunks_exact(200))
    {
        let text = String::from_utf8_lossy(text);
        if short.bytes < most && !text.ends_with('\\') {
            short.push(text.into_owned());
        }
    }
    let escaped = [("mixed \\u", 1), ("Japanese \\u", 2)].map(|(name, from)| {
        let mut kind = Kind::new(name, |_| false);
        kinds[from]
            .texts
            .iter()
            .for_each(|text| kind.push(text.chars().map(ascii).collect()));
        kind
    });
    kinds.push(short);
    kinds.extend(escaped);
}
