//! Extracts all visible text of a page, in one pass and without a tree.
//!
//! Tags, comments and character references are recognised as in the HTML standard's tokenizer (13.2.5), which accepts every
//! input. The tests compare with the tokenizer of html5gum. On 130 real pages, this code processes 720 MB/s, lol_html 450 MB/s,
//! html5gum 140 MB/s, and html5ever with a tree 80 MB/s.

use super::references;

/// The effect of an element's tags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The element is inline and does not separate words.
    Inline,
    /// The element separates words. This is the kind of all elements that are not known to be inline.
    Apart,
    /// The element separates words, and preserves the line ends inside it.
    Lines,
    /// The content is raw and invisible.
    Hidden,
    Script,
    /// The content is invisible. In HTML, character references in it are decoded, but this makes no difference here.
    Title,
    /// The content is visible, and raw except for character references.
    Area,
    /// The content is raw and visible.
    Raw,
    /// The content is raw and visible, and extends to the end of the page.
    Plain,
    /// The content is invisible, and may have tags.
    Template,
    /// SVG or MathML, in which elements can be self-closing.
    Foreign,
}

fn kind(name: &[u8]) -> Kind {
    match name {
        b"a" | b"abbr" | b"acronym" | b"b" | b"bdi" | b"bdo" | b"big" | b"cite" | b"code"
        | b"data" | b"del" | b"dfn" | b"em" | b"font" | b"i" | b"ins" | b"kbd" | b"label"
        | b"mark" | b"nobr" | b"output" | b"q" | b"rb" | b"ruby" | b"s" | b"samp" | b"small"
        | b"span" | b"strike" | b"strong" | b"sub" | b"sup" | b"time" | b"tspan" | b"tt" | b"u"
        | b"var" | b"wbr" => Kind::Inline,
        b"pre" | b"listing" => Kind::Lines,
        // Browsers that run scripts do not show noscript, noembed and noframes. The content of an iframe is not part of the page.
        b"style" | b"noscript" | b"iframe" | b"noembed" | b"noframes" => Kind::Hidden,
        b"script" => Kind::Script,
        b"title" => Kind::Title,
        b"textarea" => Kind::Area,
        b"xmp" => Kind::Raw,
        b"plaintext" => Kind::Plain,
        b"template" => Kind::Template,
        b"svg" | b"math" => Kind::Foreign,
        _ => Kind::Apart,
    }
}

/// Appends the text of a page, and returns the largest number of attributes in any tag. There is one space between words, or a
/// line end where a block or a line begins or ends. Preformatted text also keeps its line ends.
pub(crate) fn text(html: &str, into: &mut String) -> usize {
    let bytes = html.as_bytes();
    let mut seen = Seen {
        start: into.len(),
        into,
        gap: Gap::None,
        lines: 0,
        meant: String::new(),
    };
    let (mut at, mut most_attributes) = (0, 0);
    let (mut templates, mut foreign) = (0usize, 0usize);
    loop {
        let open = memchr::memchr(b'<', &bytes[at..]).map(|distance| at + distance);
        let end = open.unwrap_or(bytes.len());
        if templates == 0 {
            seen.references(&html[at..end]);
        }
        let Some(open) = open else {
            return most_attributes;
        };
        let next = bytes.get(open + 1).copied().unwrap_or(0);
        let is_end = next == b'/';
        let name_at = open + 1 + usize::from(is_end);
        match bytes.get(name_at) {
            Some(first) if first.is_ascii_alphabetic() => {
                let mut attributes = 0;
                let tag = tag(bytes, name_at, &mut attributes);
                most_attributes = most_attributes.max(attributes);
                let Some(tag) = tag else {
                    return most_attributes;
                };
                at = tag.end;
                let mut name = [0; 16];
                let length = tag.name_end - name_at;
                let kind = match name.get_mut(..length) {
                    Some(name) => {
                        name.copy_from_slice(&bytes[name_at..tag.name_end]);
                        name.make_ascii_lowercase();
                        kind(name)
                    }
                    None => Kind::Apart,
                };
                if kind != Kind::Inline {
                    seen.apart();
                }
                if is_end {
                    match kind {
                        Kind::Lines => seen.lines = seen.lines.saturating_sub(1),
                        Kind::Template => templates = templates.saturating_sub(1),
                        Kind::Foreign => foreign = foreign.saturating_sub(1),
                        _ => {}
                    }
                    continue;
                }
                let closes_itself = tag.closes_itself && (foreign > 0 || kind == Kind::Foreign);
                match kind {
                    Kind::Inline | Kind::Apart => {}
                    _ if closes_itself => {}
                    Kind::Lines => seen.lines += 1,
                    Kind::Template => templates += 1,
                    Kind::Foreign => foreign += 1,
                    Kind::Script => at = script_end(bytes, at),
                    Kind::Plain => {
                        if templates == 0 {
                            seen.lines += 1;
                            seen.words(&html[at..]);
                        }
                        return most_attributes;
                    }
                    Kind::Hidden | Kind::Title | Kind::Area | Kind::Raw => {
                        let end = raw_end(bytes, at, &name[..length]);
                        seen.lines += 1;
                        match kind {
                            Kind::Area if templates == 0 => seen.references(&html[at..end]),
                            Kind::Raw if templates == 0 => seen.words(&html[at..end]),
                            _ => {}
                        }
                        seen.lines -= 1;
                        at = end;
                    }
                }
            }
            Some(b'>') if is_end => at = name_at + 1,
            Some(_) if is_end => at = after(bytes, name_at, b">"),
            _ if bytes[open..].starts_with(b"<!--") => at = comment_end(bytes, open + 4),
            _ if foreign > 0 && bytes[open..].starts_with(b"<![CDATA[") => {
                let start = open + 9;
                let end = memchr::memmem::find(&bytes[start..], b"]]>")
                    .map_or(bytes.len(), |distance| start + distance);
                if templates == 0 {
                    seen.words(&html[start..end]);
                }
                at = (end + 3).min(bytes.len());
            }
            _ if matches!(next, b'!' | b'?') => at = after(bytes, name_at, b">"),
            // No tag or comment begins here, so the `<` is an ordinary character.
            _ => {
                at = open + 1;
                if templates == 0 {
                    seen.words("<");
                }
            }
        }
    }
}

/// Returns the position after the next occurrence of `what`, or the end of `bytes` if there is none.
fn after(bytes: &[u8], at: usize, what: &[u8]) -> usize {
    memchr::memmem::find(&bytes[at..], what)
        .map_or(bytes.len(), |distance| at + distance + what.len())
}

/// Returns the position after a comment whose content begins at `at`.
fn comment_end(bytes: &[u8], at: usize) -> usize {
    for short in [&b">"[..], b"->"] {
        if bytes[at..].starts_with(short) {
            return at + short.len();
        }
    }
    let mut from = at;
    while let Some(distance) = memchr::memmem::find(&bytes[from..], b"--") {
        from += distance + 2;
        from += bytes[from..]
            .iter()
            .take_while(|&&byte| byte == b'-')
            .count();
        for end in [&b">"[..], b"!>"] {
            if bytes[from..].starts_with(end) {
                return from + end.len();
            }
        }
    }
    bytes.len()
}

struct Tag {
    name_end: usize,
    /// The position after the tag's `>`.
    end: usize,
    closes_itself: bool,
}

/// Returns the tag whose name begins at `at`, and counts its attributes. Returns none if the page ends inside the tag; the tag is
/// then ignored.
fn tag(bytes: &[u8], mut at: usize, attributes: &mut usize) -> Option<Tag> {
    let ends_name = |byte: &u8| is_space(*byte) || matches!(byte, b'/' | b'>');
    at += bytes[at..].iter().position(ends_name)?;
    let name_end = at;
    loop {
        match *bytes.get(at)? {
            b'>' => {
                return Some(Tag {
                    name_end,
                    end: at + 1,
                    closes_itself: bytes[at - 1] == b'/',
                });
            }
            byte if is_space(byte) || byte == b'/' => {
                at += 1;
                continue;
            }
            _ => {}
        }
        *attributes += 1;
        // The first character of an attribute's name may be anything.
        at += 1 + bytes[at + 1..]
            .iter()
            .position(|byte| ends_name(byte) || *byte == b'=')?;
        at += bytes[at..].iter().position(|byte| !is_space(*byte))?;
        if bytes[at] != b'=' {
            continue;
        }
        at += 1 + bytes[at + 1..].iter().position(|byte| !is_space(*byte))?;
        match bytes[at] {
            quote @ (b'"' | b'\'') => at += 2 + memchr::memchr(quote, &bytes[at + 1..])?,
            b'>' => {}
            _ => {
                at += bytes[at..]
                    .iter()
                    .position(|&byte| is_space(byte) || byte == b'>')?;
                // A slash at the end of a value without quotes belongs to the value, so the tag does not close itself.
                if bytes[at] == b'>' {
                    return Some(Tag {
                        name_end,
                        end: at + 1,
                        closes_itself: false,
                    });
                }
            }
        }
    }
}

/// Returns whether a byte is white space in HTML.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

/// Returns whether the bytes begin with a start or end tag of exactly this name, such as `</name`.
fn begins(bytes: &[u8], mark: &[u8], name: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(mark) else {
        return false;
    };
    rest.len() > name.len()
        && rest[..name.len()].eq_ignore_ascii_case(name)
        && (is_space(rest[name.len()]) || matches!(rest[name.len()], b'/' | b'>'))
}

/// Returns the position of the end tag of a raw element.
fn raw_end(bytes: &[u8], at: usize, name: &[u8]) -> usize {
    let mut ends = memchr::memmem::find_iter(&bytes[at..], b"</").map(|distance| at + distance);
    ends.find(|&end| begins(&bytes[end..], b"</", name))
        .unwrap_or(bytes.len())
}

/// Returns the position of the end tag of a script. A script may contain what looks like a comment, with another script inside
/// that comment. The first end tag then belongs to the inner script.
fn script_end(bytes: &[u8], mut at: usize) -> usize {
    let (mut escaped, mut double) = (false, false);
    loop {
        let found = if escaped {
            memchr::memchr2(b'<', b'-', &bytes[at..])
        } else {
            memchr::memchr(b'<', &bytes[at..])
        };
        let Some(distance) = found else {
            return bytes.len();
        };
        at += distance;
        let rest = &bytes[at..];
        if rest[0] == b'-' {
            let dashes = rest.iter().take_while(|&&byte| byte == b'-').count();
            at += dashes;
            if dashes > 1 && bytes.get(at) == Some(&b'>') {
                (escaped, double) = (false, false);
            }
        } else if begins(rest, b"</", b"script") {
            if !double {
                return at;
            }
            double = false;
            at += 8;
        } else if escaped && !double && begins(rest, b"<", b"script") {
            double = true;
            at += 7;
        } else if !escaped && rest.starts_with(b"<!--") {
            escaped = true;
            at += 2;
        } else {
            at += 1;
        }
    }
}

/// The separator between the word that was found last and the next word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Gap {
    None,
    Space,
    Line,
}

/// The text found so far.
struct Seen<'a> {
    into: &'a mut String,
    start: usize,
    gap: Gap,
    /// The number of open elements that preserve line ends.
    lines: usize,
    /// The scratch buffer for a decoded character reference.
    meant: String,
}

impl Seen<'_> {
    fn apart(&mut self) {
        self.gap = Gap::Line;
    }

    /// Adds text with character references.
    fn references(&mut self, mut text: &str) {
        while let Some(ampersand) = memchr::memchr(b'&', text.as_bytes()) {
            self.words(&text[..ampersand]);
            let mut meant = std::mem::take(&mut self.meant);
            meant.clear();
            let taken = references::decode(&text[ampersand..], &mut meant);
            self.words(if taken == 0 { "&" } else { &meant });
            self.meant = meant;
            text = &text[ampersand + taken.max(1)..];
        }
        self.words(text);
    }

    /// Adds text without character references.
    fn words(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            // A NUL byte in a page is ignored and does not separate words.
            if is_space(byte) || byte == 0 {
                let gap = match byte {
                    0 => Gap::None,
                    b'\n' | b'\r' if self.lines > 0 => Gap::Line,
                    _ => Gap::Space,
                };
                if gap > self.gap {
                    self.gap = gap;
                }
                at += 1;
                continue;
            }
            let end = bytes[at..]
                .iter()
                .position(|&byte| is_space(byte) || byte == 0)
                .map_or(bytes.len(), |length| at + length);
            if self.into.len() > self.start {
                match self.gap {
                    Gap::None => {}
                    Gap::Space => self.into.push(' '),
                    Gap::Line => self.into.push('\n'),
                }
            }
            self.gap = Gap::None;
            self.into.push_str(&text[at..end]);
            at = end;
        }
    }
}
