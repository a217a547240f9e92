//! Which parts of two texts are shared, and where each part is in the other text.

use lookalike::{
    Method, Scratch,
    runs::{Run, Winnowing, shared_runs},
    text::{Span, TokensBy},
    verify::Passage,
};
use serde::Serialize;

/// The shared parts of two texts. Each part is three numbers: its start and its length in its own text, and its start in the other
/// text (-1 if the part has no place there, such as an item of a set). The numbers count UTF-16 code units, as JavaScript does. The
/// parts of a text are in order and do not overlap; everything between them is not shared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aligned {
    /// The parts of the first text.
    pub a: Vec<i64>,
    /// The parts of the second text.
    pub b: Vec<i64>,
    /// The regions of the two texts, if they were searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<AlignedRegion>,
}

/// A passage that was copied and changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlignedRegion {
    /// Its start and its end in each text, in UTF-16 code units.
    pub places: [[i64; 2]; 2],
    /// The number of tokens that both texts have in it.
    pub tokens: usize,
    /// The share of its tokens that both texts have in it, weighted by rarity.
    pub density: f64,
    /// The number of tokens that both texts have in it, weighted by rarity.
    pub score: f64,
}

impl Aligned {
    /// Finds the shared parts: the runs of tokens that occur in both texts and are at least as long as a shingle. If a token is in
    /// several runs, the longest one counts. Cost: about a microsecond per token.
    pub fn of(method: &Method, texts: [&str; 2], scratch: &mut Scratch) -> Self {
        let runs = runs(method, texts, scratch);
        if runs.is_empty() {
            return Self::unplaced(method, texts);
        }
        let spans = texts.map(|text| method.token_spans(text));
        let [units_a, units_b] = texts.map(units_before);
        let a = parts(
            runs.iter().copied(),
            [&spans[0], &spans[1]],
            [&units_a, &units_b],
        );
        let swapped = runs.iter().map(|run| Run {
            a: run.b,
            b: run.a,
            tokens: run.tokens,
        });
        Self {
            a,
            b: parts(swapped, [&spans[1], &spans[0]], [&units_b, &units_a]),
            regions: Vec::new(),
        }
    }

    /// Returns the parts that given runs cover. Each run is a range of bytes in the first text and one in the second; what is beyond
    /// the end of a text is left out. If runs overlap, the longest one counts. Regions come with ranges of bytes, too; those that end
    /// beyond a text are left out.
    pub fn of_runs(
        texts: [&str; 2],
        runs: impl IntoIterator<Item = [[usize; 2]; 2]>,
        regions: impl IntoIterator<Item = AlignedRegion>,
    ) -> Self {
        let mut runs: Vec<[[usize; 2]; 2]> = runs
            .into_iter()
            .filter(|run| (0..2).all(|side| run[side][1] <= texts[side].len()))
            .collect();
        runs.sort_by_key(|run| std::cmp::Reverse(run[0][1] - run[0][0]));
        let units = texts.map(units_before);
        let [a, b] = [0, 1].map(|side| {
            let mut others: Vec<Option<usize>> = vec![None; texts[side].len()];
            for (number, run) in runs.iter().enumerate() {
                let [start, end] = run[side];
                others[start..end]
                    .iter_mut()
                    .filter(|other| other.is_none())
                    .for_each(|other| *other = Some(number));
            }
            let mut parts = Vec::new();
            let mut start = 0;
            for part in others.chunk_by(|x, y| x == y) {
                let end = start + part.len();
                if let Some(run) = part[0] {
                    parts.extend([
                        units[side][start],
                        units[side][end] - units[side][start],
                        units[1 - side][runs[run][1 - side][0]],
                    ]);
                }
                start = end;
            }
            parts
        });
        let inside = regions.into_iter().filter_map(|region| {
            let unit = |side: usize, at: i64| units[side].get(usize::try_from(at).ok()?).copied();
            let place = |side: usize| {
                Some([
                    unit(side, region.places[side][0])?,
                    unit(side, region.places[side][1])?,
                ])
            };
            Some(AlignedRegion {
                places: [place(0)?, place(1)?],
                ..region
            })
        });
        Self {
            a,
            b,
            regions: inside.collect(),
        }
    }

    /// Returns the parts that are in shared shingles, without their places in the other text. Used for sets, and for texts that are
    /// shorter than a shingle.
    fn unplaced(method: &Method, texts: [&str; 2]) -> Self {
        let [of_a, of_b] = method.passages(texts);
        let parts = |text: &str, passages: Vec<Passage>| {
            let units = units_before(text);
            let shared = passages
                .into_iter()
                .filter(|passage| passage.shared)
                .map(|passage| passage.span);
            shared
                .flat_map(|Span { start, end }| [units[start], units[end] - units[start], -1])
                .collect()
        };
        Self {
            a: parts(texts[0], of_a),
            b: parts(texts[1], of_b),
            regions: Vec::new(),
        }
    }
}

/// Returns the runs of two texts, the longest first.
fn runs(method: &Method, texts: [&str; 2], scratch: &mut Scratch) -> Vec<Run> {
    if method.config().tokens == TokensBy::Items {
        return Vec::new();
    }
    let [a, b] = texts.map(|text| {
        method.set(text, scratch);
        scratch.token_hashes.clone()
    });
    let Ok(winnowing) = Winnowing::new(method.config().k()) else {
        return Vec::new();
    };
    let mut runs = shared_runs(&a, &b, winnowing);
    runs.sort_by_key(|run| std::cmp::Reverse(run.tokens));
    runs
}

/// Returns the parts of the first text that the runs cover. Longer runs come first, and a later run gets only what is left.
fn parts(runs: impl Iterator<Item = Run>, spans: [&[Span]; 2], units: [&[i64]; 2]) -> Vec<i64> {
    /// A token that no run covers.
    const NONE: usize = usize::MAX;
    let mut others = vec![NONE; spans[0].len()];
    for run in runs {
        let own = others[run.a..run.a + run.tokens].iter_mut();
        own.zip(run.b..)
            .filter(|(other, _)| **other == NONE)
            .for_each(|(other, at)| *other = at);
    }
    let mut parts = Vec::new();
    let mut at = 0;
    while at < others.len() {
        let start = at;
        at += 1;
        if others[start] == NONE {
            continue;
        }
        while at < others.len() && others[at] != NONE && others[at] == others[at - 1] + 1 {
            at += 1;
        }
        let (from, to) = (
            units[0][spans[0][start].start],
            units[0][spans[0][at - 1].end],
        );
        parts.extend([from, to - from, units[1][spans[1][others[start]].start]]);
    }
    parts
}

/// Returns, for each byte of a text and for its end, the number of UTF-16 code units before it.
fn units_before(text: &str) -> Vec<i64> {
    let mut units = Vec::with_capacity(text.len() + 1);
    let mut before = 0;
    for c in text.chars() {
        units.extend(std::iter::repeat_n(before, c.len_utf8()));
        before += c.len_utf16() as i64;
    }
    units.push(before);
    units
}

#[cfg(test)]
mod tests {
    use lookalike::{Config, Dedup};
    use proptest::prelude::*;

    use super::*;

    fn units(text: &str, start: i64, length: i64) -> String {
        let units: Vec<u16> = text
            .encode_utf16()
            .skip(start as usize)
            .take(length as usize)
            .collect();
        String::from_utf16(&units).unwrap()
    }

    fn shown(parts: &[i64], text: &str) -> Vec<String> {
        parts
            .chunks(3)
            .map(|part| units(text, part[0], part[1]))
            .collect()
    }

    #[test]
    fn parts_in_a_table() {
        let method = Dedup::new().shingle(2).method().unwrap();
        let mut scratch = Scratch::default();
        let mut of = |a: &str, b: &str| {
            let Aligned {
                a: parts_a,
                b: parts_b,
                ..
            } = Aligned::of(&method, [a, b], &mut scratch);
            (
                shown(&parts_a, a),
                shown(&parts_b, b),
                parts_a.chunks(3).map(|part| part[2]).collect::<Vec<_>>(),
            )
        };
        let strings = |all: &[&str]| all.iter().map(|&one| one.to_string()).collect::<Vec<_>>();
        // 𝒳 has two UTF-16 code units, and four bytes.
        let (a, b, places) = of("𝒳 one, two; three", "zero ONE TWO five");
        assert_eq!(
            (a, b, places),
            (strings(&["one, two"]), strings(&["ONE TWO"]), vec![5])
        );
        // The words are in both texts, but in another order.
        let (a, b, places) = of("a b c d", "c d a b");
        assert_eq!(
            (a, b, places),
            (
                strings(&["a b", "c d"]),
                strings(&["c d", "a b"]),
                vec![4, 0]
            )
        );
        // A text that is shorter than a shingle.
        let (a, b, places) = of("Alone", "alone!");
        assert_eq!(
            (a, b, places),
            (strings(&["Alone"]), strings(&["alone!"]), vec![-1])
        );
        assert_eq!(of("a b", "c d"), (vec![], vec![], vec![]));
        assert_eq!(of("", "c d"), (vec![], vec![], vec![]));
    }

    #[test]
    fn runs_that_overlap_or_are_cut_in_a_table() {
        let (a, b) = ("𝒳 one two three", "two three, one two");
        let run = |[a, b]: [std::ops::Range<usize>; 2]| [[a.start, a.end], [b.start, b.end]];
        // "two three" in both, "one two" in both, and a run beyond the end.
        let found = Aligned::of_runs(
            [a, b],
            [run([5..12, 11..18]), run([9..18, 0..9]), run([5..99, 0..2])],
            [],
        );
        assert_eq!(shown(&found.a, a), ["one ", "two three"]);
        assert_eq!(shown(&found.b, b), ["two three", "one two"]);
        assert_eq!(
            found.a.chunks(3).map(|part| part[2]).collect::<Vec<_>>(),
            [11, 0]
        );
    }

    #[test]
    fn items_of_sets_have_no_places() {
        let method = Method::new(Config {
            tokens: TokensBy::Items,
            shingle: Some(1),
            ..Config::default()
        })
        .unwrap();
        let (a, b) = (r#"["x", "y", "z"]"#, r#"["z", "x"]"#);
        let found = Aligned::of(&method, [a, b], &mut Scratch::default());
        assert!(found.a.chunks(3).all(|part| part[2] == -1), "{found:?}");
        assert!(shown(&found.a, a).join(" ").contains("\"x\""), "{found:?}");
    }

    #[test]
    fn regions_are_placed_in_code_units() {
        let texts = ["\u{1d4b3} one two", "one \u{1d4b3}"];
        let region = |places| AlignedRegion {
            places,
            tokens: 2,
            density: 0.5,
            score: 1.5,
        };
        let aligned = Aligned::of_runs(
            texts,
            [],
            [region([[5, 8], [0, 8]]), region([[0, 4], [4, 9]])],
        );
        assert_eq!(aligned.regions, [region([[3, 6], [0, 6]])]);
    }

    proptest! {
        /// Tests that the parts are exactly what the two texts share by their shingles.
        #[test]
        fn parts_are_ordered_and_equal_in_both_texts(a in "[ab𝒳 ]{0,40}", b in "[ab𝒳 ]{0,40}", shingle in 1usize..4) {
            let method = Dedup::new().shingle(shingle).method().unwrap();
            let found = Aligned::of(&method, [&a, &b], &mut Scratch::default());
            let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
            for (own, other, parts, side) in [(&a, &b, &found.a, 0), (&b, &a, &found.b, 1)] {
                let mut end = 0;
                let mut covered = 0;
                for part in parts.chunks(3) {
                    prop_assert!(part[0] >= end && part[1] > 0);
                    end = part[0] + part[1];
                    let text = words(&units(own, part[0], part[1]));
                    covered += text.len();
                    if part[2] >= 0 {
                        let there = words(&units(other, part[2], i64::MAX));
                        prop_assert!(there.starts_with(&text), "{text:?} {there:?}");
                    }
                }
                prop_assert!(end <= own.encode_utf16().count() as i64);
                let shared: usize = method.passages([&a, &b])[side]
                    .iter()
                    .filter(|passage| passage.shared)
                    .map(|passage| words(&own[passage.span.start..passage.span.end]).len())
                    .sum();
                prop_assert_eq!(covered, shared);
            }
        }
    }
}
