//! `lookalike sketch`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use lookalike::{
    Choice, Config, Features, Permutations, choices,
    fingerprint::DigestBy,
    sketch::{Modulus, Width},
    stored::{Accuracy, SketchBy, SketchParameters, Sketching},
};
use lookalike_engine::{RunConfig, SketchSummary, merge_sketches, sketch};
use lookalike_options::{Execution, Inputs, Shingling, choice, modulus, refuse};

use crate::{
    found::left_out,
    front::Flags,
    output::{bytes, count, counted, warnings},
    report::Report,
};

/// Write a sketch of each document, to compare documents without their texts
///
/// The file has a row per document: the id, the number of shingles, the digest (equal for exact duplicates) and the sketch. Its
/// header has the parameters and the seed. `pairs`, `compare` and `curve` read such files instead of texts, and estimate all
/// similarities. Sketches with different parameters are never compared. A text without words is in the file and matches nothing.
///
/// With --merge, INPUT are files of sketches, and FILE gets all their documents.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike sketch crawl.jsonl.zst -o sketches.parquet\n  \
    lookalike pairs sketches.parquet --threshold 0.8\n  \
    lookalike sketch crawl.jsonl.zst -o small.parquet --slots 512 --bits 8\n  \
    lookalike sketch books.jsonl -o samples.parquet --sketch modulo --modulus 16\n  \
    lookalike sketch --merge monday.parquet tuesday.parquet -o week.parquet\n  \
    lookalike compare mit isc --in sketches.parquet\n  \
    lookalike curve --sketches sketches.parquet"
)]
pub struct Sketch {
    #[command(flatten)]
    inputs: Inputs,
    /// Write the sketches to FILE (- for standard output)
    ///
    /// FILE is a table if its name ends with .parquet, .arrow, .feather or .arrows, and otherwise JSON Lines, compressed if the name
    /// ends with .gz, .zst, .bz2, .xz, .lz4 or .br. FILE can be a URL.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Kind of sketch [default: minhash]
    #[arg(long = "sketch", value_parser = choice::<KindBy>(), value_name = "KIND", help_heading = "Sketch")]
    kind: Option<KindBy>,
    /// For --sketch minhash: slots per signature [default: 128]
    #[arg(long, value_name = "N", help_heading = "Sketch")]
    slots: Option<usize>,
    /// For minhash: bits per slot, 8, 16 or 32; for simhash: 64 or 128
    ///
    /// [default: 32 for minhash, 64 for simhash] 512 slots of 8 bits take as many bytes as 128 slots of 32 bits, and halve the
    /// standard error, but cannot be united (--union).
    #[arg(long, value_name = "BITS", help_heading = "Sketch")]
    bits: Option<u32>,
    /// For --sketch minhash: random permutations per signature [default: one]
    #[arg(long, value_parser = choice::<Permutations>(), help_heading = "Sketch")]
    permutations: Option<Permutations>,
    /// For --sketch bottom and modulo: shingles per sketch
    ///
    /// With bottom, a sketch has at most N shingles [default: 100]. With modulo, a sketch of a long text is expected to have from N to
    /// twice as many shingles [default: 50]. Each takes 8 bytes.
    #[arg(long, value_name = "N", help_heading = "Sketch")]
    size: Option<usize>,
    /// For --sketch modulo: sample one shingle in M, whatever the size of a text
    ///
    /// M is a power of two. The size of a sketch grows with the text, so that it can find short texts inside long ones.
    #[arg(
        long,
        value_name = "M",
        conflicts_with = "size",
        help_heading = "Sketch"
    )]
    modulus: Option<u64>,
    /// For --sketch simhash: features to hash [default: shingles]
    #[arg(long, value_parser = choice::<Features>(), help_heading = "Sketch")]
    features: Option<Features>,
    /// For --sketch sentences: number of longest sentences [default: 3]
    #[arg(long, value_name = "K", help_heading = "Sketch")]
    longest: Option<usize>,
    /// For --sketch sentences: hash of the longest sentences [default: xxh3]
    #[arg(long, value_parser = choice::<DigestBy>(), help_heading = "Sketch")]
    digest: Option<DigestBy>,
    /// Merge files of sketches instead of sketching texts
    ///
    /// The parameters of all files must be the same, and no id may occur twice.
    #[arg(long, help_heading = "Merging")]
    merge: bool,
    /// With --merge: unite documents that have the same id
    ///
    /// The result is the sketch of the union of their shingle sets. It follows from the sketches of --sketch bottom, of modulo, and of
    /// minhash with 32 bits per slot.
    #[arg(long, requires = "merge", help_heading = "Merging")]
    union: bool,
    /// Print the summary as JSON on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shingling: Shingling,
    #[command(flatten)]
    execution: Execution,
}

choices! {
    /// Kinds of sketches.
    #[derive(Default)]
    enum KindBy {
        /// a MinHash signature
        Minhash = "minhash" (default),
        /// the shingles with the smallest hashes (MIN_s)
        Bottom = "bottom",
        /// the shingles whose hashes are divisible by a modulus, which doubles with the size of the text (MOD_m)
        Modulo = "modulo",
        /// a SimHash
        Simhash = "simhash",
        /// a digest of the longest sentences
        Sentences = "sentences",
    }
}

/// The default sizes of samples: 800 bytes at most with MIN_s, 400 to 800 expected with MOD_m (Broder 1997, section 4.2).
const BOTTOM: usize = 100;
const LEAST: usize = 50;

impl Sketch {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.config()?;
        let quiet = self.execution.quiet;
        let run = Report::new("sketch")
            .over(&self.inputs)
            .output("sketches", Some(&self.output))
            .begin(config.summary.as_deref(), self.json, quiet)?;
        let summary = run.observed(|observer| -> anyhow::Result<_> {
            if self.merge {
                return Ok(merge_sketches(&config, self.union, &self.output, observer)?);
            }
            let parameters = self.parameters(&config.method)?;
            Ok(sketch(&config, &parameters, &self.output, observer)?)
        })?;
        warnings(&summary.unread.bad_examples, Flags::Others, quiet);
        let lines = lines(&summary)?;
        run.end_on_stderr(&summary, || lines.join("\n"))?;
        Ok(ExitCode::SUCCESS)
    }

    fn config(&self) -> anyhow::Result<RunConfig> {
        let method = self
            .inputs
            .records
            .fields
            .of_sets(self.shingling.config()?)?;
        let usual = Config::default();
        if self.merge
            && (method != usual
                || self.given().any(|(_, is_given, _)| is_given)
                || self.kind.is_some_and(|kind| kind != KindBy::Minhash))
        {
            anyhow::bail!(
                "--merge copies sketches with the parameters of their files; leave out the flags that determine a sketch"
            );
        }
        if self.merge && self.inputs.records.skip_bad.is_some() {
            anyhow::bail!(
                "--skip-bad is for texts; a file of sketches has no bad lines unless it is damaged"
            );
        }
        Ok(RunConfig::of(&self.inputs, &self.execution, method))
    }

    /// Returns the settings of the kinds of sketches: whether each was given, and the kinds that it applies to.
    fn given(&self) -> impl Iterator<Item = (&'static str, bool, &'static [KindBy])> {
        let all: [(&str, bool, &'static [KindBy]); 8] = [
            ("--slots", self.slots.is_some(), &[KindBy::Minhash]),
            (
                "--bits",
                self.bits.is_some(),
                &[KindBy::Minhash, KindBy::Simhash],
            ),
            (
                "--permutations",
                self.permutations.is_some(),
                &[KindBy::Minhash],
            ),
            (
                "--size",
                self.size.is_some(),
                &[KindBy::Bottom, KindBy::Modulo],
            ),
            ("--modulus", self.modulus.is_some(), &[KindBy::Modulo]),
            ("--features", self.features.is_some(), &[KindBy::Simhash]),
            ("--longest", self.longest.is_some(), &[KindBy::Sentences]),
            ("--digest", self.digest.is_some(), &[KindBy::Sentences]),
        ];
        all.into_iter()
    }

    fn parameters(&self, method: &Config) -> anyhow::Result<SketchParameters> {
        let kind = self.kind.unwrap_or_default();
        if let Some((flag, _, kinds)) = self
            .given()
            .find(|(_, is_given, kinds)| *is_given && !kinds.contains(&kind))
        {
            let kinds: Vec<_> = kinds
                .iter()
                .map(|kind| format!("--sketch {}", kind.name()))
                .collect();
            anyhow::bail!(
                "{flag} only works with {}, not with --sketch {}; leave out one of the two",
                kinds.join(" or "),
                kind.name()
            );
        }
        if kind == KindBy::Sentences && self.inputs.records.fields.set_field.is_some() {
            return Err(refuse(
                "$set_field: a set has no sentences",
                "choose another --sketch",
            )
            .into());
        }
        let sketch = match kind {
            KindBy::Minhash => SketchBy::MinHash {
                slots: self.slots.unwrap_or(lookalike::lsh::DEFAULT_SLOTS),
                bits: self.bits.unwrap_or(32),
                permutations: self.permutations.unwrap_or_default(),
            },
            KindBy::Bottom => SketchBy::Bottom {
                size: self.size.unwrap_or(BOTTOM),
            },
            KindBy::Modulo => SketchBy::Modulo {
                modulus: match self.modulus {
                    Some(m) => modulus(m)?,
                    None => Modulus::Growing {
                        least: self.size.unwrap_or(LEAST),
                    },
                },
            },
            KindBy::Simhash => SketchBy::SimHash {
                bits: self
                    .bits
                    .map(Width::try_from)
                    .transpose()?
                    .unwrap_or_default(),
                features: self.features.unwrap_or_default(),
            },
            KindBy::Sentences => SketchBy::Sentences {
                longest: self.longest.unwrap_or(3),
                digest: self.digest.unwrap_or_default(),
            },
        };
        Ok(SketchParameters::new(method, sketch)?)
    }
}

/// The lines of the summary.
fn lines(summary: &SketchSummary) -> anyhow::Result<Vec<String>> {
    let SketchSummary {
        documents,
        empty,
        sketch_bytes,
        parameters,
        merged,
        united,
        ..
    } = summary;
    let without = if *empty > 0 {
        format!(", {} without words", counted(*empty, "text"))
    } else {
        String::new()
    };
    let mut first = match merged {
        None => format!("{} sketched{without}", counted(*documents, "document")),
        Some(files) => format!(
            "{} of {} merged{without}",
            counted(*documents, "document"),
            counted(*files, "file")
        ),
    };
    if let Some(united) = united {
        first += &format!(", {} of them united from several", count(*united));
    }
    let each = *sketch_bytes as f64 / (*documents).max(1) as f64;
    let mut lines = vec![
        first,
        format!("sketches: {}, seed {}", parameters.kind(), parameters.seed),
        format!(
            "size: {} of sketches, {each:.0} bytes per document",
            bytes(*sketch_bytes)
        ),
    ];
    if let Some(accuracy) = Accuracy::of(&Sketching::new(parameters)?) {
        let errors = [0.5, 0.8, 0.9]
            .map(|r| format!("{:.3} at resemblance {r}", accuracy.standard_error(r)));
        lines.push(format!("estimates: standard error {}", errors.join(", ")));
    }
    lines.extend(left_out(&summary.unread.left_out).map(|words| format!("skipped: {words}")));
    Ok(lines)
}
