//! Colours that cannot be confused with data.
//!
//! A page is text that the command prints for people. A page consists of our words, our styles and data. If styles were written
//! as escape sequences from the start, they could not be distinguished from escape sequences in the data. So a style is first
//! written as a mark (a letter between two characters that data should not contain), and becomes an escape sequence only on
//! output, in [`Target::text`]. If a terminal shows the page, every other control character is escaped there.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write},
};

use anstream::{AutoStream, ColorChoice, stream::RawStream};
use anstyle::{AnsiColor, Style};
use lookalike::shown::escaped;

/// A style, used as `{BOLD}words{BOLD:#}`.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    letter: char,
    style: Style,
}

/// Red, for passages that only one text has.
pub const RED: Paint = Paint {
    letter: 'r',
    style: AnsiColor::Red.on_default(),
};
/// Green, for passages that two texts share.
pub const GREEN: Paint = Paint {
    letter: 'g',
    style: AnsiColor::Green.on_default(),
};
/// Bold, for headings and numbers.
pub const BOLD: Paint = Paint {
    letter: 'b',
    style: Style::new().bold(),
};
/// Dimmed, for less important text.
pub const DIM: Paint = Paint {
    letter: 'd',
    style: Style::new().dimmed(),
};
/// The style of the word "error".
pub const ERROR: Paint = Paint {
    letter: 'e',
    style: AnsiColor::Red.on_default().bold(),
};
/// The style of the word "warning".
pub const WARNING: Paint = Paint {
    letter: 'w',
    style: AnsiColor::Yellow.on_default().bold(),
};

const ALL: [Paint; 6] = [RED, GREEN, BOLD, DIM, ERROR, WARNING];

/// The start and end of a mark: a noncharacter, which does not occur in meaningful text.
const MARK: char = '\u{fdd0}';

/// The letter that ends a style.
const END: char = '.';

impl fmt::Display for Paint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{MARK}{}{MARK}",
            if f.alternate() { END } else { self.letter }
        )
    }
}

/// The destination of a page.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    colours: bool,
    escapes: bool,
}

impl Target {
    /// Returns the target for standard output or a similar stream: data for a file or a program is unchanged.
    pub fn of_data(stream: &(impl RawStream + io::IsTerminal)) -> Self {
        let colours = AutoStream::choice(stream) != ColorChoice::Never;
        Self {
            colours,
            escapes: colours || io::IsTerminal::is_terminal(stream),
        }
    }

    /// Returns the target for standard error: messages are always for people, so control characters are always escaped.
    pub fn of_messages(stream: &impl RawStream) -> Self {
        Self {
            colours: AutoStream::choice(stream) != ColorChoice::Never,
            escapes: true,
        }
    }

    /// Returns data that is not part of a page, in the form that is written to the target.
    pub fn data<'a>(&self, data: &'a str) -> Cow<'a, str> {
        if self.escapes {
            escaped(data)
        } else {
            data.into()
        }
    }

    /// Returns a page in the form that is written to the target.
    pub fn text(&self, page: &str) -> String {
        let mut out = String::with_capacity(page.len());
        let mut rest = page;
        while let Some((before, style, after)) = next_mark(rest) {
            out.push_str(&self.data(before));
            if self.colours {
                out.push_str(
                    &style.map_or("\x1b[0m".into(), |paint| paint.style.render().to_string()),
                );
            }
            rest = after;
        }
        out.push_str(&self.data(rest));
        out
    }

    /// Writes a page.
    pub fn write(&self, mut stream: impl Write, page: &str) -> io::Result<()> {
        stream
            .write_all(self.text(page).as_bytes())
            .and_then(|()| stream.flush())
    }
}

/// Returns the text before the first mark, its style (none for the end of a style), and the rest.
fn next_mark(page: &str) -> Option<(&str, Option<Paint>, &str)> {
    page.match_indices(MARK).find_map(|(at, mark)| {
        let inside = &page[at + mark.len()..];
        let letter = inside.chars().next()?;
        let after = inside[letter.len_utf8()..].strip_prefix(MARK)?;
        let style = match letter {
            END => None,
            _ => Some(ALL.into_iter().find(|paint| paint.letter == letter)?),
        };
        Some((&page[..at], style, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Target = Target {
        colours: true,
        escapes: true,
    };
    const PIPE: Target = Target {
        colours: false,
        escapes: false,
    };
    const LOG: Target = Target {
        colours: false,
        escapes: true,
    };

    #[test]
    fn styles_are_only_ours_and_data_is_unchanged() {
        let data = "\x1b[31mred\x1b[0m \u{202e}txt \u{fdd0} \u{fdd0}r \u{fdd0}x\u{fdd0}";
        let page = format!("{BOLD}{data}{BOLD:#}\n{RED}x{RED:#}");
        assert_eq!(PIPE.text(&page), format!("{data}\nx"));
        let written = data
            .replace('\x1b', "\\u001b")
            .replace('\u{202e}', "\\u202e");
        assert_eq!(
            TERMINAL.text(&page),
            format!("\x1b[1m{written}\x1b[0m\n\x1b[31mx\x1b[0m")
        );
        assert_eq!(LOG.text(&page), format!("{written}\nx"));
        assert_eq!([PIPE.data(data), LOG.data(data)], [data, &*written]);
    }

    #[test]
    fn each_style_has_a_letter() {
        for (number, paint) in ALL.iter().enumerate() {
            assert!(
                paint.letter != END
                    && ALL[..number]
                        .iter()
                        .all(|other| other.letter != paint.letter)
            );
            assert_eq!(
                TERMINAL.text(&paint.to_string()),
                paint.style.render().to_string()
            );
        }
    }
}
