//! Judges what a tool has removed from a collection, only by the texts before and after.
//!
//! The removed tokens of a text form stretches. A removed token *occurs* in other text if it is in a run of [`LEAST`] tokens, in a whole
//! line, or in the whole of a shorter stretch, that lies in the stretch and is in the other text. What occurs is then taken out of
//! the stretch, and the rest is joined and tried again, because a tool may cut a passage and then another one that it interrupted.
//!
//! All tools are judged alike, so the run is as short as the shortest line that most of them remove.

use std::ops::Range;

use serde::Serialize;

use crate::{
    alignment::align,
    suffixes::{ALONE, Joined},
};

/// The shortest run of tokens that counts as the same text.
const LEAST: usize = 5;

/// The number of equally good places that are tried for a removed stretch, in each direction.
const MOST_SHIFTS: usize = 64;

/// The verdict on a tool.
#[derive(Debug, Default, Serialize)]
pub struct Verdict {
    pub documents: usize,
    pub documents_changed: usize,
    /// Documents that are not in the output, or have no token there.
    pub documents_gone: usize,
    pub tokens: usize,
    pub tokens_left: usize,
    pub tokens_removed: usize,
    /// Tokens in the output that are not in the document: words that were cut in two, or joined.
    pub broken_words: usize,
    /// Removed tokens that occur nowhere else in the input.
    pub false_deletions: usize,
    /// Removed tokens that occur nowhere in the output: no copy is kept. Copies of the same text are also counted once.
    pub lost: usize,
    pub lost_once: usize,
    /// Tokens of the output in runs of n tokens that the output has before.
    pub repeats_left: usize,
}

/// Removed tokens of a text that were next to each other.
struct Stretch {
    forms: Vec<u32>,
    /// Whether a token is the first of its line.
    is_first: Vec<bool>,
    /// Whether a token was next to the one before it in the input.
    is_joined: Vec<bool>,
}

/// Compares texts before and after. `after[d]` is empty if document d is not in the output.
pub fn judge(
    before: &[Vec<u32>],
    is_first: &[Vec<bool>],
    after: &[Vec<u32>],
    window: usize,
) -> Verdict {
    let mut verdict = Verdict {
        documents: before.len(),
        ..Verdict::default()
    };
    let mut joined = Joined::new(before.iter().chain(after).map(Vec::as_slice));
    let suffixes = joined.suffixes();
    // The longest run that starts at each place, and that is in another place of the input, or in the output.
    let in_input = suffixes.longest(|place| (joined.text[place] as usize) < before.len());
    let in_output = suffixes.longest(|place| joined.text[place] as usize >= before.len());
    let (mut unique, mut lost) = (Vec::new(), Vec::new());
    for (document, (text, left)) in before.iter().zip(after).enumerate() {
        verdict.tokens += text.len();
        verdict.tokens_left += left.len();
        verdict.documents_changed += usize::from(text != left);
        verdict.documents_gone += usize::from(!text.is_empty() && left.is_empty());
        let found = align(text, left);
        verdict.broken_words += found.new;
        verdict.tokens_removed += found
            .is_removed
            .iter()
            .filter(|is_removed| **is_removed)
            .count();
        let whole: Vec<bool> = found
            .is_removed
            .iter()
            .zip(&found.is_broken)
            .map(|(removed, broken)| *removed && !broken)
            .collect();
        let start = joined.starts[document];
        for range in ranges(&whole) {
            let others = shifted(text, &found.is_removed, &range);
            for (longest, rests) in [(&in_input, &mut unique), (&in_output, &mut lost)] {
                let rest = |range: &Range<usize>| {
                    let (forms, is_first) = (
                        text[range.clone()].to_vec(),
                        is_first[document][range.clone()].to_vec(),
                    );
                    let stretch = Stretch {
                        is_joined: vec![false; forms.len()],
                        forms,
                        is_first,
                    };
                    stretch.without(&longest[start + range.start..start + range.end], false)
                };
                let least = others
                    .iter()
                    .map(rest)
                    .min_by_key(|rest| rest.as_ref().map_or(0, |rest| rest.forms.len()));
                rests.extend(least.flatten());
            }
        }
    }
    verdict.false_deletions = count(&without_all(unique, before, true));
    let lost = without_all(lost, after, false);
    verdict.lost = count(&lost);
    let lost: Vec<Vec<u32>> = lost.into_iter().map(|stretch| stretch.forms).collect();
    verdict.lost_once = verdict.lost - repeated(&lost, LEAST);
    verdict.repeats_left = repeated(after, window);
    verdict
}

/// Returns a removed range and all ranges of the same length whose removal leaves the same text: if a passage ends with the words that
/// precede it, for example, nothing says which of them are left.
fn shifted(text: &[u32], is_removed: &[bool], range: &Range<usize>) -> Vec<Range<usize>> {
    let mut all = vec![range.clone()];
    let (mut start, mut end) = (range.start, range.end);
    while all.len() < MOST_SHIFTS
        && start > 0
        && !is_removed[start - 1]
        && text[start - 1] == text[end - 1]
    {
        (start, end) = (start - 1, end - 1);
        all.push(start..end);
    }
    (start, end) = (range.start, range.end);
    while all.len() < 2 * MOST_SHIFTS
        && end < text.len()
        && !is_removed[end]
        && text[start] == text[end]
    {
        (start, end) = (start + 1, end + 1);
        all.push(start..end);
    }
    all
}

impl Stretch {
    /// Takes out what occurs in the other text: `longest` has the length of the longest run there from each token on. Returns nothing if
    /// nothing is left. With `over_joints`, only runs that are not next to each other in the input count.
    fn without(&self, longest: &[u32], over_joints: bool) -> Option<Self> {
        let length = self.forms.len();
        let least = LEAST.min(length);
        let mut left = Self {
            forms: Vec::new(),
            is_first: Vec::new(),
            is_joined: Vec::new(),
        };
        let (mut reach, mut is_next_joined) = (0, false);
        for (at, &longest) in longest.iter().enumerate() {
            let run = (longest as usize).min(length - at);
            let is_over = !over_joints || self.is_joined[at + 1..at + run.max(1)].contains(&true);
            let line = || {
                (at + 1..length)
                    .find(|&next| self.is_first[next])
                    .unwrap_or(length)
                    - at
            };
            if is_over && run > 0 && (run >= least || self.is_first[at] && run >= line()) {
                reach = reach.max(at + run);
            }
            if at < reach {
                is_next_joined = true;
            } else {
                left.forms.push(self.forms[at]);
                left.is_first.push(self.is_first[at]);
                left.is_joined.push(self.is_joined[at] || is_next_joined);
                is_next_joined = false;
            }
        }
        (!left.forms.is_empty()).then_some(left)
    }

    fn has_joint(&self) -> bool {
        self.is_joined.iter().skip(1).any(|is_joined| *is_joined)
    }
}

/// Takes out of all stretches what occurs in texts only after something else was taken out, until nothing more does.
fn without_all(mut stretches: Vec<Stretch>, texts: &[Vec<u32>], over_joints: bool) -> Vec<Stretch> {
    let mut done = Vec::new();
    loop {
        // Only a stretch with a joint can have new runs.
        let (open, closed): (Vec<_>, Vec<_>) = stretches.into_iter().partition(Stretch::has_joint);
        done.extend(closed);
        if open.is_empty() {
            return done;
        }
        let all = open
            .iter()
            .map(|stretch| stretch.forms.as_slice())
            .chain(texts.iter().map(Vec::as_slice));
        let mut joined = Joined::new(all);
        let suffixes = joined.suffixes();
        let longest = suffixes.longest(|place| joined.text[place] as usize >= open.len());
        let before: usize = open.iter().map(|stretch| stretch.forms.len()).sum();
        stretches = Vec::new();
        for (number, stretch) in open.iter().enumerate() {
            stretches.extend(stretch.without(
                &longest[joined.starts[number]..][..stretch.forms.len()],
                over_joints,
            ));
        }
        if count(&stretches) == before {
            done.extend(stretches);
            return done;
        }
    }
}

fn count(stretches: &[Stretch]) -> usize {
    stretches.iter().map(|stretch| stretch.forms.len()).sum()
}

/// Returns the ranges of places that are true.
fn ranges(flags: &[bool]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for at in (0..flags.len()).filter(|&at| flags[at]) {
        match ranges.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end += 1,
            None => ranges.push(at..at + 1),
        }
    }
    ranges
}

/// Counts tokens in runs of n tokens of which an equal one comes before, in an earlier text or in the same one without overlap.
fn repeated(texts: &[Vec<u32>], window: usize) -> usize {
    let mut joined = Joined::new(texts.iter().map(Vec::as_slice));
    let (classes, classes_count) = joined.suffixes().classes(window);
    let mut first: Vec<Option<(usize, usize)>> = vec![None; classes_count];
    let mut count = 0;
    for (number, text) in texts.iter().enumerate() {
        let mut reach = 0;
        for (at, &class) in classes[joined.starts[number]..][..text.len()]
            .iter()
            .enumerate()
        {
            if class != ALONE {
                let (other, before) = *first[class as usize].get_or_insert((number, at));
                if other != number || before + window <= at {
                    reach = at + window;
                }
            }
            count += usize::from(at < reach);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[&[u32]]) -> Vec<Vec<u32>> {
        of.iter().map(|text| text.to_vec()).collect()
    }

    /// Judges texts that are one line each.
    fn judged(before: &[Vec<u32>], after: &[Vec<u32>], window: usize) -> Verdict {
        let is_first: Vec<Vec<bool>> = before
            .iter()
            .map(|text| (0..text.len()).map(|at| at == 0).collect())
            .collect();
        judge(before, &is_first, after, window)
    }

    #[test]
    fn a_copy_that_is_kept_is_not_lost() {
        let before = texts(&[&[1, 2, 3, 4, 5, 6], &[9, 1, 2, 3, 4, 5, 6, 8]]);
        let verdict = judged(&before, &texts(&[&[1, 2, 3, 4, 5, 6], &[9, 8]]), 6);
        assert_eq!(
            (
                verdict.tokens_removed,
                verdict.false_deletions,
                verdict.lost,
                verdict.repeats_left
            ),
            (6, 0, 0, 0)
        );
        // All copies are removed.
        let verdict = judged(&before, &texts(&[&[], &[9, 8]]), 6);
        assert_eq!(
            (
                verdict.tokens_removed,
                verdict.false_deletions,
                verdict.lost,
                verdict.lost_once
            ),
            (12, 0, 12, 6)
        );
        let verdict = judged(&before, &before, 6);
        assert_eq!((verdict.tokens_removed, verdict.repeats_left), (0, 6));
    }

    #[test]
    fn the_removed_copy_is_found_among_equal_texts() {
        // The text before the copy ends as the copy does.
        let before = texts(&[
            &[1, 2, 3, 4, 5, 6],
            &[9, 6, 1, 2, 3, 4, 5, 6, 8],
            &[9, 1, 2, 3, 4, 5, 6, 1, 8],
        ]);
        let verdict = judged(
            &before,
            &texts(&[&[1, 2, 3, 4, 5, 6], &[9, 6, 8], &[9, 1, 8]]),
            6,
        );
        assert_eq!(
            (
                verdict.tokens_removed,
                verdict.false_deletions,
                verdict.lost
            ),
            (12, 0, 0)
        );
    }

    #[test]
    fn text_that_occurs_once_is_a_false_deletion() {
        let before = texts(&[&[1, 2, 3, 4, 5, 6], &[9, 7, 7, 8, 8]]);
        let verdict = judged(&before, &texts(&[&[1, 2, 3, 4, 5, 6], &[9]]), 6);
        assert_eq!((verdict.false_deletions, verdict.lost), (4, 4));
    }

    #[test]
    fn a_passage_that_another_one_interrupts() {
        let inner = [21, 22, 23, 24, 25, 26];
        let before = texts(&[
            &[1, 2, 3, 4, 5, 6],
            &inner,
            &[0, 1, 2, 3, 21, 22, 23, 24, 25, 26, 4, 5, 6, 10],
        ]);
        let after = texts(&[&[1, 2, 3, 4, 5, 6], &inner, &[0, 10]]);
        let verdict = judged(&before, &after, 6);
        assert_eq!(
            (
                verdict.tokens_removed,
                verdict.false_deletions,
                verdict.lost
            ),
            (12, 0, 0)
        );
    }
}
