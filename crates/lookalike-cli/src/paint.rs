//! Colours, kept apart from data.
//!
//! A page is put together from our words, our styles and data. If styles were escape sequences at once, nothing could tell them
//! from those in the data. So a style is written as a mark, and becomes an escape sequence only when the page goes out, in
//! [`Target::text`]: there every other control character is written out where a terminal shows it.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write},
};

use anstream::{AutoStream, ColorChoice, stream::RawStream};
use anstyle::{AnsiColor, Style};
use lookalike::shown::escaped;

/// A style: `{BOLD}words{BOLD:#}`.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    letter: char,
    style: Style,
}

/// Red, for what only one text has.
pub const RED: Paint = Paint { letter: 'r', style: AnsiColor::Red.on_default() };
/// Green, for what two texts share.
pub const GREEN: Paint = Paint { letter: 'g', style: AnsiColor::Green.on_default() };
/// For headings and figures.
pub const BOLD: Paint = Paint { letter: 'b', style: Style::new().bold() };
/// For what matters less.
pub const DIM: Paint = Paint { letter: 'd', style: Style::new().dimmed() };
/// For the word "error".
pub const ERROR: Paint = Paint { letter: 'e', style: AnsiColor::Red.on_default().bold() };
/// For the word "warning".
pub const WARNING: Paint = Paint { letter: 'w', style: AnsiColor::Yellow.on_default().bold() };

const ALL: [Paint; 6] = [RED, GREEN, BOLD, DIM, ERROR, WARNING];

/// What a mark begins with: a code point that is no character, and in no text that means one.
const MARK: char = '\u{fdd0}';

/// The letter of the end of a style.
const END: char = '.';

impl fmt::Display for Paint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}{}{MARK}", if f.alternate() { END } else { self.letter })
    }
}

/// Where a page goes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    colours: bool,
    escapes: bool,
}

impl Target {
    /// Standard output, or what is like it: data that goes on to a file or a program stays as it is.
    pub fn of_data(stream: &(impl RawStream + io::IsTerminal)) -> Self {
        let colours = AutoStream::choice(stream) != ColorChoice::Never;
        Self { colours, escapes: colours || io::IsTerminal::is_terminal(stream) }
    }

    /// Standard error: messages are for people, whatever way they take.
    pub fn of_messages(stream: &impl RawStream) -> Self {
        Self { colours: AutoStream::choice(stream) != ColorChoice::Never, escapes: true }
    }

    /// Data alone, as it goes out.
    pub fn data<'a>(&self, data: &'a str) -> Cow<'a, str> {
        if self.escapes { escaped(data) } else { data.into() }
    }

    /// A page as it goes out.
    pub fn text(&self, page: &str) -> String {
        let mut out = String::with_capacity(page.len());
        let mut rest = page;
        while let Some((before, style, behind)) = next_mark(rest) {
            out.push_str(&self.data(before));
            if self.colours {
                out.push_str(&style.map_or("\x1b[0m".into(), |paint| paint.style.render().to_string()));
            }
            rest = behind;
        }
        out.push_str(&self.data(rest));
        out
    }

    /// Writes a page.
    pub fn write(&self, mut stream: impl Write, page: &str) -> io::Result<()> {
        stream.write_all(self.text(page).as_bytes()).and_then(|()| stream.flush())
    }
}

/// What is before the first mark, its style (none for a style's end), and the rest.
fn next_mark(page: &str) -> Option<(&str, Option<Paint>, &str)> {
    page.match_indices(MARK).find_map(|(at, mark)| {
        let inside = &page[at + mark.len()..];
        let letter = inside.chars().next()?;
        let behind = inside[letter.len_utf8()..].strip_prefix(MARK)?;
        let style = match letter {
            END => None,
            _ => Some(ALL.into_iter().find(|paint| paint.letter == letter)?),
        };
        Some((&page[..at], style, behind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Target = Target { colours: true, escapes: true };
    const PIPE: Target = Target { colours: false, escapes: false };
    const LOG: Target = Target { colours: false, escapes: true };

    #[test]
    fn styles_are_ours_alone_and_data_goes_on_as_it_is() {
        let data = "\x1b[31mred\x1b[0m \u{202e}txt \u{fdd0} \u{fdd0}r \u{fdd0}x\u{fdd0}";
        let page = format!("{BOLD}{data}{BOLD:#}\n{RED}x{RED:#}");
        assert_eq!(PIPE.text(&page), format!("{data}\nx"));
        let written = data.replace('\x1b', "\\u001b").replace('\u{202e}', "\\u202e");
        assert_eq!(TERMINAL.text(&page), format!("\x1b[1m{written}\x1b[0m\n\x1b[31mx\x1b[0m"));
        assert_eq!(LOG.text(&page), format!("{written}\nx"));
        assert_eq!([PIPE.data(data), LOG.data(data)], [data, &*written]);
    }

    #[test]
    fn each_style_has_a_letter() {
        for (number, paint) in ALL.iter().enumerate() {
            assert!(paint.letter != END && ALL[..number].iter().all(|other| other.letter != paint.letter));
            assert_eq!(TERMINAL.text(&paint.to_string()), paint.style.render().to_string());
        }
    }
}
