//! Makes the bench collection: real documents, collages of real sentences, and copies of both with words changed at known rates.
//!
//! Everything follows from the seed. A quarter of the documents are copies: either identical except for capitals and spaces, or
//! with a share of their words replaced. The other documents are new. A list of the copies is written next to the collection. For
//! each copy, it has the id, the id of the original, and the share of words changed.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::Parser;
use lookalike::fingerprint::SplitMix64;
use serde_json::{Value, json};

/// Make the bench collection from the shared corpora
#[derive(Parser)]
struct Arguments {
    /// Folder of the corpora
    #[arg(long)]
    data: PathBuf,
    /// Output file; the list of copies is written next to it
    output: PathBuf,
    /// Size of the collection
    #[arg(long, default_value_t = 600)]
    megabytes: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave out the Chinese and Japanese corpora
    #[arg(long)]
    english: bool,
    /// Use only this corpus
    #[arg(long, value_name = "NAME", conflicts_with = "english")]
    only: Option<String>,
}

/// A corpus, and its percentage of the new documents.
struct Corpus {
    name: &'static str,
    share: u64,
    /// Whether sentences end at `。` instead of a full stop. If so, copies have single characters replaced instead of words.
    chinese: bool,
    texts: Vec<String>,
}

/// Percentage of new documents that are real ones, as long as unused real documents are left; the others are collages.
const REAL: u64 = 30;
/// Percentage of documents that are copies of earlier ones.
const COPIES: u64 = 25;
/// Shares of words that are changed in a copy.
const RATES: [f64; 8] = [0.0, 0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut random = Random(SplitMix64::new(arguments.seed));
    let mut corpora = Vec::new();
    for (name, share, chinese) in [
        ("newsgroups20", 40, false),
        ("ota_us_versions", 25, false),
        ("licenses", 8, false),
        ("winps_docs", 17, false),
        ("ja_aozora_dev", 6, true),
        ("zh_tang", 4, true),
    ] {
        if chinese && arguments.english || arguments.only.as_ref().is_some_and(|only| only != name)
        {
            continue;
        }
        corpora.push(Corpus {
            name,
            share,
            chinese,
            texts: load(&arguments.data, name)?,
        });
    }
    anyhow::ensure!(!corpora.is_empty(), "there is no such corpus");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&arguments.output)?);
    let mut copies = BufWriter::new(File::create(
        arguments.output.with_extension("copies.jsonl"),
    )?);
    let mut made: Vec<(u64, usize, String)> = Vec::new();
    let mut next: Vec<usize> = vec![0; corpora.len()];
    let (mut bytes, mut id) = (0, 0u64);
    while bytes < arguments.megabytes * 1_000_000 {
        let (c, text) = if made.len() > 100 && random.percent(COPIES) {
            let of = random.below(made.len());
            let (of_id, corpus, original) = &made[of];
            let rate = RATES[random.below(RATES.len())];
            let text = mutate(original, rate, corpora[*corpus].chinese, &mut random);
            writeln!(copies, "{}", json!({"id": id, "of": of_id, "rate": rate}))?;
            (*corpus, text)
        } else {
            let c = random.corpus(&corpora);
            let corpus = &corpora[c];
            let text = if next[c] < corpus.texts.len() && random.percent(REAL) {
                next[c] += 1;
                corpus.texts[next[c] - 1].clone()
            } else {
                collage(corpus, &mut random)
            };
            made.push((id, c, text.clone()));
            (c, text)
        };
        let source = corpora[c].name;
        let line =
            json!({"id": id, "text": text, "source": source, "n": random.below(1000)}).to_string();
        writeln!(out, "{line}")?;
        bytes += line.len() as u64 + 1;
        id += 1;
    }
    out.flush()?;
    copies.flush()?;
    eprintln!(
        "{id} documents, {bytes} bytes in {}",
        arguments.output.display()
    );
    Ok(())
}

/// Loads the texts of a corpus, shuffled so that neighbouring texts are unrelated. Of several versions of one document, only the
/// first is loaded.
fn load(data: &Path, name: &str) -> anyhow::Result<Vec<String>> {
    let path = data.join(format!("{name}.jsonl.zst"));
    let file = File::open(&path).with_context(|| {
        format!(
            "{}: the shared corpora are needed; name their folder with --data",
            path.display()
        )
    })?;
    let mut texts = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for line in zstd::decode_all(file)?
        .split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
    {
        let record: Value = serde_json::from_slice(line)?;
        let family = record["doc"].as_str().or(record["page"].as_str());
        if family.is_none_or(|family| seen.insert(family.to_string())) {
            texts.push(record["text"].as_str().unwrap_or_default().to_string());
        }
    }
    let mut random = Random(SplitMix64::new(7));
    for i in (1..texts.len()).rev() {
        texts.swap(i, random.below(i + 1));
    }
    Ok(texts)
}

/// Returns a text of a few runs of consecutive sentences, each run from a random text.
fn collage(corpus: &Corpus, random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..2 + random.below(9) {
        let from = &corpus.texts[random.below(corpus.texts.len())];
        let ends = if corpus.chinese {
            ['。', '\n']
        } else {
            ['.', '\n']
        };
        let sentences: Vec<&str> = from.split_inclusive(ends).collect();
        if sentences.is_empty() {
            continue;
        }
        let start = random.below(sentences.len());
        let mut taken = 0;
        for sentence in sentences[start..]
            .iter()
            .take(3 + random.below(20))
            .take_while(|sentence| {
                taken += sentence.len();
                taken < 4000
            })
        {
            text.push_str(sentence);
            text.push(' ');
        }
    }
    text
}

/// Returns a copy with a share of its words (in Chinese, characters) replaced. At rate 0, the copy differs only in capitals and
/// spaces.
fn mutate(text: &str, rate: f64, chinese: bool, random: &mut Random) -> String {
    if rate == 0.0 {
        return text.to_uppercase().replace(", ", " , ");
    }
    let changed = |random: &mut Random| random.share() < rate;
    if chinese {
        return text
            .chars()
            .map(|c| {
                if changed(random) {
                    char::from_u32(0x4e00 + random.below(3000) as u32).unwrap_or(c)
                } else {
                    c
                }
            })
            .collect();
    }
    let word = |word: &str, random: &mut Random| {
        if changed(random) {
            format!("w{} ", random.below(10_000))
        } else {
            word.to_string()
        }
    };
    text.split_inclusive(' ').map(|w| word(w, random)).collect()
}

struct Random(SplitMix64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent as usize
    }

    fn corpus(&mut self, corpora: &[Corpus]) -> usize {
        let mut at = self.below(100) as u64;
        corpora
            .iter()
            .position(|corpus| {
                let here = at < corpus.share;
                at = at.saturating_sub(corpus.share);
                here
            })
            .unwrap_or(0)
    }
}
