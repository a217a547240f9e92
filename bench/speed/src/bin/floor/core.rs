//! Measures the floor (the least work that any run has to do) with the core's own functions.

use anyhow::Context;
use lookalike::{Bands, Candidates, Config, Method, Permutations, Scratch, text::Text};

use super::{Lines, Seen, scan::PAD};

/// Sketches the lines of all blocks that this thread takes from `lines`.
pub fn work(lines: &mut Lines, seen: &mut Seen) -> anyhow::Result<()> {
    let (id, text) = (
        memchr::memmem::Finder::new(b"\"id\":"),
        memchr::memmem::Finder::new(b"\"text\":\""),
    );
    let bands = Bands {
        permutations: Permutations::One,
        ..Bands::default()
    };
    let method = Method::new(Config {
        candidates: Candidates::Bands(bands),
        ..Config::default()
    })?;
    let mut scratch = Scratch::default();
    while let Some(block) = lines.take()? {
        let block = &block[..block.len() - PAD];
        let mut at = 0;
        while let Some(found) = id.find(&block[at..]) {
            at += found;
            let Some(found) = text.find(&block[at..]) else {
                break;
            };
            let start = at + found + 8;
            let end = start + string_end(&block[start..]);
            let text = std::str::from_utf8(&block[start..end]).context("a text")?;
            method.sketch(Text::Escaped(text), &mut scratch);
            seen.documents += 1;
            seen.shingles += scratch.fingerprints.len() as u64;
            seen.keys.extend_from_slice(&scratch.keys);
            at = memchr::memchr(b'\n', &block[end..]).map_or(block.len(), |found| end + found + 1);
        }
    }
    Ok(())
}

/// Returns the end of a string whose opening quote is just before `rest`.
fn string_end(rest: &[u8]) -> usize {
    let mut end = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &rest[end..]) {
        end += found;
        if rest[end] == b'"' {
            return end;
        }
        end += 2;
    }
    rest.len()
}
