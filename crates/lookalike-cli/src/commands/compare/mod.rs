//! `lookalike compare`.

mod longest;

mod sketches;

mod report;

mod page;

mod stored;

use std::{path::Path, process::ExitCode};

use clap::Args;
use lookalike::{
    Config, Method, Scratch,
    lsh::{DEFAULT_SLOTS, Shape},
    sketch::MinHash,
    text::{TokensBy, items},
    verify::{Measure, Overlap, Passage},
};
use lookalike_engine::{RunConfig, find_texts, read_document, shown_name};
use lookalike_options::{Fields, Shingling, as_sets, choice};

use self::{
    longest::LongestArgs,
    report::{Place, Report, Signatures},
    sketches::sketches,
};
use crate::{
    output::{print, print_data},
    report::Report as Header,
};

/// Compare two texts and show what they share
///
/// A and B are two texts (files, plain or compressed, URLs, or - for standard input) or, with --in, the ids of two documents of a
/// collection. Prints the exact resemblance, the containment in both directions, and the estimates that sketches would give, with
/// intervals that contain the true value 95 times in 100. Then prints both texts, with shared passages in green and all other
/// text in red.
///
/// With --sets, or with --in and --set-field, A and B are sets, which are compared by their items.
///
/// A and B can also be files of sketches with one document each, and the files of --in can be files of sketches, which `lookalike
/// sketch` writes. Then the figures are estimates, and there are no texts to print.
///
/// With --sketches, every kind of sketch estimates the similarity of the pair. With --longest, the longest sentences of both
/// texts and the digests of these sentences are shown. With --threshold, the exit code is 1 if the resemblance, or the measure
/// named by --measure, is below the threshold.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike compare old.txt new.txt\n  \
    lookalike compare mit apache-2.0 --in licenses.jsonl.zst --full\n  \
    lookalike compare old.txt new.txt --sketches\n  \
    lookalike compare old.txt new.txt --longest 3 --digest md5\n  \
    lookalike compare ann bob --in users.jsonl --set-field films\n  \
    lookalike compare excerpt.txt book.txt --measure containment --threshold 0.9")]
pub struct Compare {
    /// A text file, the URL of one, or an id
    a: String,
    /// The text file, URL or id to compare with
    b: String,
    /// Look up A and B as ids in this file, folder or quoted glob
    ///
    /// The flag can be repeated. Give an id without quotes, even if it is a string. If one id is a number and another is a string
    /// of the same digits, give the string with its quotes.
    #[arg(long = "in", value_name = "INPUT")]
    collection: Vec<String>,
    /// Encoding of inputs that are not UTF-8, such as windows-1252 or gbk
    ///
    /// The flag applies to JSON Lines, and to CSV that is neither UTF-8 nor UTF-16. The encoding of text and HTML documents is
    /// detected unless this flag is given.
    #[arg(
        long,
        value_name = "LABEL",
        requires = "collection",
        help_heading = "Input"
    )]
    encoding: Option<String>,
    #[command(flatten)]
    fields: Fields,
    /// Compare sets: A and B are files with one JSON array each
    ///
    /// The items of an array are strings and numbers, and are compared as they are.
    #[arg(long, conflicts_with = "collection", help_heading = "Input")]
    sets: bool,
    #[command(flatten)]
    shingling: Shingling,
    /// Exit with code 1 if the similarity is below T
    ///
    /// The similarity is the resemblance, or the measure that --measure names.
    #[arg(
        long,
        short,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Comparison"
    )]
    threshold: Option<f64>,
    /// Similarity measure that --threshold applies to [default: resemblance]
    #[arg(long, value_parser = choice::<Measure>(), requires = "threshold", help_heading = "Comparison")]
    measure: Option<Measure>,
    /// Show what every kind of sketch estimates, and its size
    ///
    /// Three kinds are MinHash signatures: with many permutations, with one permutation, and with each number cut to one byte.
    /// Three kinds are samples: the shingles with the smallest hashes; the shingles whose hashes are divisible by a modulus; and,
    /// of the latter, those with the smallest hashes. The other kinds are SimHash and the longest sentences.
    #[arg(long)]
    sketches: bool,
    #[command(flatten)]
    longest: LongestArgs,
    /// Print long passages in full
    #[arg(long)]
    full: bool,
    /// Print all figures and the byte offsets of the passages as JSON
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(sketches) = self.stored()? {
            return self.of_sketches(sketches);
        }
        let method = Method::new(self.config()?)?;
        if let Some(threshold) = self.threshold {
            Shape::check(threshold, method.config().recall)?;
        }
        let texts = self.texts()?;
        let mut scratch = Scratch::default();
        let mut few_anchors = Vec::new();
        let sets = texts.each_ref().map(|text| {
            method.set(text, &mut scratch);
            few_anchors.push(scratch.few_anchors);
            scratch.fingerprints.clone()
        });
        let overlap = Overlap::of(&sets[0], &sets[1]);
        let passages = method.passages(texts.each_ref().map(String::as_str));
        let mut report = self.report(&method, &sets, overlap, &passages)?;
        if !method.config().anchors.is_empty() {
            report.few_anchors = few_anchors.try_into().ok();
        }
        if self.sketches {
            report.sketches = Some(sketches(&method, &texts, &sets)?);
        }
        if method.config().tokens != TokensBy::Items {
            report.sentences = self.longest.of(&texts, method.config().folds)?;
        }
        if self.json {
            let header = Header::new("compare")
                .inputs("a", [&self.a])
                .inputs("b", [&self.b])
                .inputs("in", &self.collection);
            print_data(&header.json(&report)?)?;
        } else {
            let members = if method.config().tokens == TokensBy::Items {
                "item"
            } else {
                "shingle"
            };
            print(&page::page(&report, members, &texts, &passages, self.full))?;
        }
        let measured = match self.measure.unwrap_or_default() {
            Measure::Resemblance => report.figures.resemblance,
            Measure::Containment => report.figures.containment_ab,
        };
        Ok(ExitCode::from(u8::from(
            self.threshold.is_some_and(|t| measured < t),
        )))
    }

    fn config(&self) -> anyhow::Result<Config> {
        if self.fields.set_field.is_some() && self.collection.is_empty() {
            anyhow::bail!(
                "--set-field names a field of the records of --in; give both, or --sets if A and B are JSON arrays"
            );
        }
        let config = self.fields.of_sets(self.shingling.config()?)?;
        if self.sets {
            Ok(as_sets(config)?)
        } else {
            Ok(config)
        }
    }

    fn texts(&self) -> anyhow::Result<[String; 2]> {
        if self.collection.is_empty() {
            if self.a == "-" && self.b == "-" {
                anyhow::bail!(
                    "standard input can be only one of the two texts; name a file for the other"
                );
            }
            let read = |path: &String| {
                let is_file = path != "-" && !path.contains("://");
                if is_file && Path::new(path).try_exists().is_ok_and(|is_there| !is_there) {
                    anyhow::bail!(
                        "{path}: no such file; name a text file or a URL, or give a collection with --in to compare by ids"
                    );
                }
                let bytes = read_document(path)?;
                let path = shown_name(path);
                let text = String::from_utf8(bytes).map_err(|error| {
                    let at = error.utf8_error().valid_up_to() + 1;
                    anyhow::anyhow!("{path}: invalid UTF-8 at byte {at}; convert the file to UTF-8, for instance with iconv")
                })?;
                match items(&text).find_map(Result::err).filter(|_| self.sets) {
                    Some(what) => Err(anyhow::anyhow!("{path}: {what}")),
                    None => Ok(text),
                }
            };
            return Ok([read(&self.a)?, read(&self.b)?]);
        }
        let texts = find_texts(&self.run_config()?, &[&self.a, &self.b])?;
        texts
            .try_into()
            .map_err(|_| anyhow::anyhow!("two documents were expected"))
    }

    /// Returns the configuration for looking up A and B by their ids.
    fn run_config(&self) -> anyhow::Result<RunConfig> {
        Ok(RunConfig {
            inputs: self.collection.clone(),
            // The two documents are looked up by their ids, in all splits of a dataset folder.
            all_splits: true,
            encoding: self.encoding.clone(),
            method: self.config()?,
            text_field: self.fields.text().into(),
            id_field: self.fields.id().into(),
            ..RunConfig::default()
        })
    }

    fn report(
        &self,
        method: &Method,
        sets: &[Vec<u64>; 2],
        overlap: Overlap,
        cut: &[Vec<Passage>; 2],
    ) -> anyhow::Result<Report> {
        let minhash = MinHash::new(DEFAULT_SLOTS, method.config().seed);
        let signatures = sets.each_ref().map(|set| minhash.signature(set));
        let resemblance = signatures[0].resemblance(&signatures[1])?;
        // |A ∩ B| = r / (1 + r) · (|A| + |B|), so containment grows with r.
        let both = (overlap.a + overlap.b) as f64;
        let containment =
            |size: u64| resemblance.map(|r| (r / (1.0 + r) * both / size.max(1) as f64).min(1.0));
        let places = |cut: &[Passage]| {
            cut.iter()
                .map(|p| Place {
                    start: p.span.start,
                    end: p.span.end,
                    shared: p.shared,
                })
                .collect()
        };
        Ok(Report {
            a: shown_name(&self.a),
            b: shown_name(&self.b),
            figures: overlap.into(),
            few_anchors: None,
            sketch: Signatures {
                slots: minhash.slots(),
                resemblance,
                containment_ab: containment(overlap.a),
                containment_ba: containment(overlap.b),
            },
            sketches: None,
            sentences: None,
            passages_a: places(&cut[0]),
            passages_b: places(&cut[1]),
        })
    }
}
