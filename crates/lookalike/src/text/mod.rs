//! Characters → tokens: what of a text counts when texts are compared.
//!
//! The *canonical form* of a text is its sequence of tokens (Broder 1997, section 2: two documents that differ only in
//! formatting, punctuation or capitals have the same canonical sequence). It is made in one pass:
//!
//! 1. format characters (soft hyphen, zero-width joiners, variation selectors, byte order mark), and what only stretches a word
//!    (Arabic tatweel), are dropped, as if never there;
//! 2. the rest is NFKC-normalised, case-folded, and normalised again;
//! 3. letters and digits, with the combining marks behind them, make tokens; all else (white space, punctuation, symbols)
//!    only separates.
//!
//! With [`TokensBy::Lines`] all words of a line are one token.
//!
//! Marks are kept, so かき ≠ がき and Thai and Indic vowels count; digits are kept, so "Act 12" ≠ "Act 13"; 體 ≠ 体. [`Folds`]
//! make some of these equal for those who want it, after step 2.
//!
//! A document may also be a set by itself, of films or tags: then its tokens are the [`items()`] of a JSON array, and none of these
//! steps is taken.

mod chinese;

mod class;

mod folds;

mod scan;

mod source;

mod sentences;

mod tokens;

mod ascii;

mod dictionary;

mod items;

mod canon;

mod read;

mod spans;

mod stop_words;

pub use canon::canonicalise;
pub use folds::Folds;
pub use items::{Item, Items, NoSet, items, no_set};
pub(crate) use read::{Reader, TakeTokens, reads};
pub use sentences::sentences;
pub use source::{Span, Text};
pub use spans::{CharCount, token_spans};
pub use stop_words::Language;
pub use tokens::{Tokens, TokensBy};

#[cfg(test)]
mod twin;
