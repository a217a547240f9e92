//! The token buffer: one text's canonical form, filled by [`canonicalise`](super::canonicalise) and used again for the next.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, Result};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(rename_all = "lowercase")]
pub enum TokensBy {
    /// Words in scripts that put spaces between them; in scripts without spaces (Han, kana, Thai, Khmer, Javanese and others) each
    /// character.
    #[default]
    Auto,
    /// Words in every script: maximal runs of letters and digits with their marks.
    Words,
    /// Characters: each letter, digit and mark, and one space for whatever separates words.
    Chars,
    /// Like `Auto`, but Han characters are cut into the words of a Chinese dictionary (jieba's, mostly of simplified words:
    /// fold with [`Folds::simplified`](super::Folds) where texts may be traditional). Needs the feature `jieba`.
    ///
    /// Separators between Han characters do not count, so lines may break inside a word. 40 MB of verse and 90 MB of prose a
    /// second, against 360 by `Auto`; the dictionary is loaded once, in 0.1 s, and takes 33 MB of memory.
    Jieba,
    /// Lines, each as its words are by `Auto`, so that indentation and punctuation make no difference; a line without a word is none.
    /// For code, logs and lists. Lines end at a line feed, a carriage return, or both.
    Lines,
    /// The items of a JSON array of strings and numbers, [`items()`](super::items()): the document is a set, and no step of texts is taken.
    Items,
}

impl TokensBy {
    /// Whether this build can do what is asked.
    ///
    /// # Errors
    /// [`ErrorKind::NotBuilt`]: `Jieba` without the feature `jieba`.
    pub fn check(self) -> Result<()> {
        match self == Self::Jieba && !cfg!(feature = "jieba") {
            true => Err(ErrorKind::NotBuilt { what: "the Chinese dictionary", feature: "jieba" }.into()),
            false => Ok(()),
        }
    }
}

/// The tokens of one text. A buffer: it grows to the largest text it has held and is never shrunk.
///
/// Words are stored joined by one space, characters without a gap, so the stored text tells the token sequence apart from
/// every other and its digest is the digest of the canonical form; except for lines, which have several words, and for the items of
/// sets, which have any character in them.
#[derive(Debug, Default)]
pub struct Tokens {
    /// Written up to `filled`; behind that, room.
    pub(super) text: Vec<u8>,
    pub(super) filled: usize,
    /// `ends[..count]`: where each token ends in `text`.
    pub(super) ends: Vec<usize>,
    pub(super) count: usize,
    pub(super) open: Open,
    /// Bytes between tokens: 1 for words, 0 for characters.
    pub(super) gap: usize,
    /// Room for the ASCII path's folded bytes.
    pub(super) folded: Vec<u8>,
    /// Room for the normaliser's answer.
    pub(super) piece: String,
    /// Han characters that wait to be cut into words.
    pub(super) run: String,
}

/// Whether the last token may still grow.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// No: the next letter opens a token.
    #[default]
    No,
    /// By letters, digits and marks.
    Word,
    /// By marks alone.
    Solo,
}

/// Room kept behind the text, so that eight bytes can be read at any token's start.
pub(crate) const PAD: usize = 16;

impl Tokens {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the text has no token at all: such a text is never anybody's duplicate.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The canonical text, as UTF-8.
    pub fn text(&self) -> &[u8] {
        &self.text[..self.filled]
    }

    /// Each token's bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends[..self.count].iter().map(move |&end| {
            let token = &self.text[start..end];
            start = end + self.gap;
            token
        })
    }

    /// The text with at least [`PAD`] readable bytes behind it, the token ends, and the gap between tokens: for the hasher.
    pub(crate) fn raw(&self) -> (&[u8], &[usize], usize) {
        // A buffer that was never filled has no room behind its nothing.
        (&self.text[..self.text.len().min(self.filled + PAD)], &self.ends[..self.count], self.gap)
    }

    pub(super) fn clear(&mut self, gap: usize) {
        (self.filled, self.count, self.open, self.gap) = (0, 0, Open::No, gap);
        self.reserve(0, 0);
    }

    /// Makes room for `bytes` more of text and `tokens` more tokens.
    #[inline]
    pub(super) fn reserve(&mut self, bytes: usize, tokens: usize) {
        let (text, ends) = (self.filled + bytes + 2 * PAD, self.count + tokens + 1);
        if self.text.len() < text || self.ends.len() < ends {
            self.grow(text, ends);
        }
    }

    #[cold]
    fn grow(&mut self, text: usize, ends: usize) {
        if self.text.len() < text {
            self.text.resize(text + text / 2, 0);
        }
        if self.ends.len() < ends {
            self.ends.resize(ends + ends / 2, 0);
        }
    }

    /// Opens a new token.
    #[inline]
    pub(super) fn begin(&mut self, open: Open) {
        self.reserve(1, 1);
        if self.count > 0 {
            self.text[self.filled] = b' ';
            self.filled += self.gap;
        }
        self.count += 1;
        self.ends[self.count - 1] = self.filled;
        self.open = open;
    }

    /// Makes one token of all from the `from`th on, with the gaps between them.
    pub(super) fn join(&mut self, from: usize) {
        if self.count > from {
            self.ends[from] = self.ends[self.count - 1];
            self.count = from + 1;
        }
        self.open = Open::No;
    }

    /// Appends bytes to the last token.
    #[inline]
    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len(), 0);
        self.text[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
        self.ends[self.count - 1] = self.filled;
    }

    /// Appends a character to the last token.
    #[inline]
    pub(super) fn extend(&mut self, c: char) {
        self.reserve(4, 0);
        self.filled += c.encode_utf8(&mut self.text[self.filled..]).len();
        self.ends[self.count - 1] = self.filled;
    }
}
