//! The interface through which other programs apply the law (the rule that decides which documents are kept): a function with
//! defaults, and a builder for all other settings.

use super::{
    decision::{Decision, Doc},
    decisions::Decisions,
    law,
};
use crate::{
    cluster::{Keep, number_key},
    config::{Candidates, Cluster, Config, Occurrences, Preset, Verify},
    error::{ErrorKind, Result},
    method::Method,
    text::{Folds, Language, TokensBy},
    threads::Threads,
    verify::Measure,
};

/// Finds near-duplicate texts, and keeps the first of each group. Texts are near-duplicates if their sets of 5-word shingles have
/// a resemblance of at least 0.8.
///
/// The texts can have any string type: `&[&str]`, `&Vec<String>`, `&[Box<str>]`. Use [`Dedup`] for other settings. There can be
/// up to 2³² − 1 texts. Cost: about 3 ns per byte of text, and about 8 bytes of memory per word for the sets.
///
/// ```
/// use lookalike::{Reason, dedup};
///
/// let texts = vec![
///     "The quick brown fox jumps over the lazy dog and runs away into the dark green wood.".to_string(),
///     "A different text, about nothing that the others speak of.".to_string(),
///     "The quick brown fox jumps over the lazy dog, and runs away into the dark green WOOD!".to_string(),
///     "The quick brown fox jumps over the lazy dog and runs away into the dark green forest.".to_string(),
/// ];
/// let decisions = dedup(&texts);
/// assert_eq!(decisions.kept(), [0, 1]);
///
/// // Each decision says why: the reason, the text that is kept in its place, and how similar the two are.
/// assert_eq!(decisions[2].reason, Reason::Exact);
/// assert_eq!(decisions[3].reason, Reason::Near);
/// assert_eq!(decisions[3].representative, Some(0));
/// assert!(decisions[3].similarity.is_some_and(|similarity| similarity >= 0.8));
/// ```
pub fn dedup<T: AsRef<str>>(texts: &[T]) -> Decisions {
    #[expect(
        clippy::expect_used,
        reason = "a test checks that the defaults are valid, and no text is rejected"
    )]
    Dedup::new()
        .run(texts)
        .expect("the default configuration is valid")
}

/// Finds near-duplicate texts with the given settings.
///
/// ```
/// use lookalike::{Dedup, cluster::Keep};
///
/// let texts = ["the old man and the sea", "The old man, and the sea: a novel", "moby dick or the whale"];
/// let decisions = Dedup::new().threshold(0.5).shingle(2).keep(Keep::Longest).run(&texts)?;
/// assert_eq!(decisions.kept(), [1, 2]);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use = "a builder does nothing until `run`"]
pub struct Dedup {
    config: Config,
    /// If none, the measure determines the default.
    candidates: Option<Candidates>,
    /// If none, the measure determines the default.
    keep: Option<Keep>,
}

impl Dedup {
    /// Returns the defaults: 5-word shingles, a resemblance of 0.8, and the first text of a group is kept.
    ///
    /// ```
    /// let texts = ["one text", "One text!"];
    /// assert_eq!(lookalike::Dedup::new().run(&texts)?, lookalike::dedup(&texts));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the minimum similarity of duplicates, above 0 and at most 1; 0.8 by default.
    ///
    /// ```
    /// let texts = ["to be or not to be that is the question", "to be or not to be, that is the problem"];
    /// assert_eq!(lookalike::dedup(&texts).kept(), [0, 1]);
    /// assert_eq!(lookalike::Dedup::new().threshold(0.6).run(&texts)?.kept(), [0]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.config.threshold = threshold;
        self
    }

    /// Sets what share of the pairs at the threshold must be found, above 0 and below 1; 0.99 by default. Pairs above the
    /// threshold are found more often.
    ///
    /// ```
    /// let method = lookalike::Dedup::new().recall(0.9999).method()?;
    /// assert!(method.promise().is_some_and(|promise| promise.found >= 0.9999));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn recall(mut self, recall: f64) -> Self {
        self.config.recall = recall;
        self
    }

    /// Sets the similarity measure; resemblance by default. For containment, the longest text of a group is kept and candidates
    /// are found by the sampled fingerprints (hashes of shingles) that they share, unless [`keep`](Self::keep) or
    /// [`candidates`](Self::candidates) changes this.
    ///
    /// ```
    /// use lookalike::{Dedup, Reason, verify::Measure};
    ///
    /// let texts = [
    ///     "one two three four five six seven eight nine ten",
    ///     "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen",
    /// ];
    /// let decisions = Dedup::new().measure(Measure::Containment).run(&texts)?;
    /// assert_eq!(decisions[0].reason, Reason::Contained);
    /// assert_eq!(decisions[0].representative, Some(1));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn measure(mut self, measure: Measure) -> Self {
        self.config.measure = measure;
        self
    }

    /// Sets which text of a group is kept: the first or the longest. For any other order, give each text a score with
    /// [`run_scored`](Self::run_scored).
    ///
    /// ```
    /// use lookalike::{Dedup, cluster::Keep};
    ///
    /// assert_eq!(Dedup::new().keep(Keep::Longest).run(&["a text", "A text!"])?.kept(), [1]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = Some(keep);
        self
    }

    /// Sets what a token is; by default a word, or a character in scripts without spaces.
    ///
    /// ```
    /// use lookalike::{Dedup, text::TokensBy};
    ///
    /// // Sets, as JSON arrays: order does not matter.
    /// let sets = [r#"["red", "green", 3]"#, r#"[3.0, "red", "green"]"#];
    /// assert_eq!(Dedup::new().tokens(TokensBy::Items).run(&sets)?.kept(), [0]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn tokens(mut self, tokens: TokensBy) -> Self {
        self.config.tokens = tokens;
        self
    }

    /// Sets the number of tokens per shingle; 5 by default.
    pub fn shingle(mut self, tokens: usize) -> Self {
        self.config.shingle = Some(tokens);
        self
    }

    /// Sets which differences are ignored in addition to case, punctuation and white space; none by default.
    ///
    /// ```
    /// use lookalike::{Dedup, text::Folds};
    ///
    /// let mut folds = Folds::default();
    /// folds.accents = true;
    /// assert_eq!(Dedup::new().folds(folds).run(&["café", "cafe"])?.kept(), [0]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn folds(mut self, folds: Folds) -> Self {
        self.config.folds = folds;
        self
    }

    /// Sets the languages whose stop words may start a shingle. By default, a shingle may start with any token.
    pub fn anchors(mut self, languages: impl IntoIterator<Item = Language>) -> Self {
        self.config.anchors = languages.into_iter().collect();
        self
    }

    /// Sets whether a shingle that occurs several times in a text counts once (the default) or each time.
    pub fn occurrences(mut self, occurrences: Occurrences) -> Self {
        self.config.occurrences = occurrences;
        self
    }

    /// Sets how candidates are found.
    ///
    /// ```
    /// use lookalike::{Candidates, Dedup, SimHashBy};
    ///
    /// let texts = ["one text", "One text!", "another"];
    /// let mut simhash = SimHashBy::default();
    /// simhash.distance = Some(3);
    /// assert_eq!(Dedup::new().candidates(simhash).run(&texts)?.kept(), [0, 2]);
    /// // All pairs: nothing is missed, and it takes time.
    /// assert_eq!(Dedup::new().candidates(Candidates::All).run(&texts)?.kept(), [0, 2]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn candidates(mut self, candidates: impl Into<Candidates>) -> Self {
        self.candidates = Some(candidates.into());
        self
    }

    /// Sets how candidates are verified: by an exact comparison, by their sketches, or not at all. The default is an exact
    /// comparison, except for SimHash, whose default is to compare sketches.
    pub fn verify(mut self, verify: Verify) -> Self {
        self.config.verify = Some(verify);
        self
    }

    /// Sets how groups are formed; by default, a group is a kept text and its duplicates.
    pub fn cluster(mut self, cluster: Cluster) -> Self {
        self.config.cluster = cluster;
        self
    }

    /// Sets the seed of all random choices; 1 by default. The same seed gives the same answer on every machine.
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.seed = seed;
        self
    }

    /// Applies the settings for a kind of texts. The preset replaces all settings except [`keep`](Self::keep), so call this
    /// method first.
    ///
    /// ```
    /// use lookalike::{Dedup, Preset};
    ///
    /// let verses = ["In the beginning God created the heaven and the earth.", "In the beginning God made the heaven and the earth."];
    /// assert_eq!(Dedup::new().preset(Preset::Quotations).run(&verses)?.kept(), [0]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn preset(self, preset: Preset) -> Self {
        self.config(preset.config())
    }

    /// Applies a whole configuration, for settings that have no method in this builder. The configuration replaces all settings
    /// except [`keep`](Self::keep), so call this method first.
    ///
    /// ```
    /// use lookalike::{Config, Dedup, FingerprintBy};
    ///
    /// let mut config = Config::default();
    /// config.fingerprint = FingerprintBy::Rabin { degree: 64 };
    /// assert_eq!(Dedup::new().config(config).run(&["one", "One"])?.kept(), [0]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn config(mut self, config: Config) -> Self {
        self.candidates = Some(config.candidates.clone());
        self.config = config;
        self
    }

    /// Returns the checked settings, for programs that sketch and compare texts themselves.
    ///
    /// ```
    /// let method = lookalike::Dedup::new().threshold(0.5).method()?;
    /// assert_eq!(method.found_by(), "42 bands of 3 rows");
    /// assert!(lookalike::Dedup::new().threshold(80.0).method().is_err());
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with the errors of [`Method::new`].
    pub fn method(&self) -> Result<Method> {
        let candidates = self
            .candidates
            .clone()
            .unwrap_or_else(|| Candidates::usual(self.config.measure));
        Method::new(Config {
            candidates,
            ..self.config.clone()
        })
    }

    /// Decides which texts are kept and which are dropped.
    ///
    /// # Errors
    /// Fails with the errors of [`Method::new`], and with [`ErrorKind::KeepField`] if [`keep`](Self::keep) was set to an order
    /// that depends on a field. Texts are never rejected.
    pub fn run<T: AsRef<str>>(&self, texts: &[T]) -> Result<Decisions> {
        let method = self.method()?;
        let keep = self
            .keep
            .clone()
            .unwrap_or_else(|| Keep::usual(self.config.measure));
        let key: &dyn Fn(&str) -> u64 = match &keep {
            Keep::First => &|_| 0,
            Keep::Longest => &|text| method.length(text),
            Keep::Newest(_) | Keep::Max(_) | Keep::Min(_) => {
                return Err(ErrorKind::KeepField(keep.to_string()).into());
            }
        };
        let docs = texts
            .iter()
            .map(|text| Doc {
                text: text.as_ref(),
                key: key(text.as_ref()),
            })
            .collect::<Vec<_>>();
        decided(&method, &docs)
    }

    /// Decides which texts are kept and which are dropped, like [`run`](Self::run). Texts are considered in the order of their
    /// scores, the highest first; texts with equal scores are considered in input order. A score can be a rating, a time, or a
    /// length; NaN is the lowest score.
    ///
    /// ```
    /// use lookalike::Dedup;
    ///
    /// let (texts, years) = (["one text", "One text!", "ONE TEXT"], [2019.0, 2024.0, 2021.0]);
    /// assert_eq!(Dedup::new().run_scored(&texts, &years)?.kept(), [1]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with the errors of [`Method::new`], and with [`ErrorKind::Scores`] if the number of scores differs from the number
    /// of texts.
    pub fn run_scored<T: AsRef<str>>(&self, texts: &[T], scores: &[f64]) -> Result<Decisions> {
        let method = self.method()?;
        if texts.len() != scores.len() {
            return Err(ErrorKind::Scores {
                texts: texts.len(),
                scores: scores.len(),
            }
            .into());
        }
        let key = |score: f64| if score.is_nan() { 0 } else { number_key(score) };
        let docs = texts
            .iter()
            .zip(scores)
            .map(|(text, &score)| Doc {
                text: text.as_ref(),
                key: key(score),
            })
            .collect::<Vec<_>>();
        decided(&method, &docs)
    }
}

fn decided(method: &Method, docs: &[Doc]) -> Result<Decisions> {
    let decisions: Vec<Decision> = law::by(method, docs, Threads::all())?;
    Ok(Decisions::new(decisions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dedup::decide, error::Error};

    fn kind(refused: Result<Decisions>) -> ErrorKind {
        Error::kind(&refused.unwrap_err()).clone()
    }

    #[test]
    fn every_kind_of_slice_of_texts_is_accepted() {
        let owned: Vec<String> = ["a b", "A b", "c"].map(String::from).to_vec();
        let boxed: Vec<Box<str>> = owned.iter().map(|text| text.as_str().into()).collect();
        assert_eq!(dedup(&owned), dedup(&["a b", "A b", "c"]));
        assert_eq!(dedup(&boxed), dedup(&owned[..]));
        assert!(dedup::<String>(&[]).is_empty());
    }

    #[test]
    fn the_builder_gives_the_decisions_of_the_law() {
        let texts: Vec<String> = (0..60)
            .map(|i| format!("a b c d e f g h i j k l {}", "m n o p q r ".repeat(i % 7)))
            .collect();
        let docs: Vec<Doc> = texts
            .iter()
            .map(|text| Doc {
                text,
                key: text.chars().count() as u64,
            })
            .collect();
        let config = Config {
            threshold: 0.6,
            shingle: Some(3),
            seed: 9,
            ..Config::default()
        };
        let built = Dedup::new()
            .threshold(0.6)
            .shingle(3)
            .seed(9)
            .keep(Keep::Longest)
            .run(&texts)
            .unwrap();
        assert_eq!(
            Vec::from(built.clone()),
            decide(&docs, config.clone()).unwrap()
        );
        assert_eq!(
            Dedup::new()
                .config(config)
                .keep(Keep::Longest)
                .run(&texts)
                .unwrap(),
            built
        );
        let groups = built.groups();
        assert!(!groups.is_empty());
        assert_eq!(
            groups
                .iter()
                .map(|group| group.dropped.len())
                .sum::<usize>(),
            built.dropped().len()
        );
        assert_eq!(built.kept().len() + built.dropped().len(), built.len());
    }

    #[test]
    fn containment_keeps_the_longest_by_default() {
        let texts = [
            "a b c d e f g h",
            "a b c d e f g h i j k l m n o p q r s t u v w x y z",
            "a b c d e f g h i j k l",
        ];
        let containment = Dedup::new().measure(Measure::Containment);
        assert_eq!(containment.run(&texts).unwrap().kept(), [1]);
        assert_eq!(
            containment
                .clone()
                .keep(Keep::First)
                .run(&texts)
                .unwrap()
                .kept(),
            [0, 1]
        );
        let refused = containment.candidates(Candidates::default()).run(&texts);
        assert_eq!(kind(refused), ErrorKind::NoContainment);
    }

    #[test]
    fn the_longest_set_has_the_most_items() {
        let sets = [
            r#"["a","b","c","d","a-very-long-item-that-stands-alone"]"#,
            r#"["a","b","c","d","e","f"]"#,
        ];
        let decisions = Dedup::new()
            .tokens(TokensBy::Items)
            .threshold(0.5)
            .keep(Keep::Longest)
            .run(&sets)
            .unwrap();
        assert_eq!(decisions.kept(), [1]);
    }

    #[test]
    fn missing_fields_and_scores_are_refused() {
        let keep = Keep::Newest("date".into());
        assert_eq!(
            kind(Dedup::new().keep(keep).run(&["a"])),
            ErrorKind::KeepField("newest:date".into())
        );
        assert_eq!(
            kind(Dedup::new().run_scored(&["a"], &[])),
            ErrorKind::Scores {
                texts: 1,
                scores: 0
            }
        );
        assert_eq!(
            Dedup::new()
                .run_scored(&["a", "A", "a!"], &[f64::NAN, -1.0, -2.0])
                .unwrap()
                .kept(),
            [1]
        );
        assert_eq!(
            kind(Dedup::new().threshold(2.0).run(&["a"])),
            ErrorKind::Threshold(2.0)
        );
    }
}
