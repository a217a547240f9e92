//! An independent check of `lookalike cut`, and a judge of what any tool has cut. Prints one JSON object.
//!
//! - `lookalike-bench-cut law INPUT OUTPUT CUTS WINDOW` checks the law for runs of WINDOW tokens.
//! - `lookalike-bench-cut judge INPUT OUTPUT WINDOW` compares the output of any tool with its input.

mod alignment;
mod judge;
mod law;
mod records;
mod sources;
mod suffixes;
mod tokens;

use std::{path::Path, process::ExitCode};

use records::{Collection, Failure};
use tokens::Vocabulary;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["law", input, output, cuts, window] => {
            law(input.as_ref(), output.as_ref(), cuts.as_ref(), window)
        }
        ["judge", input, output, window] => judge(input.as_ref(), output.as_ref(), window),
        _ => Err("usage: law INPUT OUTPUT CUTS WINDOW, or judge INPUT OUTPUT WINDOW".into()),
    };
    match done {
        Ok(result) => {
            println!("{result}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// The texts of an input and of an output.
struct Both {
    input: Collection,
    /// The tokens of each text of the input.
    before: Vec<Vec<u32>>,
    /// For each text of the input, the tokens that it has in the output; empty if it is not there.
    after: Vec<Vec<u32>>,
    /// The number of different tokens.
    vocabulary: usize,
}

fn both(input: &Path, output: &Path) -> Result<Both, Failure> {
    let mut vocabulary = Vocabulary::default();
    let input = Collection::read(input, &mut vocabulary)?;
    let output = Collection::read(output, &mut vocabulary)?;
    let numbers = input.numbers();
    if numbers.len() != input.ids.len() {
        return Err("ids are not unique".into());
    }
    let mut kept = vec![Vec::new(); input.ids.len()];
    for (id, forms) in output.ids.iter().zip(output.forms()) {
        let number = *numbers
            .get(id.as_str())
            .ok_or_else(|| format!("the input has no document {id}"))?;
        kept[number] = forms;
    }
    Ok(Both {
        before: input.forms(),
        after: kept,
        vocabulary: vocabulary.len(),
        input,
    })
}

fn law(
    input: &Path,
    output: &Path,
    cuts: &Path,
    window: &str,
) -> Result<serde_json::Value, Failure> {
    let window: usize = window.parse()?;
    let Both {
        input,
        before,
        after,
        vocabulary,
    } = both(input, output)?;
    let proof = law::prove(&before, &after, window);
    let sources = sources::check(cuts, &input, &proof.round_of, window)?;
    let count = |texts: &[Vec<u32>]| texts.iter().map(Vec::len).sum::<usize>();
    Ok(serde_json::json!({
        "documents": before.len(), "vocabulary": vocabulary, "tokens": count(&before), "tokens_kept": count(&after),
        "first_wrong": proof.first_wrong.map(|number| &input.ids[number]), "proof": proof, "sources": sources,
    }))
}

fn judge(input: &Path, output: &Path, window: &str) -> Result<serde_json::Value, Failure> {
    let Both {
        input,
        before,
        after,
        ..
    } = both(input, output)?;
    let is_first = input
        .tokens
        .iter()
        .map(|tokens| tokens.iter().map(|token| token.is_first).collect())
        .collect::<Vec<_>>();
    Ok(serde_json::to_value(judge::judge(
        &before,
        &is_first,
        &after,
        window.parse()?,
    ))?)
}
