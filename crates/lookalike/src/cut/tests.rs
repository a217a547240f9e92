//! The consequences of the law, and equal answers of the cutter and its twin.

use std::{collections::BTreeMap, sync::Arc};

use proptest::prelude::*;

use super::{
    anchors::{Anchoring, Repeated},
    kept::{Looked, Searching},
    law::Cutter,
    piece::Outcome,
    rules::Rules,
    twin::{self, Text},
};

fn texts() -> impl Strategy<Value = Vec<Text>> {
    // Few different units, and pieces that occur several times, so that texts repeat each other and themselves.
    let piece = prop_oneof![
        prop::collection::vec(0u64..3, 1..8),
        (0u64..2, 1usize..14).prop_map(|(unit, times)| vec![unit; times]),
        (0u64..2, 1usize..7).prop_map(|(unit, times)| [unit, unit + 1].repeat(times)),
        prop::collection::vec(10u64..30, 1..4),
    ];
    (
        prop::collection::vec(piece, 1..5),
        prop::collection::vec(
            (prop::collection::vec(0usize..5, 0..6), 0u64..4, 0u32..8),
            1..8,
        ),
        prop_oneof![2 => Just(0u32), 1 => 1u32..5],
    )
        .prop_map(|(pieces, texts, per_line)| {
            let text = |(chosen, group, reference): (Vec<usize>, u64, u32)| {
                let units: Vec<u64> = chosen
                    .iter()
                    .flat_map(|&piece| pieces[piece % pieces.len()].clone())
                    .collect();
                let tokens = units.iter().map(|&unit| 1 + unit as u32 % 3).collect();
                // Lines of different lengths.
                let lines = (per_line > 0).then(|| {
                    (0..units.len() as u32)
                        .map(|unit| (unit + unit / 7) / per_line)
                        .collect()
                });
                Text {
                    units,
                    tokens,
                    lines,
                    group: u64::from(group == 0),
                    is_reference: reference == 0,
                }
            };
            texts.into_iter().map(text).collect()
        })
}

fn rules() -> impl Strategy<Value = Rules> {
    (
        1usize..7,
        prop_oneof![4 => Just(1usize), 1 => 2usize..4],
        prop_oneof![3 => Just(0usize), 1 => 1usize..12],
        prop_oneof![3 => Just(0usize), 1 => 1usize..12],
    )
        .prop_map(|(window, after, least_tokens, least_left)| Rules {
            window,
            after,
            least_tokens,
            least_left,
            whole_lines: false,
        })
}

/// How texts are searched before it is their turn: the number of texts ahead, and the number of anchors of recent texts.
type Ahead = Option<(usize, usize)>;

fn ahead() -> impl Strategy<Value = Ahead> {
    prop::option::of((0usize..6, 0usize..20))
}

/// Returns the rules for texts that have lines or none.
fn for_texts(rules: Rules, texts: &[Text]) -> Rules {
    Rules {
        whole_lines: texts[0].lines.is_some(),
        ..rules
    }
}

fn cut_by(
    mut cutter: Cutter,
    texts: &[Text],
    (window, repeated): (usize, Option<&Repeated>),
    ahead: Ahead,
) -> (Vec<Outcome>, Cutter) {
    let searcher = ahead.and_then(|(_, anchors)| cutter.searcher(anchors));
    let (mut outcomes, mut searched, mut buffers) = (Vec::new(), Vec::new(), Searching::default());
    for (number, text) in texts.iter().enumerate() {
        while let (Some(searcher), Some((ahead, _)), Some(next)) =
            (&searcher, ahead, texts.get(searched.len()))
            && searched.len() <= number + ahead
        {
            let mut anchoring = Anchoring::default();
            let anchoring = anchoring.of_text(&next.units, window, repeated).unwrap();
            let Ok(looked) = searcher.search(next.units(), anchoring, next.group, &mut buffers);
            let Looked { shared, texts } = looked.unwrap();
            searched.push((
                anchoring.anchors().to_vec(),
                anchoring.has_repeats(),
                shared.to_vec(),
                texts,
            ));
        }
        if text.is_reference {
            let Ok(()) = cutter.keep(text.units(), text.group);
            outcomes.push(Outcome::default());
        } else {
            let Ok(outcome) = match searched.get(number) {
                None => cutter.cut(text.units(), text.group),
                Some((anchors, repeats, shared, texts)) => {
                    let looked = Looked {
                        shared,
                        texts: *texts,
                    };
                    cutter.cut_anchored(text.units(), (anchors, *repeats), Some(looked), text.group)
                }
            };
            outcomes.push(outcome);
        }
    }
    (outcomes, cutter)
}

/// Cuts texts with only the repeated anchors, and again whenever cutting joined what a text has once. `others` are keys that count as
/// repeated although they may not be.
fn cut_sparsely(texts: &[Text], rules: Rules, others: usize, ahead: Ahead) -> Vec<Outcome> {
    let mut anchoring = Anchoring::default();
    let mut times: BTreeMap<u64, usize> = BTreeMap::new();
    for text in texts {
        let anchoring = anchoring.of_text(&text.units, rules.window, None).unwrap();
        anchoring
            .anchors()
            .iter()
            .for_each(|anchor| *times.entry(anchor.key()).or_default() += 1);
    }
    let is_chosen =
        |number: usize, times: usize| times > 1 || others > 0 && number.is_multiple_of(others);
    let chosen = times
        .iter()
        .enumerate()
        .filter(|&(number, (_, &times))| is_chosen(number, times));
    let mut repeated = Repeated::of(chosen.map(|(_, (key, _))| key));
    loop {
        let shared = Arc::new(repeated);
        let stores = Default::default();
        let cutter = Cutter::with_stores(rules, Some(shared.clone()), stores).unwrap();
        let (outcomes, mut cutter) = cut_by(cutter, texts, (rules.window, Some(&shared)), ahead);
        let missed: Vec<u64> = cutter
            .joined()
            .drain(..)
            .filter(|key| times.contains_key(key))
            .collect();
        drop(cutter);
        repeated = Arc::into_inner(shared).unwrap();
        assert!(missed.iter().all(|key| !repeated.contains(*key)));
        if missed.is_empty() {
            return outcomes;
        }
        repeated.extend(missed);
    }
}

proptest! {
    #[test]
    fn the_cutter_agrees_with_the_law(texts in texts(), rules in rules(), ahead in ahead()) {
        let rules = for_texts(rules, &texts);
        let expected: Vec<Outcome> = twin::cut(&texts, rules).into_iter().map(|(_, outcome)| outcome).collect();
        let (outcomes, _) = cut_by(Cutter::new(rules).unwrap(), &texts, (rules.window, None), ahead);
        prop_assert_eq!(outcomes, expected);
    }

    #[test]
    fn repeated_anchors_are_enough(texts in texts(), rules in rules(), others in 0usize..4, ahead in ahead()) {
        let rules = for_texts(rules, &texts);
        let expected: Vec<Outcome> = twin::cut(&texts, rules).into_iter().map(|(_, outcome)| outcome).collect();
        prop_assert_eq!(cut_sparsely(&texts, rules, others, ahead), expected);
    }

    #[test]
    fn the_consequences_hold(texts in texts(), rules in rules()) {
        let done = twin::cut(&texts, rules);
        let kept = |number: usize| done[number].0.iter().map(|&unit| texts[number].units[unit]).collect::<Vec<_>>();
        let of_kept = |number: usize, all: &[u32]| done[number].0.iter().map(|&unit| all[unit]).collect::<Vec<u32>>();
        // Each piece is kept where its source says.
        for (number, (_, outcome)) in done.iter().enumerate() {
            for piece in &outcome.pieces {
                for (unit, source) in (piece.start..piece.end).zip(piece.source_start..) {
                    prop_assert!(done[piece.source].0.contains(&source));
                    prop_assert_eq!(texts[number].units[unit], texts[piece.source].units[source]);
                    prop_assert!((piece.source, source) < (number, unit));
                }
            }
            // Units in = kept + cut + dropped.
            let cut: usize = outcome.pieces.iter().map(|piece| piece.end - piece.start).sum();
            prop_assert!(outcome.is_dropped || texts[number].units.len() == done[number].0.len() + cut);
        }
        // A second run cuts nothing.
        let again: Vec<Text> = (0..texts.len())
            .map(|number| Text { units: kept(number), tokens: of_kept(number, &texts[number].tokens), lines: texts[number].lines.as_ref().map(|lines| of_kept(number, lines)), ..texts[number] })
            .collect();
        for (_, outcome) in twin::cut(&again, rules) {
            prop_assert_eq!(outcome, Outcome::default());
        }
        // No window occurs twice without overlap, except in references and other groups.
        if rules.after == 1 && rules.least_tokens == 0 && texts[0].lines.is_none() {
            for (number, text) in texts.iter().enumerate().filter(|(_, text)| !text.is_reference) {
                let own = kept(number);
                for (at, window) in own.windows(rules.window).enumerate() {
                    prop_assert!(own.windows(rules.window).skip(at + rules.window).all(|other| other != window));
                    for before in (0..number).filter(|before| texts[*before].group == text.group) {
                        prop_assert!(kept(before).windows(rules.window).all(|other| other != window));
                    }
                }
            }
        }
    }
}
