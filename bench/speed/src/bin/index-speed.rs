//! Measures a persistent index: how fast it is filled, searched and changed.

use std::{
    ops::Range,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use clap::{Parser, Subcommand};
use lookalike_bench::{random, words};
use lookalike_index::{Ask, Config, Id, Index, NewDocument, OnConflict, Settings, Store};

/// Measure a persistent index
#[derive(Parser)]
struct Arguments {
    /// The folder of the index
    folder: PathBuf,
    /// The size of a text in bytes
    #[arg(long, default_value_t = 500, global = true)]
    bytes: usize,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Create the index and add documents in large batches
    Fill {
        #[arg(long, default_value_t = 1_000_000)]
        documents: u64,
        /// The size of a batch in bytes
        #[arg(long, default_value_t = 64 << 20)]
        batch: usize,
        /// Compact the index at the end
        #[arg(long)]
        compact: bool,
    },
    /// Search for texts, of which half are similar to a document
    Query {
        #[arg(long, default_value_t = 20_000)]
        queries: u64,
    },
    /// Add documents one by one from many threads; each waits until its document is on the disk
    Callers {
        #[arg(long, default_value_t = 64)]
        threads: u64,
        #[arg(long, default_value_t = 100_000)]
        adds: u64,
    },
    /// Delete documents one by one
    Delete {
        #[arg(long, default_value_t = 1000)]
        deletes: u64,
    },
    /// Write the index again in one segment
    Compact,
    /// Create the index with versions of one text, of which each resembles only the next ones, and delete the first
    Versions {
        #[arg(long, default_value_t = 100_000)]
        versions: u64,
    },
}

/// The most bytes of texts that are made ahead.
const AHEAD: u64 = 4 << 30;

/// Returns the text of a document. One in ten is a near-copy of an earlier one.
fn text(number: u64, bytes: usize) -> String {
    let draw = |counter: u64| random::at(number, counter);
    if number >= 10 && draw(0) % 10 == 0 {
        let original = random::below(draw(1), number);
        return changed(&plain(original, bytes), draw(2));
    }
    plain(number, bytes)
}

/// Returns a text of words whose frequencies follow Zipf's law.
fn plain(number: u64, bytes: usize) -> String {
    const VOCABULARY: f64 = 200_000.0;
    let mut out = Vec::with_capacity(bytes + 20);
    let mut counter = 10;
    while out.len() < bytes {
        let uniform = random::at(number, counter) as f64 / u64::MAX as f64;
        words::push(random::at(7, VOCABULARY.powf(uniform) as u64), &mut out);
        counter += 1;
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Replaces one word.
fn changed(text: &str, random: u64) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let at = random::below(random, words.len() as u64) as usize;
    words[at] = "something";
    words.join(" ")
}

fn add(index: &Index, numbers: Range<u64>, bytes: usize) -> Result<()> {
    let texts: Vec<String> = numbers.clone().map(|number| text(number, bytes)).collect();
    let documents = numbers.zip(&texts).map(|(number, text)| NewDocument {
        id: Id::Number(number as i64),
        text,
        key: 0,
    });
    index.add(&documents.collect::<Vec<_>>(), OnConflict::Fail)?;
    Ok(())
}

fn create(folder: &std::path::Path) -> Result<Index> {
    let settings = Settings {
        config: Config::default(),
        store: Store::Texts,
        keep: "first".into(),
    };
    Ok(Index::create(folder, settings)?)
}

fn show(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let mean = times.iter().sum::<Duration>().as_secs_f64() * 1e3 / times.len() as f64;
    println!(
        "{name}: {} times, p50 {:.3} ms, p90 {:.3} ms, p99 {:.3} ms, mean {mean:.3} ms",
        times.len(),
        at(0.5),
        at(0.9),
        at(0.99)
    );
}

fn main() -> Result<()> {
    let Arguments {
        folder,
        bytes,
        what,
    } = Arguments::parse();
    match what {
        What::Fill {
            documents,
            batch,
            compact,
        } => {
            let index = create(&folder)?;
            let per_batch = (batch / bytes) as u64;
            let made = |numbers: Range<u64>| {
                numbers
                    .map(|number| text(number, bytes))
                    .collect::<Vec<_>>()
            };
            // If all texts fit into memory, they are made before the clock starts, so that no merge runs meanwhile.
            let ahead = if documents * bytes as u64 <= AHEAD {
                made(0..documents)
            } else {
                Vec::new()
            };
            let (mut spent, mut making) = (Duration::ZERO, Duration::ZERO);
            for first in (0..documents).step_by(per_batch as usize) {
                let numbers = first..(first + per_batch).min(documents);
                let start = Instant::now();
                let of_batch = if ahead.is_empty() {
                    made(numbers.clone())
                } else {
                    Vec::new()
                };
                making += start.elapsed();
                let start = Instant::now();
                let texts = if ahead.is_empty() {
                    &of_batch
                } else {
                    &ahead[numbers.start as usize..numbers.end as usize]
                };
                let new = numbers.zip(texts).map(|(number, text)| NewDocument {
                    id: Id::Number(number as i64),
                    text,
                    key: 0,
                });
                index.add(&new.collect::<Vec<_>>(), OnConflict::Fail)?;
                spent += start.elapsed();
            }
            // A merge that is running is waited for.
            let start = Instant::now();
            drop(index);
            spent += start.elapsed();
            let index = Index::open(&folder)?;
            let seconds = spent.as_secs_f64();
            let speed = (
                documents as f64 / seconds,
                (documents as usize * bytes) as f64 / 1e6 / seconds,
            );
            println!(
                "filled: {documents} documents in {seconds:.1} s (and {:.1} s for making texts), {:.0} documents/s, {:.0} MB/s",
                making.as_secs_f64(),
                speed.0,
                speed.1
            );
            if compact {
                let start = Instant::now();
                index.compact()?;
                println!("compacted: {:.1} s", start.elapsed().as_secs_f64());
            }
            println!("{:?}", index.stats()?);
        }
        What::Query { queries } => {
            let start = Instant::now();
            let index = Index::open_to_read(&folder)?;
            println!("opened: {:.3} s", start.elapsed().as_secs_f64());
            let documents = index.len();
            let ask = |query: u64| match query % 2 {
                0 => plain(documents + 1_000_000_000 + query, bytes),
                _ => changed(
                    &text(random::below(random::at(99, query), documents), bytes),
                    query,
                ),
            };
            for round in ["first", "second"] {
                let (mut new, mut similar, mut found) = (Vec::new(), Vec::new(), 0);
                for query in 0..queries {
                    let text = ask(query);
                    let start = Instant::now();
                    let matches = index.query(&Ask::text(&text))?;
                    let time = start.elapsed();
                    if query % 2 == 0 {
                        new.push(time)
                    } else {
                        similar.push(time)
                    }
                    found += usize::from(!matches.is_empty());
                }
                println!("{round} round: {found} of {queries} found something");
                show("  new", new);
                show("  similar", similar);
            }
        }
        What::Callers { threads, adds } => {
            let index = create(&folder)?;
            let next = AtomicU64::new(0);
            let start = Instant::now();
            thread::scope(|scope| {
                let callers: Vec<_> = (0..threads)
                    .map(|_| {
                        scope.spawn(|| -> Result<()> {
                            loop {
                                let number = next.fetch_add(1, Ordering::Relaxed);
                                if number >= adds {
                                    return Ok(());
                                }
                                add(&index, number..number + 1, bytes)?;
                            }
                        })
                    })
                    .collect();
                callers.into_iter().try_for_each(|caller| {
                    caller
                        .join()
                        .map_err(|_| anyhow::anyhow!("a caller panicked"))?
                })
            })?;
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{threads} callers: {adds} durable adds in {seconds:.1} s, {:.0}/s",
                adds as f64 / seconds
            );
        }
        What::Delete { deletes } => {
            let index = Index::open(&folder)?;
            let documents = index.len();
            let (mut times, mut changes) = (Vec::new(), 0);
            for delete in 0..deletes {
                let id = Id::Number(random::below(random::at(5, delete), documents) as i64);
                let start = Instant::now();
                changes += index.delete(&[id])?.len();
                times.push(start.elapsed());
            }
            show("deletes", times);
            println!("{changes} decisions changed");
        }
        What::Compact => {
            let index = Index::open(&folder)?;
            let start = Instant::now();
            index.compact()?;
            println!(
                "compacted: {:.1} s; {:?}",
                start.elapsed().as_secs_f64(),
                index.stats()?
            );
        }
        What::Versions { versions } => {
            let index = create(&folder)?;
            // Each version replaces 1 of 20 words, so its neighbours are similar, and others are not.
            let version = |number: u64| {
                (number..number + 20)
                    .map(|word| format!("word{word} "))
                    .collect::<String>()
            };
            let texts: Vec<String> = (0..versions).map(version).collect();
            let new = (0..).zip(&texts).map(|(number, text)| NewDocument {
                id: Id::Number(number),
                text,
                key: 0,
            });
            let start = Instant::now();
            index.add(&new.collect::<Vec<_>>(), OnConflict::Fail)?;
            println!(
                "added in {:.1} s; {:?}",
                start.elapsed().as_secs_f64(),
                index.stats()?
            );
            let start = Instant::now();
            let changes = index.delete(&[Id::Number(0)])?.len();
            println!(
                "deleted the first in {:.1} s: {changes} decisions changed; {:?}",
                start.elapsed().as_secs_f64(),
                index.stats()?
            );
        }
    }
    Ok(())
}
