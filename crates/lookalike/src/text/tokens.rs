//! The token buffer: one text's canonical form, filled by [`canonicalise`](super::canonicalise) and reused for the next text.

use crate::{
    choices,
    error::{ErrorKind, Result},
};

choices! {
    /// The unit of text that is one token.
    #[derive(Default)]
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum TokensBy {
        /// words; characters in scripts without spaces, such as Chinese, Japanese, Thai and Javanese
        Auto = "auto" (default),
        /// words in every script
        ///
        /// Maximal runs of letters and digits with their marks.
        Words = "words",
        /// characters; anything that separates words counts as one space
        Chars = "chars",
        /// like auto, but Chinese is split into the words of a dictionary
        ///
        /// This dictionary (jieba's) mostly has words in simplified characters, so fold with [`Folds::simplified`](super::Folds) if
        /// texts may have traditional characters. `Jieba` needs the feature `jieba`.
        ///
        /// Separators between Han characters do not count, so lines may break inside a word. The speed is 40 MB of verse or 90 MB
        /// of prose per second, compared with 360 MB per second for `Auto`. The dictionary is loaded once, in 0.1 s, and takes 33
        /// MB of memory.
        Jieba = "jieba",
        /// lines, for code and logs: the words of a line, without its indentation and punctuation; lines without a word are skipped
        ///
        /// Each token is the words of one line, as `Auto` finds them. Lines end at a line feed, a carriage return, or both.
        Lines = "lines",
        /// the items of a JSON array of strings and numbers, [`items()`](super::items())
        ///
        /// The document is a set, and none of the steps for texts is applied.
        Items = "items",
    }
}

impl TokensBy {
    /// Checks that this build supports these tokens.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::NotBuilt`] for `Jieba` if this build lacks the feature `jieba`.
    pub fn check(self) -> Result<()> {
        if self == Self::Jieba && !cfg!(feature = "jieba") {
            Err(ErrorKind::NotBuilt {
                what: "the Chinese dictionary",
                feature: "jieba",
            }
            .into())
        } else {
            Ok(())
        }
    }
}

/// The tokens of one text. The buffer grows to the largest text it has held and never shrinks.
///
/// Words are stored with one space between them, and characters are stored without a gap. So the stored text determines the token
/// sequence, and a digest of the stored text is a digest of the canonical form. The exceptions are lines, which have several
/// words, and the items of sets, which may contain any character.
#[derive(Debug, Default)]
pub struct Tokens {
    /// Written up to `filled`; the rest is spare space.
    pub(super) text: Vec<u8>,
    pub(super) filled: usize,
    /// `ends[..count]`: the end of each token in `text`.
    pub(super) ends: Vec<usize>,
    pub(super) count: usize,
    pub(super) open: Open,
    /// Bytes between tokens: 1 for words, 0 for characters.
    pub(super) gap: usize,
    /// Scratch buffer for the ASCII path's folded bytes.
    pub(super) folded: Vec<u8>,
    /// Scratch buffer for the normaliser's output.
    pub(super) piece: String,
    /// Han characters that are not yet cut into words.
    pub(super) run: String,
}

/// Whether the last token may still grow.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// No: the next letter begins a new token.
    #[default]
    No,
    /// Yes, by letters, digits and marks.
    Word,
    /// Yes, but only by marks.
    Solo,
}

/// Spare bytes after the text, so that 16 bytes can be read or written from any token's start.
pub(crate) const PAD: usize = 16;

impl Tokens {
    /// Creates an empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether the text has no tokens: such a text is never a duplicate.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the canonical text, as UTF-8.
    pub fn text(&self) -> &[u8] {
        &self.text[..self.filled]
    }

    /// Returns each token's bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends[..self.count].iter().map(move |&end| {
            let token = &self.text[start..end];
            start = end + self.gap;
            token
        })
    }

    /// Returns what the hasher reads: the text, the positions where tokens end, and the size of the gap between tokens. At least
    /// [`PAD`] bytes after the text are readable.
    pub(crate) fn raw(&self) -> (&[u8], &[usize], usize) {
        // A buffer that was never filled has no bytes after its empty text.
        (
            &self.text[..self.text.len().min(self.filled + PAD)],
            &self.ends[..self.count],
            self.gap,
        )
    }

    pub(super) fn clear(&mut self, gap: usize) {
        (self.filled, self.count, self.open, self.gap) = (0, 0, Open::No, gap);
        self.reserve(0, 0);
    }

    /// Makes space for `bytes` more bytes of text and `tokens` more tokens.
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

    /// Begins a new token.
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

    /// Joins all tokens from index `from` to the last into one token, which includes the gaps between them.
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
