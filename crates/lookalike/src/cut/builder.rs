//! The interface through which other programs cut texts in memory.

use super::{
    anchors::Anchoring,
    config::{CutConfig, Unit, Within},
    edits::{edited, edits},
    kept::{Looked, Searching},
    law::Cutter,
    piece::Outcome,
    units::TextUnits,
};
use crate::{
    error::Result,
    text::{Folds, Span, TokensBy},
    threads::Threads,
};

/// Cuts passages of 50 tokens or more out of texts if an earlier text, or the text itself, already contains them.
///
/// Use [`Cut`] for other settings. Cost: about 9 bytes of memory for each token.
///
/// ```
/// let notice: String = (1..60).map(|number| format!("condition {number} ")).collect();
/// let texts = [format!("Breakfast is at eight. {notice}"), format!("{notice}Dinner is at seven.")];
/// let cut = lookalike::cut(&texts);
/// assert_eq!(cut[1].text, "Dinner is at seven.");
/// assert_eq!(cut[1].passages[0].source, 0);
/// ```
pub fn cut<T: AsRef<str>>(texts: &[T]) -> Vec<CutText> {
    #[expect(
        clippy::expect_used,
        reason = "a test checks that the defaults are valid, and no text is rejected"
    )]
    Cut::new()
        .run(texts)
        .expect("the default settings are valid")
}

/// What is left of a text, and what was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CutText {
    /// The text without the passages that were cut. It is empty if the text was dropped.
    pub text: String,
    /// The passages that were cut, in order.
    pub passages: Vec<CutPassage>,
    /// Whether too little of the text was left, so that all of it was dropped.
    pub is_dropped: bool,
}

/// A passage that was cut out of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CutPassage {
    /// Its place in the original text, in bytes.
    pub span: Span,
    /// The number of its tokens.
    pub tokens: usize,
    /// The number of the text that keeps the same tokens.
    pub source: usize,
    /// The place of these tokens in that text, in its original form, in bytes.
    pub source_span: Span,
}

/// Cuts repeated passages out of texts with the given settings.
///
/// ```
/// use lookalike::cut::{Cut, Unit};
///
/// let pages = ["Home | News | About us | Contact | Help\nRain in the north.", "Home | News | About us | Contact | Help\nSun in the south."];
/// let cut = Cut::new().unit(Unit::Lines).run(&pages)?;
/// assert_eq!(cut[0].text, pages[0]);
/// assert_eq!(cut[1].text, "Sun in the south.");
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use = "a builder does nothing until `run`"]
pub struct Cut {
    config: CutConfig,
}

impl Cut {
    /// Returns the defaults: runs of 50 tokens, in all texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what is compared and cut; runs of tokens by default.
    pub fn unit(mut self, unit: Unit) -> Self {
        self.config.unit = unit;
        self
    }

    /// Sets the number of units in a window, the shortest passage that is cut; 50 for runs and 1 for other units by default.
    ///
    /// ```
    /// use lookalike::cut::{Cut, Unit};
    ///
    /// // Only three sentences in a row are cut.
    /// let texts = ["They came. They saw. They won.", "They came. They saw. They lost.", "Well. They came. They saw. They won."];
    /// let cut = Cut::new().unit(Unit::Sentences).window(3).run(&texts)?;
    /// assert_eq!((&*cut[1].text, &*cut[2].text), (texts[1], "Well."));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn window(mut self, units: usize) -> Self {
        self.config.window = Some(units);
        self
    }

    /// Sets how many earlier texts must contain a passage before it is cut; 1 by default.
    pub fn more_than(mut self, texts: usize) -> Self {
        self.config.more_than = texts;
        self
    }

    /// Sets which texts are searched; all by default.
    pub fn within(mut self, within: Within) -> Self {
        self.config.within = within;
        self
    }

    /// Sets the minimum number of tokens in a window; 5 for units other than runs by default, so that `}` is not cut.
    pub fn min_tokens(mut self, tokens: usize) -> Self {
        self.config.min_tokens = Some(tokens);
        self
    }

    /// Sets the minimum number of tokens that must be left of a text; 1 by default. Otherwise all of the text is dropped, if
    /// anything was cut out of it.
    pub fn min_left(mut self, tokens: usize) -> Self {
        self.config.min_left = tokens;
        self
    }

    /// Sets whether the original bytes must be equal too; by default, only the canonical forms are compared.
    pub fn verbatim(mut self, verbatim: bool) -> Self {
        self.config.verbatim = verbatim;
        self
    }

    /// Sets whether runs are only cut as whole lines; false by default.
    pub fn whole_lines(mut self, whole_lines: bool) -> Self {
        self.config.whole_lines = whole_lines;
        self
    }

    /// Sets what a token is; by default a word, or a character in scripts without spaces.
    pub fn tokens(mut self, tokens: TokensBy) -> Self {
        self.config.tokens = tokens;
        self
    }

    /// Sets which differences are ignored in addition to case, punctuation and white space; none by default.
    pub fn folds(mut self, folds: Folds) -> Self {
        self.config.folds = folds;
        self
    }

    /// Applies a whole configuration.
    pub fn config(config: CutConfig) -> Self {
        Self { config }
    }

    /// Cuts texts, in the order in which they are given: the first occurrence of a passage is kept.
    ///
    /// # Errors
    /// Fails if the settings are invalid. Texts are never rejected.
    pub fn run<T: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<CutText>> {
        self.run_against::<T, T>(&[], texts)
    }

    /// Cuts texts, like [`run`](Self::run), and cuts what references contain too. Nothing is cut out of the references. In the
    /// result, the references have the first numbers, and the texts follow.
    ///
    /// # Errors
    /// Fails if the settings are invalid. Texts are never rejected.
    pub fn run_against<R: AsRef<str>, T: AsRef<str>>(
        &self,
        references: &[R],
        texts: &[T],
    ) -> Result<Vec<CutText>> {
        let config = &self.config;
        let mut cutter = Cutter::new(config.rules()?)?;
        let all: Vec<&str> = references
            .iter()
            .map(AsRef::as_ref)
            .chain(texts.iter().map(AsRef::as_ref))
            .collect();
        let units = Threads::all().map(&all, || (), |(), text| TextUnits::new(text, config));
        for reference in &units[..references.len()] {
            let Ok(()) = cutter.keep(reference.as_units(), 0);
        }
        let outcomes = self.outcomes(&mut cutter, references.len(), &units)?;
        Ok(outcomes
            .iter()
            .zip(references.len()..)
            .map(|(outcome, number)| cut_text(outcome, number, &all, &units, config))
            .collect())
    }
}

impl Cut {
    /// Cuts the texts from a number on. Many texts at a time are searched on all threads, in what is kept of the texts before.
    fn outcomes(
        &self,
        cutter: &mut Cutter,
        from: usize,
        units: &[TextUnits],
    ) -> Result<Vec<Outcome>> {
        let (is_alone, window) = (self.config.within == Within::Document, self.config.window());
        // A text that is searched alone has a group of its own.
        let group = |number: usize| if is_alone { number as u64 + 1 } else { 0 };
        let is_searched = !is_alone && Threads::all() != Threads::One;
        let searcher = if is_searched {
            cutter.searcher(RECENT)
        } else {
            None
        };
        let numbers: Vec<usize> = (from..units.len()).collect();
        let mut outcomes = Vec::with_capacity(numbers.len());
        for numbers in numbers.chunks(AT_ONCE) {
            let Some(searcher) = &searcher else {
                outcomes.extend(numbers.iter().map(|&number| {
                    let Ok(outcome) = cutter.cut(units[number].as_units(), group(number));
                    outcome
                }));
                continue;
            };
            let search =
                |(anchoring, buffers): &mut (Anchoring, Searching), &number: &usize| -> Result<_> {
                    let units = units[number].as_units();
                    let anchoring = anchoring.of_text(units.hashes, window, None)?;
                    let Ok(looked) = searcher.search(units, anchoring, group(number), buffers);
                    let looked = looked.map(|Looked { shared, texts }| (shared.to_vec(), texts));
                    Ok((
                        anchoring.anchors().to_vec(),
                        anchoring.has_repeats(),
                        looked,
                    ))
                };
            for (found, &number) in Threads::all()
                .map(numbers, Default::default, search)
                .into_iter()
                .zip(numbers)
            {
                let (anchors, has_repeats, looked) = found?;
                let looked = looked.as_ref().map(|(shared, texts)| Looked {
                    shared,
                    texts: *texts,
                });
                let Ok(outcome) = cutter.cut_anchored(
                    units[number].as_units(),
                    (&anchors, has_repeats),
                    looked,
                    group(number),
                );
                outcomes.push(outcome);
            }
        }
        Ok(outcomes)
    }
}

/// The number of texts that are searched at a time.
const AT_ONCE: usize = if cfg!(test) { 2 } else { 256 };

/// The number of anchors of recent texts that are not searched by other threads.
const RECENT: usize = if cfg!(test) { 8 } else { 1 << 16 };

fn cut_text(
    outcome: &Outcome,
    number: usize,
    texts: &[&str],
    units: &[TextUnits],
    config: &CutConfig,
) -> CutText {
    let (text, own) = (texts[number], &units[number]);
    let passage = |piece: &super::Piece| CutPassage {
        span: own.span(piece.start..piece.end),
        tokens: own.as_units().tokens(piece.start..piece.end),
        source: piece.source,
        source_span: units[piece.source]
            .span(piece.source_start..piece.source_start + piece.end - piece.start),
    };
    CutText {
        text: match (outcome.is_dropped, outcome.pieces.is_empty()) {
            (true, _) => String::new(),
            (false, true) => text.to_string(),
            (false, false) => edited(
                text,
                &edits(
                    text,
                    own,
                    outcome.pieces.iter().map(|piece| piece.start..piece.end),
                    config,
                ),
            ),
        },
        passages: outcome.pieces.iter().map(passage).collect(),
        is_dropped: outcome.is_dropped,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ErrorKind;

    fn config() -> impl Strategy<Value = CutConfig> {
        let unit = prop_oneof![
            3 => Just(Unit::Runs),
            1 => Just(Unit::Lines),
            1 => Just(Unit::Paragraphs),
            1 => Just(Unit::Sentences),
        ];
        let tokens = prop_oneof![3 => Just(TokensBy::Auto), 1 => Just(TokensBy::Words), 1 => Just(TokensBy::Chars)];
        (unit, 1usize..4, tokens, any::<bool>(), 0usize..3, 0usize..6).prop_map(
            |(unit, window, tokens, lines, least, left)| CutConfig {
                unit,
                window: Some(window),
                min_tokens: Some(least),
                min_left: left,
                whole_lines: lines && unit == Unit::Runs,
                tokens,
                ..CutConfig::default()
            },
        )
    }

    fn texts() -> impl Strategy<Value = Vec<String>> {
        let part = prop_oneof![
            6 => "[abA] ", 2 => "[ab漢字カ]", 2 => Just("\n".to_string()), 1 => Just("\n\n".to_string()), 2 => Just(". ".to_string()),
            1 => "[a.!?\n 漢é\u{301}ﬁ½\"(…。가\u{200b}各à]",
        ];
        prop::collection::vec(
            prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat()),
            1..5,
        )
    }

    proptest! {
        #[test]
        fn what_is_left_has_the_units_that_are_kept(texts in texts(), config in config()) {
            let cut = Cut::config(config.clone()).run(&texts).unwrap();
            let mut cutter = Cutter::new(config.rules().unwrap()).unwrap();
            for (text, cut) in texts.iter().zip(&cut) {
                let units = TextUnits::new(text, &config);
                let Ok(Outcome { pieces, .. }) = cutter.cut(units.as_units(), 0);
                let is_kept = |unit: &usize| !pieces.iter().any(|piece| (piece.start..piece.end).contains(unit));
                let kept: Vec<u64> = (0..units.hashes.len()).filter(is_kept).map(|unit| units.hashes[unit]).collect();
                if cut.is_dropped {
                    prop_assert!(cut.text.is_empty());
                } else {
                    prop_assert_eq!(TextUnits::new(&cut.text, &config).hashes, kept, "{:?}", cut);
                }
                prop_assert!(!cut.passages.is_empty() || cut.is_dropped || cut.text == *text);
            }
            let left: Vec<&str> = cut.iter().map(|cut| cut.text.as_str()).collect();
            for (again, text) in Cut::config(config).run(&left).unwrap().iter().zip(left) {
                prop_assert_eq!((&*again.text, again.passages.len()), (text, 0));
            }
        }

        #[test]
        fn any_text_can_be_cut(texts in prop::collection::vec(".*", 0..4), config in config()) {
            let texts: Vec<&String> = texts.iter().chain(&texts).collect();
            let cut = Cut::config(config).run(&texts).unwrap();
            for (text, cut) in texts.iter().zip(&cut) {
                for CutPassage { span, source, source_span, .. } in &cut.passages {
                    prop_assert!(text.get(span.start..span.end).is_some() && texts[*source].get(source_span.start..source_span.end).is_some());
                }
            }
        }
    }

    #[test]
    fn cuts_in_a_table() {
        let lines = |n| Cut::new().unit(Unit::Lines).min_tokens(n);
        let words = |n| Cut::new().window(n);
        for (cut, texts, expected) in [
            // Lines, with their line ends. A short line is not cut unless it may have few tokens.
            (
                lines(2),
                &["a b\nc d\n", "x y\n  * C, d!\nz w\n"][..],
                &["a b\nc d\n", "x y\nz w\n"][..],
            ),
            (
                lines(1),
                &["if x {\n}\n", "if y {\n}\n"],
                &["if x {\n}\n", "if y {\n}\n"],
            ),
            (lines(1), &["a\nb", "b\na"], &["a\nb", ""]),
            // A word is inserted nowhere, but a space is where words would join.
            (words(2), &["甲乙", "foo甲乙bar"], &["甲乙", "foo bar"]),
            (words(2), &["甲乙", "丙甲乙丁"], &["甲乙", "丙丁"]),
            (words(2), &["a b", "(x) A-b: y"], &["a b", "(x) y"]),
            (words(2), &["a b", "A b! x"], &["a b", "x"]),
            // Cutting joins what is around it, and the joined text may occur too.
            (
                words(3),
                &["a b c d", "x y z", "a b x y z c d"],
                &["a b c d", "x y z", ""],
            ),
            // A text repeats itself. Occurrences that overlap are not cut.
            (words(2), &["a a a a a"], &["a a"]),
            (words(2), &["a a a"], &["a a a"]),
            (
                words(2).within(Within::Document),
                &["a b c", "a b a b"],
                &["a b c", "a b"],
            ),
            (
                words(2).more_than(2),
                &["a b", "a b", "a b"],
                &["a b", "a b", ""],
            ),
            (words(2).min_left(2), &["a b", "a b c"], &["a b", ""]),
            (
                words(2).whole_lines(true),
                &["a b c d", "x a b\nc d\n"],
                &["a b c d", "x a b\n"],
            ),
            // Lines are cut with their indentation, and the next line keeps its own.
            (
                words(3).whole_lines(true),
                &["d e f", "x:\n    d e f\n  y"],
                &["d e f", "x:\n  y"],
            ),
            // With the bytes, a second run cuts nothing either.
            (
                words(2).verbatim(true),
                &["a b c", "p q a b c", "z p q"],
                &["a b c", "p q ", "z p q"],
            ),
            (
                words(2).verbatim(true),
                &["a b c", "p q ", "z p q"],
                &["a b c", "p q ", "z p q"],
            ),
            (
                words(2).verbatim(true),
                &["a b c", "a B c\na b c"],
                &["a b c", "a B c\n"],
            ),
            (
                Cut::new().unit(Unit::Paragraphs).min_tokens(2),
                &["a b\nc\n\nd", "e\n\nA b c\n\nf"],
                &["a b\nc\n\nd", "e\n\nf"],
            ),
        ] {
            let left: Vec<String> = cut
                .run(texts)
                .unwrap()
                .into_iter()
                .map(|cut| cut.text)
                .collect();
            assert_eq!(left, expected, "{texts:?} {cut:?}");
        }
    }

    #[test]
    fn repetitive_texts_take_linear_time() {
        // If each occurrence were compared with each other one, these would take hours.
        let words = "word ".repeat(300_000);
        let pairs = "a b ".repeat(150_000);
        let cut = Cut::new().run(&[&words, &words, &pairs]).unwrap();
        let left: Vec<usize> = cut
            .iter()
            .map(|cut| cut.text.split_whitespace().count())
            .collect();
        assert_eq!(left, [50, 0, 50]);
        // Texts that are kept although they repeat themselves.
        let [word, pair] = ["0 ".repeat(8000), "a b ".repeat(4000)];
        let against = Cut::new()
            .window(1000)
            .run_against(&[&word, &pair], &[&pair, &"x y".to_string(), &word])
            .unwrap();
        assert_eq!(
            against
                .iter()
                .map(|cut| cut.text.as_str())
                .collect::<Vec<_>>(),
            ["", "x y", ""]
        );
        let several = Cut::new()
            .window(400)
            .more_than(3)
            .run(&[&word, &word, &pair])
            .unwrap();
        assert!(several.iter().all(|cut| cut.passages.is_empty()));
        // A phrase of 30 words in many texts, which are different before and after it.
        let phrase = (0..30).map(|word| format!("w{word} ")).collect::<String>();
        let texts: Vec<String> = (0..30_000)
            .map(|text| format!("{text} {phrase}{text}"))
            .collect();
        assert!(
            Cut::new()
                .window(32)
                .run(&texts)
                .unwrap()
                .iter()
                .zip(&texts)
                .all(|(cut, text)| cut.text == *text)
        );
    }

    #[test]
    fn sources_are_named() {
        let cut = Cut::new()
            .window(2)
            .run_against(&["r s"], &["a b c", "x R s a b y"])
            .unwrap();
        assert_eq!(cut[1].text, "x y");
        let spans: Vec<_> = cut[1]
            .passages
            .iter()
            .map(|p| {
                (
                    p.span.start..p.span.end,
                    p.source,
                    p.source_span.start..p.source_span.end,
                )
            })
            .collect();
        assert_eq!(spans, [(2..5, 0, 0..3), (6..9, 1, 0..3)]);
    }

    #[test]
    fn settings_are_checked() {
        let kind = |cut: Cut| cut.run(&["a"]).unwrap_err().kind().clone();
        assert_eq!(
            kind(Cut::new().window(0)),
            ErrorKind::CutWindow {
                window: 0,
                max: 1000
            }
        );
        assert_eq!(kind(Cut::new().more_than(0)), ErrorKind::MoreThan);
        assert_eq!(
            kind(Cut::new().unit(Unit::Lines).whole_lines(true)),
            ErrorKind::WholeLines
        );
        assert_eq!(
            kind(Cut::new().tokens(TokensBy::Lines)),
            ErrorKind::CutTokens
        );
        assert!(cut::<&str>(&[]).is_empty());
    }
}
