//! Checks the law of `lookalike cut --unit runs` on a whole collection, with suffix arrays.
//!
//! The law of a document depends only on the kept texts of earlier documents. So the output is assumed to be these kept texts, and each
//! document is cut again by the law in its own words. If every document becomes its text in the output, then by induction the
//! output is what the law says: the first document depends on nothing, and each later one on documents that are already proved.
//!
//! Each round has a suffix array of what remains of the documents that the round before has changed, and of all kept texts.

use serde::Serialize;

use crate::suffixes::{ALONE, Joined};

/// The result of the check.
#[derive(Debug, Default, Serialize)]
pub struct Proof {
    /// The rounds in which something was cut.
    pub rounds: usize,
    /// Documents whose text in the output is not what the law says, and the first of them.
    pub wrong_documents: usize,
    pub first_wrong: Option<usize>,
    /// Windows of n tokens in the output of which an equal one comes before without overlap. The law allows none.
    pub repeats_left: usize,
    /// Tokens that are cut in the first round, and in later ones, which need a joint.
    pub cut_first_round: usize,
    pub cut_later: usize,
    /// Cut tokens that are in no window of the input that occurs at least twice: a joint in the document, or in its source, made the
    /// window. The former are cut in later rounds, the latter in the first one.
    pub cut_after_own_joint: usize,
    pub cut_after_source_joint: usize,
    /// Tokens in windows of the input of which an equal one comes before without overlap.
    pub repeated: usize,
    pub repeated_and_cut: usize,
    /// Repeated tokens that are kept: in all their windows, no copy before is kept as a whole. The copy is in an earlier document,
    /// where a part of it was cut or all of it was dropped,
    pub repeated_kept_source_cut: usize,
    /// or only in the same document, where a window that overlaps it was cut.
    pub repeated_kept_own_cut: usize,
    /// Cut tokens that are not in such a window. They are cut after a joint, or because windows overlap.
    pub cut_not_repeated_before: usize,
    /// The round in which each token was cut; 0 if it is kept.
    #[serde(skip)]
    pub round_of: Vec<Vec<u8>>,
}

/// What remains of a document.
struct Rest {
    document: usize,
    forms: Vec<u32>,
    /// The place of each token in the original.
    places: Vec<u32>,
}

/// Checks the law. `kept[d]` is the text of document d in the output, empty if it is not there.
pub fn prove(inputs: &[Vec<u32>], kept: &[Vec<u32>], window: usize) -> Proof {
    let mut proof = Proof {
        round_of: inputs.iter().map(|forms| vec![0; forms.len()]).collect(),
        ..Proof::default()
    };
    let mut pending: Vec<Rest> = inputs
        .iter()
        .enumerate()
        .map(|(document, forms)| Rest {
            document,
            forms: forms.clone(),
            places: (0..forms.len() as u32).collect(),
        })
        .collect();
    let mut wrong = vec![false; inputs.len()];
    let mut repeated: Vec<Vec<Repeated>> = Vec::new();
    for round in 1_u8.. {
        let texts = pending
            .iter()
            .map(|rest| rest.forms.as_slice())
            .chain(kept.iter().map(Vec::as_slice));
        let mut joined = Joined::new(texts);
        let (classes, count) = joined.suffixes().classes(window);
        // The first document that keeps each window.
        let mut first_kept = vec![u32::MAX; count];
        for (document, start) in joined.starts[pending.len()..].iter().enumerate() {
            for &class in classes[*start..]
                .iter()
                .take(kept[document].len())
                .filter(|class| **class != ALONE)
            {
                first_kept[class as usize] = first_kept[class as usize].min(document as u32);
            }
        }
        if round == 1 {
            proof.repeats_left = repeats(&joined, &classes, count, pending.len(), kept, window);
            repeated = repeated_tokens(&joined, &classes, count, inputs, window);
        }
        let mut own_kept = vec![0_u32; count];
        let mut next = Vec::new();
        for (number, rest) in pending.into_iter().enumerate() {
            let classes = &classes[joined.starts[number]..][..rest.forms.len()];
            let marked = marks(
                classes,
                rest.document as u32,
                number as u32 + 1,
                window,
                &first_kept,
                &mut own_kept,
            );
            if !marked.contains(&true) {
                wrong[rest.document] = rest.forms != kept[rest.document];
                continue;
            }
            proof.rounds = proof.rounds.max(round.into());
            let mut left = Rest {
                document: rest.document,
                forms: Vec::new(),
                places: Vec::new(),
            };
            for (at, &is_marked) in marked.iter().enumerate() {
                if is_marked {
                    proof.round_of[rest.document][rest.places[at] as usize] = round;
                } else {
                    left.forms.push(rest.forms[at]);
                    left.places.push(rest.places[at]);
                }
            }
            next.push(left);
        }
        pending = next;
        if pending.is_empty() {
            break;
        }
    }
    proof.wrong_documents = wrong.iter().filter(|is_wrong| **is_wrong).count();
    proof.first_wrong = wrong.iter().position(|is_wrong| *is_wrong);
    for (rounds, repeated) in proof.round_of.iter().zip(&repeated) {
        for (&round, &repeated) in rounds.iter().zip(repeated) {
            proof.cut_first_round += usize::from(round == 1);
            proof.cut_later += usize::from(round > 1);
            proof.cut_after_own_joint += usize::from(round > 1 && repeated == Repeated::No);
            proof.cut_after_source_joint += usize::from(round == 1 && repeated == Repeated::No);
            let is_before = matches!(repeated, Repeated::BeforeInText | Repeated::BeforeInOther);
            proof.repeated += usize::from(is_before);
            proof.repeated_and_cut += usize::from(is_before && round > 0);
            proof.repeated_kept_source_cut +=
                usize::from(repeated == Repeated::BeforeInOther && round == 0);
            proof.repeated_kept_own_cut +=
                usize::from(repeated == Repeated::BeforeInText && round == 0);
            proof.cut_not_repeated_before += usize::from(!is_before && round > 0);
        }
    }
    proof
}

/// Marks what a round of the law cuts out of a text. `own_kept` has, for each class, `stamp` if an unmarked window before is equal.
fn marks(
    classes: &[u32],
    document: u32,
    stamp: u32,
    window: usize,
    first_kept: &[u32],
    own_kept: &mut [u32],
) -> Vec<bool> {
    let mut marked = vec![false; classes.len()];
    let mut marked_to = 0;
    for at in 0..(classes.len() + 1).saturating_sub(window) {
        // The window that ends here can be a source if nothing of it is marked.
        if let Some(before) = at.checked_sub(window)
            && marked_to <= before
            && classes[before] != ALONE
        {
            own_kept[classes[before] as usize] = stamp;
        }
        let class = classes[at];
        if class != ALONE
            && (first_kept[class as usize] < document || own_kept[class as usize] == stamp)
        {
            marked[marked_to.max(at)..at + window].fill(true);
            marked_to = at + window;
        }
    }
    marked
}

/// Counts windows of the kept texts of which an equal one comes before without overlap.
fn repeats(
    joined: &Joined,
    classes: &[u32],
    count: usize,
    first: usize,
    kept: &[Vec<u32>],
    window: usize,
) -> usize {
    let mut seen: Vec<Option<(usize, usize)>> = vec![None; count];
    let mut repeats = 0;
    for (document, start) in joined.starts[first..].iter().enumerate() {
        for (at, &class) in classes[*start..]
            .iter()
            .take(kept[document].len())
            .enumerate()
            .filter(|(_, class)| **class != ALONE)
        {
            let (other, before) = *seen[class as usize].get_or_insert((document, at));
            repeats += usize::from(other != document || before + window <= at);
        }
    }
    repeats
}

/// How the windows of the input that contain a token are repeated. A later variant is stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Repeated {
    No,
    /// A window occurs at least twice.
    Somewhere,
    /// An equal window comes before in the same text, without overlap.
    BeforeInText,
    /// An equal window comes before, in an earlier text.
    BeforeInOther,
}

fn repeated_tokens(
    joined: &Joined,
    classes: &[u32],
    count: usize,
    inputs: &[Vec<u32>],
    window: usize,
) -> Vec<Vec<Repeated>> {
    // How often each window occurs in the inputs, where it occurs first, and where in the current document.
    let mut times = vec![0_u32; count];
    for (document, forms) in inputs.iter().enumerate() {
        for &class in classes[joined.starts[document]..][..forms.len()]
            .iter()
            .filter(|class| **class != ALONE)
        {
            times[class as usize] += 1;
        }
    }
    let mut first_document = vec![u32::MAX; count];
    let mut first_here = vec![(u32::MAX, 0_u32); count];
    let mut all = Vec::new();
    for (document, forms) in inputs.iter().enumerate() {
        let mut repeated = vec![Repeated::No; forms.len()];
        // For each strength, up to where windows of at least this strength reach.
        let mut reach = [0_usize; 4];
        for (at, &class) in classes[joined.starts[document]..][..forms.len()]
            .iter()
            .enumerate()
        {
            if class != ALONE {
                let class = class as usize;
                if first_here[class].0 != document as u32 {
                    first_here[class] = (document as u32, at as u32);
                }
                first_document[class] = first_document[class].min(document as u32);
                let strength = match () {
                    () if first_document[class] < document as u32 => Repeated::BeforeInOther,
                    () if first_here[class].1 as usize + window <= at => Repeated::BeforeInText,
                    () if times[class] > 1 => Repeated::Somewhere,
                    () => Repeated::No,
                };
                reach[strength as usize] = at + window;
            }
            let strongest = [
                Repeated::BeforeInOther,
                Repeated::BeforeInText,
                Repeated::Somewhere,
            ];
            repeated[at] = strongest
                .into_iter()
                .find(|&strength| reach[strength as usize] > at)
                .unwrap_or(Repeated::No);
        }
        all.push(repeated);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[&[u32]]) -> Vec<Vec<u32>> {
        of.iter().map(|text| text.to_vec()).collect()
    }

    /// The texts before and after, the number of rounds, and how many tokens later rounds cut.
    #[test]
    fn outputs_of_the_law_are_proved() {
        for (before, after, rounds, later) in [
            (
                texts(&[&[1, 2, 3, 9], &[8, 1, 2, 3, 7]]),
                texts(&[&[1, 2, 3, 9], &[8, 7]]),
                1,
                0,
            ),
            // The first copy in the same text is kept, and windows that overlap it are not sources.
            (texts(&[&[1, 2, 3, 1, 2, 3]]), texts(&[&[1, 2, 3]]), 1, 0),
            (texts(&[&[5, 5, 5, 5, 5]]), texts(&[&[5, 5, 5, 5, 5]]), 0, 0),
            (texts(&[&[5, 5, 5, 5, 5, 5, 5]]), texts(&[&[5, 5, 5]]), 1, 0),
            // A passage that another one interrupts is cut after the joint.
            (
                texts(&[&[1, 2, 3], &[7, 8, 9], &[1, 7, 8, 9, 2, 3, 4]]),
                texts(&[&[1, 2, 3], &[7, 8, 9], &[4]]),
                2,
                3,
            ),
            // The copy in the second text is partly cut, so the third text keeps its own.
            (
                texts(&[&[1, 2, 3], &[1, 2, 3, 4, 5], &[0, 2, 3, 4, 6]]),
                texts(&[&[1, 2, 3], &[4, 5], &[0, 2, 3, 4, 6]]),
                1,
                0,
            ),
        ] {
            let proof = prove(&before, &after, 3);
            assert_eq!(
                (
                    proof.wrong_documents,
                    proof.repeats_left,
                    proof.cut_after_source_joint
                ),
                (0, 0, 0),
                "{before:?}"
            );
            assert_eq!(
                (proof.rounds, proof.cut_later),
                (rounds, later),
                "{before:?}"
            );
        }
    }

    #[test]
    fn other_outputs_are_refuted() {
        let before = texts(&[&[1, 2, 3, 9], &[8, 1, 2, 3, 7], &[4, 4, 4]]);
        // Nothing is cut, too little, too much, or the wrong copy.
        for (after, wrong, left) in [
            (before.clone(), 1, 1),
            (texts(&[&[1, 2, 3, 9], &[8, 3, 7], &[4, 4, 4]]), 1, 0),
            (texts(&[&[1, 2, 3, 9], &[8, 7], &[]]), 1, 0),
            (texts(&[&[9], &[8, 1, 2, 3, 7], &[4, 4, 4]]), 1, 0),
        ] {
            let proof = prove(&before, &after, 3);
            assert_eq!(
                (proof.wrong_documents, proof.repeats_left),
                (wrong, left),
                "{after:?}"
            );
        }
    }

    #[test]
    fn a_joint_in_the_source_makes_a_window() {
        let before = texts(&[&[1, 2, 3], &[4, 1, 2, 3, 5, 6], &[4, 5, 6]]);
        let proof = prove(&before, &texts(&[&[1, 2, 3], &[4, 5, 6], &[]]), 3);
        assert_eq!(
            (
                proof.wrong_documents,
                proof.cut_first_round,
                proof.cut_after_source_joint
            ),
            (0, 6, 3)
        );
    }

    #[test]
    fn kept_repetitions_are_explained() {
        // The copy in the second text is partly cut: see above.
        let before = texts(&[&[1, 2, 3], &[1, 2, 3, 4, 5], &[0, 2, 3, 4, 6]]);
        let proof = prove(&before, &texts(&[&[1, 2, 3], &[4, 5], &[0, 2, 3, 4, 6]]), 3);
        assert_eq!(
            (
                proof.repeated,
                proof.repeated_and_cut,
                proof.repeated_kept_source_cut
            ),
            (6, 3, 3)
        );
    }
}
