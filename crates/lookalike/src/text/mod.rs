//! Turns characters into tokens: the parts of a text that count when texts are compared.
//!
//! The *canonical form* of a text is its sequence of tokens (Broder 1997, section 2: two documents that differ only in
//! formatting, punctuation or capitals have the same canonical sequence). It is made in one pass:
//!
//! 1. format characters (soft hyphen, zero-width joiners, variation selectors, byte order mark) and characters that only stretch
//!    a word (Arabic tatweel) are dropped, as if they had never been there;
//! 2. the rest is NFKC-normalised, case-folded, and normalised again;
//! 3. letters and digits, with the combining marks after them, make tokens; everything else (white space, punctuation, symbols)
//!    only separates them.
//!
//! With [`TokensBy::Lines`], all words of a line are one token.
//!
//! Marks are kept, so かき ≠ がき, and Thai and Indic vowels count. Digits are kept, so "Act 12" ≠ "Act 13". Traditional and
//! simplified characters differ, so 體 ≠ 体. [`Folds`] make some of these equal if requested, after step 2.
//!
//! A document may also be a set itself, for example of films or tags. Then its tokens are the [`items()`] of a JSON array, and
//! none of these steps is applied.

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

mod presence;

mod stretches;

mod read;

mod spans;

mod stop_words;

pub use canon::canonicalise;
pub(crate) use canon::lines_by;
pub use chinese::chinese_forms;
pub use folds::{Difference, Folds};
pub use items::{Item, Items, NotASet, items, why_not_a_set};
pub(crate) use presence::has_token;
pub(crate) use read::{Reader, TokenSink, reads};
pub use sentences::sentences;
pub(crate) use sentences::sentences_by;
pub use source::{Span, Text};
pub use spans::{CharCount, token_spans};
pub use stop_words::Language;
pub use tokens::{Tokens, TokensBy};

#[cfg(test)]
mod twin;
