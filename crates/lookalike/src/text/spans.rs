//! Finds the places of tokens in the original text, to show users which passages two texts share.

use super::{
    canon::{self, Piece, Reading},
    class::Kind,
    dictionary,
    folds::Folds,
    items,
    source::Span,
    tokens::TokensBy,
};

/// How many bytes there are between two marks, which are places with a stored character count.
const FAR: usize = 4096;

/// Counts the characters of a text before given places. It counts from the last mark before each place, not from the start of the
/// text.
#[derive(Debug, Clone)]
pub struct CharCount<'a> {
    text: &'a str,
    /// Places in bytes, and the number of characters before each.
    marks: Vec<(usize, usize)>,
}

impl<'a> CharCount<'a> {
    /// Creates the counter of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, marks: vec![(0, 0)] }
    }

    /// Converts the start and the end of a span from bytes to characters.
    ///
    /// # Panics
    /// Panics if either end of the span is not at a character boundary.
    pub fn span(&mut self, bytes: Span) -> Span {
        Span { start: self.before(bytes.start), end: self.before(bytes.end) }
    }

    fn before(&mut self, byte: usize) -> usize {
        let near = self.marks.partition_point(|&(mark, _)| mark <= byte) - 1;
        let (mut from, mut before) = self.marks[near];
        // If the place is after the last mark, adds a mark about every `FAR` bytes on the way to it.
        let is_last = near + 1 == self.marks.len();
        while is_last && byte - from > FAR {
            let mut mark = from + FAR;
            while !self.text.is_char_boundary(mark) {
                mark -= 1;
            }
            before += self.text[from..mark].chars().count();
            from = mark;
            self.marks.push((from, before));
        }
        before + self.text[from..byte].chars().count()
    }
}

/// Returns the place of each token that [`canonicalise`](super::canonicalise) finds in `text`, in the same order.
///
/// A token from a piece that can only be normalised as a whole (½ becomes three characters) has the place of the whole piece. A
/// dictionary word has the place from its first character to its last, separators between them included. Cost: one pass, slower
/// than [`canonicalise`](super::canonicalise).
///
/// # Panics
/// Panics under the same conditions as [`canonicalise`](super::canonicalise).
pub fn token_spans(text: &str, by: TokensBy, folds: Folds) -> Vec<Span> {
    canon::refuse_unbuilt(by, folds);
    if by == TokensBy::Items {
        return items::spans(text);
    }
    if by == TokensBy::Lines {
        let span = |(at, line): (usize, &str)| {
            let words = token_spans(line, TokensBy::Auto, folds);
            Some(Span { start: at + words.first()?.start, end: at + words.last()?.end })
        };
        return canon::lines(text).filter_map(span).collect();
    }
    let mut places = Places::default();
    let mut folded = String::new();
    let mut at = 0;
    let is_words = matches!(by, TokensBy::Auto | TokensBy::Words);
    while at < text.len() {
        let ascii = if is_words { canon::ascii_alone(&text[at..]) } else { 0 };
        if ascii > 0 {
            places.ascii_words(&text.as_bytes()[at..at + ascii], at);
            at += ascii;
            continue;
        }
        let Some(piece) = Piece::at(text, at) else { break };
        // A piece may begin with a separator that is normalised together with the text after it, such as the bracket of (½).
        let first = text.as_bytes()[at];
        let start = if first.is_ascii() && !first.is_ascii_alphanumeric() && piece.end > at + 1 { at + 1 } else { at };
        let place = Span { start, end: piece.end };
        piece.fold(&text[at..piece.end], Reading::<true>(folds), &mut folded, |kind, c| match by {
            TokensBy::Auto => places.word(kind, true, place),
            TokensBy::Words => places.word(kind, false, place),
            TokensBy::Chars => places.char(kind, place),
            TokensBy::Jieba => places.dictionary(kind, c, place),
            TokensBy::Items | TokensBy::Lines => {}
        });
        at = piece.end;
    }
    places.cut_run();
    places.spans
}

#[derive(Default)]
struct Places {
    spans: Vec<Span>,
    /// The kind of the last token, while it may grow.
    open: Option<Kind>,
    /// The separators since the last character token.
    gap: Option<Span>,
    /// The Han characters that are not yet cut into words, and the place of each.
    run: String,
    in_run: Vec<Span>,
}

impl Places {
    fn word(&mut self, kind: Kind, solo: bool, place: Span) {
        match (kind, self.open, self.spans.last_mut()) {
            (Kind::Separator, ..) => self.open = None,
            (Kind::Ignorable, ..) | (Kind::Mark, None, _) | (Kind::Mark, _, None) => {}
            (Kind::Mark, _, Some(last)) => last.end = place.end,
            (Kind::Han | Kind::Solo, ..) if solo => {
                self.open = Some(Kind::Solo);
                self.spans.push(place);
            }
            (_, Some(Kind::Word), Some(last)) => last.end = place.end,
            (Kind::Word | Kind::Han | Kind::Solo, ..) => {
                self.open = Some(Kind::Word);
                self.spans.push(place);
            }
        }
    }

    /// Takes ASCII text that starts at `from` and does not combine with the text after it.
    fn ascii_words(&mut self, text: &[u8], from: usize) {
        let mut at = 0;
        while at < text.len() {
            let length = text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            if length == 0 {
                self.open = None;
                at += 1;
                continue;
            }
            let place = Span { start: from + at, end: from + at + length };
            match (self.open, self.spans.last_mut()) {
                (Some(Kind::Word), Some(last)) => last.end = place.end,
                _ => self.spans.push(place),
            }
            self.open = Some(Kind::Word);
            at += length;
        }
    }

    fn char(&mut self, kind: Kind, place: Span) {
        match kind {
            Kind::Separator => self.gap = Some(Span { start: self.gap.map_or(place.start, |gap| gap.start), end: place.end }),
            Kind::Ignorable => {}
            Kind::Mark | Kind::Word | Kind::Han | Kind::Solo => {
                let gap = self.gap.take().filter(|_| !self.spans.is_empty());
                self.spans.extend(gap);
                self.spans.push(place);
            }
        }
    }

    fn dictionary(&mut self, kind: Kind, c: char, place: Span) {
        match kind {
            Kind::Han => {
                self.run.push(c);
                self.in_run.push(place);
                self.open = Some(Kind::Solo);
                if self.run.len() >= dictionary::RUN {
                    self.cut_run();
                }
            }
            Kind::Word | Kind::Solo => self.cut_run(),
            Kind::Mark if self.open.is_some() => self.cut_run(),
            Kind::Mark | Kind::Separator | Kind::Ignorable => {}
        }
        if kind != Kind::Han {
            self.word(kind, true, place);
        }
    }

    fn cut_run(&mut self) {
        // This function is also called for other kinds of tokens. An empty run must not reach the dictionary, because looking up
        // words loads it.
        if self.run.is_empty() {
            return;
        }
        let mut from = 0;
        for word in dictionary::cut(&self.run) {
            let to = from + word.chars().count();
            self.spans.push(Span { start: self.in_run[from].start, end: self.in_run[to - 1].end });
            from = to;
        }
        self.run.clear();
        self.in_run.clear();
    }
}
