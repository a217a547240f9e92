//! Writes JSON Lines to standard output: collections that are especially hard to deduplicate. Every run writes the same bytes.

use std::io::{self, BufWriter, ErrorKind, Write};

use clap::{Parser, ValueEnum};
use lookalike::{
    Config, Method, Scratch,
    lsh::{DEFAULT_SLOTS, band_keys},
    sketch::{BITS_SLOTS, MinHash, OnePermutation},
};
use lookalike_bench::{random, words};

/// Write a worst-case collection to standard output
#[derive(Parser)]
struct Arguments {
    shape: Shape,
    #[arg(long, default_value_t = 1_000_000)]
    documents: u64,
    /// Words per text of the shape "short"
    #[arg(long, default_value_t = 10)]
    words: u64,
    /// Megabytes of the huge text of the shape "huge"
    #[arg(long, default_value_t = 1000)]
    megabytes: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    /// The same text of 100 words over and over
    Identical,
    /// One template with different contents: any two texts have a resemblance of 0.6 to 0.79
    Template,
    /// One huge text among many texts of 300 words
    Huge,
    /// Short texts, one in ten a copy
    Short,
    /// The same 20 kB before 5 kB that are different in each text
    Header,
    /// Texts that share two bands with all others, but little else
    Collisions,
}

/// `PART` is the number of words in each of the four parts of the template. A *content* is the text between two neighbouring
/// parts, so each text has three contents; `CONTENT` has the least and the greatest number of words of a content. The four parts
/// have 224 windows of five words, which all texts share. A content of w words adds w + 4 windows, which no other text has. So a
/// text has 30 to 75 windows of its own, and the resemblance of two texts is 224 / (224 + the windows that only one of the two
/// texts has).
const PART: u64 = 60;
const CONTENT: (u64, u64) = (6, 21);

/// `COLLIDING` is the number of bands on which all texts collide. They collide because all texts contain the same passage. For
/// each slot of these bands, the program draws `TRIED` random windows and puts the window with the least value into the passage.
/// In 299 of 300 texts, the passage then has a smaller value in each of these slots than the text's own 300 windows.
const COLLIDING: usize = 2;
const TRIED: u64 = 1 << 20;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let written = write_all(&arguments, &mut out).and_then(|()| Ok(out.flush()?));
    match written {
        // The reader closed the pipe: stop without an error.
        Err(error)
            if error
                .downcast_ref::<io::Error>()
                .is_some_and(|e| e.kind() == ErrorKind::BrokenPipe) =>
        {
            Ok(())
        }
        other => other,
    }
}

fn write_all(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<()> {
    let Arguments {
        shape,
        documents,
        words,
        megabytes,
        seed,
    } = *arguments;
    let passage = match shape {
        Shape::Collisions => colliding()?,
        _ => Vec::new(),
    };
    let common = !seed;
    let mut text = Vec::new();
    for number in 0..documents {
        let own = random::at(seed, number);
        text.clear();
        match shape {
            Shape::Identical => push(common, 0, 100, &mut text),
            Shape::Template => {
                for part in 0..4 {
                    push(common, part * PART, PART, &mut text);
                    if part < 3 {
                        // All three contents of a text have the same length, so the counts of windows in the comment of `PART`
                        // are right.
                        let (least, most) = CONTENT;
                        push(
                            own,
                            part * PART,
                            least + own % (most - least + 1),
                            &mut text,
                        );
                    }
                }
            }
            Shape::Huge if number == documents / 2 => {
                write!(out, "{{\"id\":{number},\"text\":\"")?;
                let mut length = 0;
                for from in (0..).step_by(1000) {
                    text.clear();
                    push(own, from, 1000, &mut text);
                    out.write_all(&text)?;
                    length += text.len() as u64;
                    if length >= megabytes * 1_000_000 {
                        break;
                    }
                }
                out.write_all(b"\"}\n")?;
                continue;
            }
            Shape::Huge => push(own, 0, 300, &mut text),
            Shape::Short => {
                let original = if own.is_multiple_of(10) {
                    random::below(random::at(own, 0), number.max(1))
                } else {
                    number
                };
                push(random::at(seed, original), 0, words, &mut text);
            }
            Shape::Header => {
                push(common, 0, 2000, &mut text);
                push(own, 0, 500, &mut text);
            }
            Shape::Collisions => {
                text.extend_from_slice(&passage);
                push(own, 0, 300, &mut text);
            }
        }
        write!(out, "{{\"id\":{number},\"text\":\"")?;
        out.write_all(&text)?;
        out.write_all(b"\"}\n")?;
    }
    Ok(())
}

/// Appends `count` words of a random stream, beginning at word `from`.
fn push(stream: u64, from: u64, count: u64, text: &mut Vec<u8>) {
    (from..from + count).for_each(|i| words::push(random::at(stream, i), text));
}

/// Returns a passage. In nearly all texts that contain it, its windows have the least values in the slots of the first bands. For
/// each slot, many windows were tried, and the passage contains the one with the least value.
fn colliding() -> anyhow::Result<Vec<u8>> {
    let config = Config::default();
    let method = Method::new(config.clone())?;
    let curve = method
        .shape()
        .map(|shape| shape.curve())
        .ok_or_else(|| anyhow::anyhow!("the default has no bands"))?;
    let slots = (curve.bands * curve.rows)
        .max(DEFAULT_SLOTS)
        .max(BITS_SLOTS);
    let (many, one) = (
        MinHash::new(slots, config.seed),
        OnePermutation::new(slots, config.seed),
    );
    let mut scratch = Scratch::default();
    let mut slots = Vec::new();
    let window = |number: u64| {
        let mut text = Vec::new();
        push(!number, 0, 5, &mut text);
        String::from_utf8(text)
    };
    let fingerprint = |number: u64, scratch: &mut Scratch| -> anyhow::Result<[u64; 1]> {
        method.sketch(&window(number)?, scratch);
        Ok([scratch.fingerprints[0]])
    };
    // Find out which of the two families of permutations the default uses. For a single shingle, the families give different
    // keys.
    let first = fingerprint(0, &mut scratch)?;
    one.minima(&first, &mut slots);
    let by_one = band_keys(&slots, curve).eq(scratch.keys.iter().copied());
    many.minima(&first, &mut slots);
    let by_many = band_keys(&slots, curve).eq(scratch.keys.iter().copied());
    anyhow::ensure!(
        by_one || by_many,
        "the signatures of the default configuration are made neither with one permutation nor with many"
    );
    let wanted = COLLIDING * curve.rows;
    let mut best = vec![(u32::MAX, 0); wanted];
    let mut fallback = Vec::new();
    for number in 0..TRIED {
        let fingerprint = fingerprint(number, &mut scratch)?;
        many.minima(&fingerprint, &mut slots);
        if by_one {
            // With one permutation, a shingle of a long text affects only one slot, its bin. For a single shingle, all other
            // slots have the same value in both families, so slots in which the two families agree are ignored.
            fallback.clone_from(&slots);
            one.minima(&fingerprint, &mut slots);
            slots
                .iter_mut()
                .zip(&fallback)
                .for_each(|(slot, other)| *slot = if slot == other { u32::MAX } else { *slot });
        }
        for (best, &slot) in best.iter_mut().zip(&slots) {
            *best = (*best).min((slot, number));
        }
    }
    let mut passage = Vec::new();
    for (_, number) in best {
        passage.extend_from_slice(window(number)?.as_bytes());
    }
    Ok(passage)
}
