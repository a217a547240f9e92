//! Checks the file of cuts: that it has the tokens that the law cuts, and that each cut leads to equal tokens that are kept.

use std::path::Path;

use serde::Serialize;

use crate::{
    records::{Collection, Cuts, Failure, each_line, name},
    tokens::Token,
};

/// The result of the check.
#[derive(Debug, Default, Serialize)]
pub struct Sources {
    pub cuts: usize,
    /// Tokens for which the file and the law disagree whether they are cut.
    pub tokens_that_disagree: usize,
    /// Cuts whose number of tokens is not the number that is found in these bytes.
    pub wrong_counts: usize,
    /// Cuts whose source has other tokens.
    pub unequal: usize,
    /// Cuts with a source that is itself cut.
    pub source_is_cut: usize,
    /// Documents whose verdict is wrong.
    pub wrong_verdicts: usize,
}

/// Checks a file of cuts. `round_of` is 0 for tokens that the law keeps.
pub fn check(
    path: &Path,
    input: &Collection,
    round_of: &[Vec<u8>],
    window: usize,
) -> Result<Sources, Failure> {
    let numbers = input.numbers();
    let mut result = Sources::default();
    let mut document = 0;
    let mut problem = None;
    each_line(path, |line: Cuts| {
        if input.ids.get(document) != Some(&name(&line.id)) {
            problem.get_or_insert(format!("the file of cuts has other documents: {}", line.id));
            return;
        }
        let tokens = &input.tokens[document];
        let mut is_cut = vec![false; tokens.len()];
        for cut in &line.cuts {
            result.cuts += 1;
            let cut_tokens = between(tokens, cut.start_byte, cut.end_byte);
            is_cut[cut_tokens.clone()].fill(true);
            let Some(&other) = numbers.get(name(&cut.source).as_str()) else {
                result.unequal += 1;
                continue;
            };
            let source = between(
                &input.tokens[other],
                cut.source_start_byte,
                cut.source_end_byte,
            );
            result.wrong_counts +=
                usize::from(cut_tokens.len() != cut.tokens || source.len() != cut.tokens);
            let forms =
                |tokens: &[Token]| tokens.iter().map(|token| token.form).collect::<Vec<_>>();
            result.unequal += usize::from(
                forms(&tokens[cut_tokens]) != forms(&input.tokens[other][source.clone()]),
            );
            result.source_is_cut +=
                usize::from(round_of[other][source].iter().any(|&round| round > 0));
        }
        let rounds = &round_of[document];
        result.tokens_that_disagree += rounds
            .iter()
            .zip(&is_cut)
            .filter(|(round, is_cut)| (**round > 0) != **is_cut)
            .count();
        let cut = rounds.iter().filter(|&&round| round > 0).count();
        let verdict = if cut == 0 {
            "kept"
        } else if cut == rounds.len() {
            "dropped"
        } else {
            "cut"
        };
        result.wrong_verdicts += usize::from(line.verdict != verdict || (cut > 0 && cut < window));
        document += 1;
    })?;
    match problem {
        Some(problem) => Err(problem.into()),
        None if document != input.ids.len() => Err("the file of cuts is too short".into()),
        None => Ok(result),
    }
}

/// Returns the tokens that start in a range of bytes.
fn between(tokens: &[Token], start: u32, end: u32) -> std::ops::Range<usize> {
    tokens.partition_point(|token| token.start < start)
        ..tokens.partition_point(|token| token.start < end)
}
