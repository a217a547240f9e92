//! Writes a collection like the web of 1996 to standard output, as JSON Lines; see `web/`. Every run writes the same bytes, for
//! any number of threads.

use std::{fs::File, io::Write, path::PathBuf, time::Instant};

use clap::Parser;
use lookalike_bench::{
    pipe::write_blocks,
    web::{Composer, Kind, Plan, Pool},
};

/// Write a collection with the size and duplication of AltaVista's experiment of 1997 to standard output
#[derive(Parser)]
struct Arguments {
    /// Folder of the corpora that the text is composed from
    #[arg(long)]
    data: PathBuf,
    /// Number of documents, of 5 kB each on average
    #[arg(long, default_value_t = 30_000_000)]
    documents: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the origin of each copy to FILE: kind, place of the original (from 0), |A∩B| and |A∪B|
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Report bytes and seconds on standard error
    #[arg(long)]
    verbose: bool,
}

/// Documents composed at a time.
const BLOCK: u64 = 128;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let started = Instant::now();
    let composer = Composer::new(
        Plan::new(arguments.documents, arguments.seed),
        Pool::load(&arguments.data)?,
    );
    let ready = started.elapsed();
    let truth = arguments.truth.as_ref().map(File::create).transpose()?;
    let reported = truth.is_some();
    let bytes = write_blocks(
        arguments.documents.div_ceil(BLOCK),
        arguments.threads,
        truth,
        |block, out| {
            for place in block * BLOCK..arguments.documents.min((block + 1) * BLOCK) {
                let made = composer.line(place, &mut out.lines);
                if reported && made.role.kind != Kind::Original {
                    let kind = format!("{:?}", made.role.kind).to_lowercase();
                    let (original, shared, union) = (made.role.original, made.shared, made.union);
                    // Writing to memory cannot fail.
                    let _ = writeln!(out.truth, "{place} {original} {kind} {shared} {union}");
                }
            }
        },
    )?;
    if arguments.verbose {
        eprintln!(
            "{bytes} bytes in {:.3} s, including {:.3} s to prepare",
            started.elapsed().as_secs_f64(),
            ready.as_secs_f64()
        );
    }
    Ok(())
}
