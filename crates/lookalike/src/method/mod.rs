//! The user's configuration, checked once and converted to the functions that a run needs: text → sketch, two sketches →
//! *candidate or not*, two sets → *similar or not*.

mod scratch;

mod sets;

mod stored;

mod sketcher;

#[cfg(any(test, feature = "engine"))]
mod plumbing;

mod promised;

use promised::Promised;
pub use scratch::Scratch;
pub use sets::set_size;
use sketcher::Sketcher;
use stored::Stored;

use crate::{
    config::{Candidates, Cluster, Config, FingerprintBy, Occurrences, Shared, Verify},
    error::{ErrorKind, Result},
    fingerprint::{self, Anchors, Rabin, TokenHasher},
    lsh::{Promise, Shape},
    shingle::Shingling,
    simd::Simd,
    stored::{SketchParameters, StoredSketch},
    text::{self, Span, Text, TokensBy, canonicalise},
    verify::{self, Figures, Measure, Overlap, Passage},
};

/// A checked configuration. It computes the sketch and the set of a text, and decides by two sketches whether their texts are
/// candidates. Use it in programs that store sketches themselves; `examples/index.rs` and `examples/custom_pipeline.rs` are two
/// examples.
#[derive(Debug, Clone)]
pub struct Method {
    config: Config,
    shingling: Shingling,
    verify: Verify,
    rabin: Option<Rabin>,
    anchors: Option<Anchors>,
    pub(crate) sketcher: Sketcher,
    simd: Simd,
}

/// Checks that a minimum containment is a share, and that exact resemblance decides what is dropped.
fn check_min_containment(config: &Config) -> Result<()> {
    let Some(least) = config.min_containment else {
        return Ok(());
    };
    let verify = config.verify.unwrap_or_else(|| config.candidates.verify());
    match (config.measure, verify, config.cluster) {
        _ if !(least > 0.0 && least <= 1.0) => Err(ErrorKind::MinContainment(least).into()),
        (Measure::Resemblance, Verify::Exact, Cluster::Law) => Ok(()),
        _ => Err(ErrorKind::MinContainmentOf.into()),
    }
}

impl Method {
    /// Checks a configuration and creates a method from it. [`Dedup::method`](crate::Dedup::method) creates the configuration and
    /// the method from settings.
    ///
    /// ```
    /// use lookalike::{Config, Method};
    ///
    /// let method = Method::new(Config::default())?;
    /// assert_eq!(method.found_by(), "21 bands of 6 rows");
    ///
    /// let mut config = Config::default();
    /// config.threshold = 80.0;
    /// assert!(Method::new(config).unwrap_err().to_string().contains("for example 0.8"));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if a setting or a combination of settings is impossible. The message says what to do instead.
    pub fn new(config: Config) -> Result<Self> {
        let shingling = Shingling::new(config.k())?;
        config.tokens.check()?;
        config.folds.check()?;
        sets::check(&config)?;
        Shape::check(config.threshold, config.recall)?;
        check_min_containment(&config)?;
        if config.measure == Measure::Containment && matches!(config.cluster, Cluster::Greedy(_)) {
            return Err(ErrorKind::GreedyContainment.into());
        }
        let sketcher = Sketcher::new(&config)?;
        Self::of_sketcher(config, shingling, sketcher)
    }

    fn of_sketcher(config: Config, shingling: Shingling, sketcher: Sketcher) -> Result<Self> {
        let verify = config.verify.unwrap_or_else(|| config.candidates.verify());
        let super_shingles = matches!(
            config.candidates,
            Candidates::Shared(Shared {
                super_shingles: true,
                ..
            })
        );
        match (&config.candidates, config.measure, verify) {
            (Candidates::All, _, Verify::Sketch | Verify::None) => {
                return Err(ErrorKind::NothingToEstimate.into());
            }
            (Candidates::Bands(_) | Candidates::SimHash(_), Measure::Containment, _) => {
                return Err(ErrorKind::NoContainment.into());
            }
            (_, Measure::Containment, _) if super_shingles => {
                return Err(ErrorKind::NoContainment.into());
            }
            (_, _, Verify::Sketch) if super_shingles => return Err(ErrorKind::NoEstimate.into()),
            _ => {}
        }
        let rabin = match config.fingerprint {
            FingerprintBy::Rolling => None,
            FingerprintBy::Rabin { degree } => Some(Rabin::new(degree, config.seed)?),
        };
        let anchors = match &config.anchors[..] {
            [] => None,
            _ if config.tokens == TokensBy::Chars => {
                return Err(ErrorKind::Anchored("tokens of one character").into());
            }
            _ if config.tokens == TokensBy::Lines => {
                return Err(ErrorKind::Anchored("tokens of whole lines").into());
            }
            _ if rabin.is_some() => return Err(ErrorKind::Anchored("Rabin's fingerprints").into()),
            languages => Some(Anchors::new(languages, config.tokens, config.folds)),
        };
        Ok(Self {
            config,
            shingling,
            verify,
            rabin,
            anchors,
            sketcher,
            simd: Simd::detect(),
        })
    }

    /// Creates a method that makes sketches with these parameters, to be stored without the texts: [`sketch`](Self::sketch), then
    /// [`stored`](Self::stored). It finds no candidates.
    ///
    /// # Errors
    /// Fails if a parameter is impossible.
    pub fn sketching(parameters: &SketchParameters) -> Result<Self> {
        Self::of_stored(parameters, Config::default(), Stored::making(parameters)?)
    }

    /// Creates a method that finds pairs of stored sketches. It uses the measure, the threshold, the recall, the bands, the blocks and
    /// the maximum number of documents that may share an element, from the configuration; the parameters have the rest. Similarity is
    /// always estimated ([`Verify::Sketch`]).
    ///
    /// # Errors
    /// Fails if a parameter is impossible, if the sketches cannot find pairs by the measure, or if their size does not suffice for the
    /// recall.
    pub fn of_sketches(parameters: &SketchParameters, config: Config) -> Result<Self> {
        let stored = Stored::finding(parameters, &config)?;
        Self::of_stored(parameters, config, stored)
    }

    fn of_stored(parameters: &SketchParameters, config: Config, stored: Stored) -> Result<Self> {
        let candidates = stored.candidates(&config);
        let config = parameters.config(Config {
            candidates,
            verify: Some(Verify::Sketch),
            cluster: Cluster::Law,
            ..config
        });
        let shingling = Shingling::new(config.k())?;
        config.tokens.check()?;
        config.folds.check()?;
        sets::check(&config)?;
        Self::of_sketcher(config, shingling, Sketcher::Stored(stored))
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns how tokens are divided into shingles, including the length of a shingle.
    pub fn shingling(&self) -> Shingling {
        self.shingling
    }

    /// Returns how candidates are verified, which defines *similar* for this method.
    pub fn verify(&self) -> Verify {
        self.verify
    }

    /// Returns the smallest similarity that a match can have. This similarity is measured exactly or estimated from sketches,
    /// depending on [`verify`](Self::verify).
    pub fn least(&self) -> f64 {
        match (&self.config.candidates, self.verify) {
            // With `Verify::Sketch`, every candidate pair that is found by SimHash or by longest sentences is a match, whatever
            // its similarity: its hashes differ in at most the allowed number of bits, or its texts have the same longest
            // sentences.
            (Candidates::SimHash(_) | Candidates::Sentences(_), Verify::Sketch) => 0.0,
            _ if matches!(&self.sketcher, Sketcher::Stored(stored) if !stored.decides_by_estimate()) => {
                0.0
            }
            _ => self.config.threshold,
        }
    }

    /// Returns the bands and rows, which guarantee the recall at the threshold; none if candidates are not found by bands.
    pub fn shape(&self) -> Option<Shape> {
        self.sketcher.shape()
    }

    /// Returns the promised recall: the minimum share of the pairs at the threshold that is found, and the minimum size of texts
    /// for which this share is valid; none if the recall is not known. Cost: up to 0.1 s for sampled shingles.
    ///
    /// ```
    /// let method = lookalike::Method::new(lookalike::Config::default())?;
    /// assert!(method.promise().is_some_and(|promise| promise.found > 0.99));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn promise(&self) -> Option<Promise> {
        match (&self.config.candidates, self.config.cluster) {
            (_, Cluster::Greedy(_)) => None,
            (Candidates::All, _) => Some(Promise::of_all(1.0)),
            _ => Some(self.promised()?.promise(self.config.recall)),
        }
    }

    fn promised(&self) -> Option<Promised<'_>> {
        Promised::new(&self.sketcher, self.config.measure, self.config.threshold)
    }

    /// Returns a description of how candidates are found.
    pub fn found_by(&self) -> String {
        match (&self.config.candidates, self.config.cluster) {
            (_, Cluster::Greedy(by)) => {
                format!("the {} smallest fingerprints of each text", by.sample)
            }
            (Candidates::Exact, _) => "equal canonical forms".into(),
            (Candidates::All, _) => "an exact join of all sets".into(),
            _ => self.sketcher.found_by(),
        }
    }

    /// Fills `scratch` with the sketch of a text. A run stores only the sketch of each text. For bands and SimHash, no memory is
    /// allocated once the buffers are large enough.
    ///
    /// Cost: by default about a nanosecond per byte of a long text with AVX-512, and less than a microsecond for a short one.
    ///
    /// ```
    /// use lookalike::{Config, Method, Scratch};
    ///
    /// let method = Method::new(Config::default())?;
    /// let mut scratch = Scratch::default();
    /// method.sketch("The quick brown fox jumps over the lazy dog.", &mut scratch);
    /// let digest = scratch.digest;
    /// assert_eq!(scratch.keys.len(), 21);
    ///
    /// method.sketch("the quick brown fox jumps over the lazy dog", &mut scratch);
    /// assert_eq!(scratch.digest, digest);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn sketch<'a>(&self, text: impl Into<Text<'a>>, scratch: &mut Scratch) {
        let text = text.into();
        self.fingerprint(text, scratch);
        scratch.digest = fingerprint::digest_by(self.simd, &scratch.token_hashes);
        self.sketcher.sketch(self.simd, text, scratch);
    }

    /// Returns the sketch that [`sketch`](Self::sketch) left in `scratch`, as it is stored without its text. The method must be one
    /// for stored sketches; any other method returns a sketch without bytes.
    pub fn stored(&self, scratch: &Scratch) -> StoredSketch {
        match &self.sketcher {
            Sketcher::Stored(stored) => stored.stored(scratch),
            _ => StoredSketch {
                shingles: None,
                digest: Some(scratch.digest),
                bytes: Vec::new(),
            },
        }
    }

    /// Fills `scratch` as [`sketch`](Self::sketch) would, from a stored sketch instead of a text. The fingerprints, which the sketch
    /// does not have, are left as they are. The method must be one for stored sketches with the sketch's parameters.
    ///
    /// # Errors
    /// Fails if the bytes are not a sketch with these parameters.
    pub fn restore(&self, sketch: &StoredSketch, scratch: &mut Scratch) -> Result<()> {
        if let Sketcher::Stored(stored) = &self.sketcher {
            stored.check(sketch)?;
            stored.restore(sketch, scratch);
        }
        scratch.digest = sketch.digest.unwrap_or_default();
        Ok(())
    }

    /// Fills `scratch.fingerprints` with the shingle *set* of the text, sorted, for exact verification.
    ///
    /// ```
    /// use lookalike::{Config, Method, Scratch, verify::Overlap};
    ///
    /// let method = Method::new(Config::default())?;
    /// let mut scratch = Scratch::default();
    /// let [a, b] = ["a b c d e f", "a b c d e g"].map(|text| {
    ///     method.set(text, &mut scratch);
    ///     scratch.fingerprints.clone()
    /// });
    /// assert_eq!(Overlap::of(&a, &b).resemblance(), 1.0 / 3.0);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn set<'a>(&self, text: impl Into<Text<'a>>, scratch: &mut Scratch) {
        self.fingerprint(text.into(), scratch);
        scratch.make_set();
    }

    /// Fills `scratch` with the hashes of the tokens and the fingerprints of the shingles.
    fn fingerprint(&self, text: Text, scratch: &mut Scratch) {
        let (by, folds) = (self.config.tokens, self.config.folds);
        let hashes = &mut scratch.token_hashes;
        hashes.clear();
        if self.rabin.is_none() && text::reads(by, folds) {
            scratch.reader.read(
                self.simd,
                text,
                by,
                &mut TokenHasher {
                    simd: self.simd,
                    hashes,
                },
            );
        } else {
            canonicalise(
                text.decode(&mut scratch.plain),
                by,
                folds,
                &mut scratch.tokens,
            );
            fingerprint::token_hashes(&scratch.tokens, hashes);
        }
        if by == TokensBy::Items {
            sets::put_in_order(self.config.occurrences, &mut scratch.sorting, hashes);
        }
        let fingerprints = &mut scratch.fingerprints;
        match &self.rabin {
            None => fingerprint::fingerprints_by(self.simd, hashes, self.shingling, fingerprints),
            Some(rabin) => {
                rabin.shingles(&scratch.tokens, self.shingling, fingerprints);
                // Rabin's fingerprints are residues below 2ˡ, where l is the degree, but MinHash uses the upper half of a 64-bit
                // number.
                fingerprints
                    .iter_mut()
                    .for_each(|f| *f = fingerprint::finish(*f));
            }
        }
        scratch.few_anchors = match &self.anchors {
            Some(anchors) => {
                !anchors.keep(hashes, self.shingling, fingerprints) && !hashes.is_empty()
            }
            None => false,
        };
        if self.config.occurrences == Occurrences::Labelled {
            fingerprint::label_occurrences(fingerprints);
        }
    }

    /// Returns the length that [`Keep::Longest`](crate::cluster::Keep::Longest) compares: the number of characters of a text, or
    /// of items of a set.
    pub fn length(&self, text: &str) -> u64 {
        match self.config.tokens {
            TokensBy::Items => set_size(text, self.config.occurrences),
            _ => text.chars().count() as u64,
        }
    }

    /// Compares two texts. Returns the exact resemblance of their shingle sets, and the share of each set that is also in the
    /// other.
    ///
    /// ```
    /// let method = lookalike::Dedup::new().shingle(2).method()?;
    /// let figures = method.compare("a b c d", "b c d e f");
    /// assert_eq!((figures.intersection, figures.size_a, figures.size_b), (2, 3, 4));
    /// assert_eq!(figures.resemblance, 0.4);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn compare(&self, a: &str, b: &str) -> Figures {
        let mut scratch = Scratch::default();
        let [a, b] = [a, b].map(|text| {
            self.set(text, &mut scratch);
            std::mem::take(&mut scratch.fingerprints)
        });
        Overlap::of(&a, &b).into()
    }

    /// Returns the position, in bytes of the text, of each token for which [`set`](Self::set) leaves a hash in
    /// `scratch.token_hashes`. The items of a set are in the order of their positions. Cost: one pass, slower than that of
    /// [`set`](Self::set).
    pub fn token_spans(&self, text: &str) -> Vec<Span> {
        text::token_spans(text, self.config.tokens, self.config.folds)
    }

    /// Cuts both texts into passages that are shared or not, to show the texts to people. The positions of the cuts depend only
    /// on the shingles that both texts have, not on the settings for occurrences and fingerprints. Cost: three passes over each
    /// text.
    ///
    /// ```
    /// let method = lookalike::Dedup::new().shingle(2).method()?;
    /// let text = "one two three four";
    /// let [passages, _] = method.passages([text, "zero one two five"]);
    /// let shared = passages.iter().find(|passage| passage.shared).unwrap();
    /// assert_eq!(&text[shared.span.start..shared.span.end], "one two ");
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn passages(&self, texts: [&str; 2]) -> [Vec<Passage>; 2] {
        let config = Config {
            occurrences: Occurrences::Once,
            fingerprint: FingerprintBy::Rolling,
            ..self.config.clone()
        };
        let Config { tokens, folds, .. } = config;
        let plain = Self {
            config,
            rabin: None,
            ..self.clone()
        };
        let mut scratch = Scratch::default();
        let sets = texts.map(|text| {
            plain.set(text, &mut scratch);
            std::mem::take(&mut scratch.fingerprints)
        });
        let cut = |own: usize, other: usize| {
            verify::passages(
                texts[own],
                &sets[other],
                tokens,
                folds,
                self.shingling,
                self.anchors.as_ref(),
            )
        };
        [cut(0, 1), cut(1, 0)]
    }

    /// Returns whether the fixed-size sketches of two documents ([`Scratch::bits`]) agree closely enough for the documents to be
    /// candidates. This is the second half of the definition of *candidate*: two documents that share a key are candidates only
    /// if their fixed-size sketches also agree.
    // Not `#[inline]`: its loops would be compiled in the engine, which is optimised for size, and `pairs` would take 8 % more time.
    pub fn agree(&self, a: &[u8], b: &[u8]) -> bool {
        self.sketcher.agree(a, b)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        config::{Bands, Preset},
        fingerprint::SplitMix64,
        lsh::Curve,
        text::{Folds, Tokens},
    };

    #[test]
    fn the_defaults_are_a_method() {
        let method = Method::new(Config::default()).unwrap();
        assert_eq!(
            method.shape().unwrap().curve(),
            Curve { bands: 21, rows: 6 }
        );
        assert!(
            method
                .promise()
                .is_some_and(|promise| promise.found > 0.998 && promise.from == 1)
        );
    }

    proptest! {
        #[test]
        fn every_kernel_agrees_with_the_single_steps(
            words in prop::collection::vec("[a-zA-Z]{1,9}|[0-9é]{1,3}|漢字か|[a-z]{14,20}|[.\n\"\\\\]|がＡ", 0..300),
            k in prop::sample::select(vec![1, 2, 5, 9, 20]),
            labelled: bool,
        ) {
            let text = words.join(" ");
            let json = serde_json::to_string(&text).unwrap();
            let (mut tokens, mut hashes, mut shingles) = (Tokens::new(), Vec::new(), Vec::new());
            canonicalise(&text, TokensBy::Auto, Folds::default(), &mut tokens);
            fingerprint::token_hashes(&tokens, &mut hashes);
            fingerprint::fingerprints(&hashes, Shingling::new(k).unwrap(), &mut shingles);
            let occurrences = if labelled { Occurrences::Labelled } else { Occurrences::Once };
            if labelled {
                fingerprint::label_occurrences(&mut shingles);
            }
            let config = Config { shingle: Some(k), occurrences, ..Config::default() };
            let mut first = None;
            for simd in Simd::all() {
                let method = Method::new(config.clone()).unwrap().with_simd(simd);
                for text in [Text::Plain(&text), Text::Escaped(&json[1..json.len() - 1])] {
                    let mut scratch = Scratch::default();
                    method.sketch(text, &mut scratch);
                    prop_assert_eq!(scratch.digest, fingerprint::digest(&tokens), "{:?}", simd);
                    prop_assert_eq!(&scratch.fingerprints, &shingles, "{:?}", simd);
                    let sketch = (scratch.keys.clone(), scratch.bits.clone());
                    prop_assert_eq!(first.get_or_insert_with(|| sketch.clone()), &sketch);
                    method.make_set(&mut scratch);
                    let made = scratch.fingerprints.clone();
                    method.set(text, &mut scratch);
                    prop_assert_eq!(made, &scratch.fingerprints[..]);
                    let set = std::collections::BTreeSet::from_iter(shingles.iter().copied());
                    prop_assert!(scratch.fingerprints.iter().eq(&set));
                }
            }
        }
    }

    #[test]
    fn conflicting_settings_are_refused() {
        let refused = |config| Method::new(config).unwrap_err().kind().clone();
        let half = Candidates::Bands(Bands {
            bands: Some(20),
            ..Bands::default()
        });
        assert_eq!(
            refused(Config {
                candidates: half,
                ..Config::default()
            }),
            ErrorKind::HalfShape
        );
        assert_eq!(
            refused(Config {
                measure: Measure::Containment,
                ..Config::default()
            }),
            ErrorKind::NoContainment
        );
        let estimated = Config {
            candidates: Candidates::All,
            verify: Some(Verify::Sketch),
            ..Config::default()
        };
        assert_eq!(refused(estimated), ErrorKind::NothingToEstimate);
    }

    /// The test uses one token per shingle, so that the sizes of the sets are known.
    #[test]
    fn short_texts_at_the_presets_threshold_are_found_at_the_stated_rate() {
        let method = Method::new(Config {
            shingle: Some(1),
            ..Preset::Quotations.config()
        })
        .unwrap();
        let said = method.promise().unwrap().found;
        assert!(said >= 0.99);
        let (mut random, mut scratch) = (SplitMix64::new(5), Scratch::default());
        for own in [1usize, 2, 3, 5, 10, 20] {
            const PAIRS: u32 = 1500;
            let mut found = 0;
            for _ in 0..PAIRS {
                let mut words = |count: usize| {
                    (0..count)
                        .map(|_| format!("{:x} ", random.next_u64()))
                        .collect::<String>()
                };
                // The union has 4 parts of equal size, and the texts share 2 of them: a resemblance of one half.
                let both = words(2 * own);
                let [a, b] = [words(own), words(own)].map(|alone| {
                    method.sketch(&(alone + &both), &mut scratch);
                    (scratch.keys.clone(), scratch.bits.clone())
                });
                found += u32::from(
                    a.0.iter().zip(&b.0).any(|(a, b)| a == b) && method.agree(&a.1, &b.1),
                );
            }
            let found = f64::from(found) / f64::from(PAIRS);
            // The margin is four standard errors.
            assert!(
                found > said - 4.0 * (said * (1.0 - said) / f64::from(PAIRS)).sqrt(),
                "{} shingles: {found} for {said}",
                3 * own
            );
        }
    }
}
