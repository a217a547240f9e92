//! Explains why two texts resemble each other: the passages that they share, for display.

use crate::{
    fingerprint::{self, Anchors},
    shingle::Shingling,
    text::{Folds, Span, Tokens, TokensBy, canonicalise, token_spans},
};

/// A part of a text, either entirely shared with the other text or entirely not shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub struct Passage {
    /// Its position, in bytes. Passages follow each other without a gap, from the start of the text to its end.
    pub span: Span,
    /// Whether its tokens occur in shingles that the other text also has.
    pub shared: bool,
}

/// Cuts a text into passages. Each passage is either shared with another text or not. `other` is the shingle set of the other
/// text, sorted, and made with the same `by`, `folds`, `shingling` and `anchors`. A token is shared if any shingle that contains
/// it is shared. Separators belong to the preceding token. Cost: one pass, and a binary search in `other` for each shingle.
///
/// # Panics
/// Panics under the same conditions as [`canonicalise`].
pub fn passages(
    text: &str,
    other: &[u64],
    by: TokensBy,
    folds: Folds,
    shingling: Shingling,
    anchors: Option<&Anchors>,
) -> Vec<Passage> {
    let (mut tokens, mut hashes, mut shingles) = (Tokens::new(), Vec::new(), Vec::new());
    canonicalise(text, by, folds, &mut tokens);
    fingerprint::token_hashes(&tokens, &mut hashes);
    fingerprint::fingerprints(&hashes, shingling, &mut shingles);
    let anchors = anchors.filter(|anchors| anchors.judge(&hashes, shingling));
    let mut shared = vec![false; tokens.len()];
    // The end of the last shared window. Windows are in order of their starts. So if a window starts before this end, its tokens
    // up to this end are already marked as shared.
    let mut marked = 0;
    for (window, shingle) in shingling.windows(tokens.len()).zip(&shingles) {
        let is_shingle = anchors.is_none_or(|anchors| anchors.has(hashes[window.start]));
        if is_shingle && other.binary_search(shingle).is_ok() {
            shared[window.start.max(marked)..window.end].fill(true);
            marked = window.end;
        }
    }
    let mut passages: Vec<Passage> = Vec::new();
    for (span, shared) in token_spans(text, by, folds).into_iter().zip(shared) {
        match passages.last_mut() {
            Some(last) if last.shared == shared => last.span.end = span.end,
            last => {
                let start = last.map_or(0, |last| {
                    last.span.end = span.start;
                    span.start
                });
                passages.push(Passage {
                    span: Span {
                        start,
                        end: span.end,
                    },
                    shared,
                });
            }
        }
    }
    match passages.last_mut() {
        Some(last) => last.span.end = text.len(),
        None if !text.is_empty() => passages.push(Passage {
            span: Span {
                start: 0,
                end: text.len(),
            },
            shared: false,
        }),
        None => {}
    }
    passages
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(a: &str, b: &str, k: usize) -> Vec<(String, bool)> {
        let shingling = Shingling::new(k).unwrap();
        let other = fingerprint::fingerprint_set(b, TokensBy::Auto, Folds::default(), shingling);
        passages(a, &other, TokensBy::Auto, Folds::default(), shingling, None)
            .iter()
            .map(|p| (a[p.span.start..p.span.end].to_string(), p.shared))
            .collect()
    }

    #[test]
    fn passages_in_a_table() {
        assert_eq!(
            cut("one two, three! Four five.", "zero ONE two three seven", 3),
            [
                ("one two, three! ".to_string(), true),
                ("Four five.".into(), false)
            ]
        );
        assert_eq!(cut("- a b", "x y", 2), [("- a b".to_string(), false)]);
        assert_eq!(cut("?!", "x y", 2), [("?!".to_string(), false)]);
        assert_eq!(cut("", "x y", 2), []);
    }

    #[test]
    fn items_of_sets_are_shared_one_by_one() {
        let shingling = Shingling::new(1).unwrap();
        let other = fingerprint::fingerprint_set(
            r#"["c", 7, "b"]"#,
            TokensBy::Items,
            Folds::default(),
            shingling,
        );
        let a = r#"["a", "B", "b", 7.0, "7"]"#;
        let cut: Vec<_> = passages(
            a,
            &other,
            TokensBy::Items,
            Folds::default(),
            shingling,
            None,
        )
        .iter()
        .map(|p| (&a[p.span.start..p.span.end], p.shared))
        .collect();
        assert_eq!(
            cut,
            [
                (r#"["a", "B", "#, false),
                (r#""b", 7.0, "#, true),
                (r#""7"]"#, false)
            ]
        );
    }

    proptest! {
        #[test]
        fn passages_cover_the_text_and_alternate(a in "[a-c漢 .é\u{301}]{0,40}", b in "[a-c漢 ]{0,40}", k in 1usize..4) {
            let cut = cut(&a, &b, k);
            prop_assert_eq!(cut.iter().map(|(text, _)| text.as_str()).collect::<String>(), a);
            prop_assert!(cut.windows(2).all(|two| two[0].1 != two[1].1));
        }
    }
}
