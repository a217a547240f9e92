//! Where records end.

use crate::{
    error::{Error, Result},
    format::BYTE_ORDER_MARK,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the byte order mark, so many bytes of it seen.
    Mark(u8),
    /// A field begins here.
    Start,
    /// Inside a field, outside quotes.
    Plain,
    Quoted,
    /// Behind a quote inside quotes: another one makes a character of both.
    Quote,
    /// Behind a carriage return that ended a record: a newline may belong to it.
    Return,
}

/// Finds where records end in a file that comes in pieces. Some gigabytes a second: between quotes and line ends nothing is
/// looked at. Where a record ends depends on all quotes before it, so a file is read from its beginning.
#[derive(Debug, Clone)]
pub struct RecordEnds {
    delimiter: u8,
    state: State,
    fed: u64,
    newlines: u64,
    /// The newlines before the quote that is open.
    opened: u64,
}

impl RecordEnds {
    /// At the beginning of a file.
    pub fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::Mark(0), fed: 0, newlines: 0, opened: 0 }
    }

    /// Takes the next bytes of the file and gives each position of the file, in bytes, where a record ends: behind its line
    /// end. A record whose carriage return is the last byte given yet is only known to end with the next byte or with
    /// [`finish`](Self::finish).
    pub fn feed(&mut self, bytes: &[u8], mut give: impl FnMut(u64)) {
        let mut at = 0;
        // The quote last opened in these bytes.
        let mut opened = None;
        while at < bytes.len() {
            match self.state {
                State::Mark(seen) => {
                    self.state = match BYTE_ORDER_MARK[usize::from(seen)] == bytes[at] {
                        true => {
                            at += 1;
                            if seen == 2 { State::Start } else { State::Mark(seen + 1) }
                        }
                        false if seen == 0 => State::Start,
                        false => State::Plain,
                    };
                }
                State::Start if bytes[at] == b'"' => {
                    opened = Some(at);
                    at += 1;
                    self.state = State::Quoted;
                }
                State::Start => self.state = State::Plain,
                State::Plain => match memchr::memchr3(b'"', b'\n', b'\r', &bytes[at..]) {
                    None => {
                        at = bytes.len();
                        if bytes[at - 1] == self.delimiter {
                            self.state = State::Start;
                        }
                    }
                    Some(distance) => {
                        let found = at + distance;
                        at = found + 1;
                        match bytes[found] {
                            b'"' if distance > 0 && bytes[found - 1] == self.delimiter => {
                                opened = Some(found);
                                self.state = State::Quoted;
                            }
                            b'"' => {}
                            b'\n' => {
                                give(self.fed + at as u64);
                                self.state = State::Start;
                            }
                            _ => self.state = State::Return,
                        }
                    }
                },
                State::Quoted => match memchr::memchr(b'"', &bytes[at..]) {
                    Some(distance) => {
                        at += distance + 1;
                        self.state = State::Quote;
                    }
                    None => at = bytes.len(),
                },
                State::Quote => {
                    self.state = match bytes[at] == b'"' {
                        true => {
                            at += 1;
                            State::Quoted
                        }
                        false => State::Plain,
                    };
                }
                State::Return => {
                    at += usize::from(bytes[at] == b'\n');
                    give(self.fed + at as u64);
                    self.state = State::Start;
                }
            }
        }
        if let (State::Quoted | State::Quote, Some(opened)) = (self.state, opened) {
            self.opened = self.newlines + count_newlines(&bytes[..opened]);
        }
        self.newlines += count_newlines(bytes);
        self.fed += bytes.len() as u64;
    }

    /// At the end of the file: a last record may stand there without a line end, or with a carriage return that was the last byte.
    ///
    /// # Errors
    /// When a quote is open: the error is of its line, counted from 0 in the file.
    pub fn finish(&self) -> Result<()> {
        if self.state != State::Quoted {
            return Ok(());
        }
        let wrong = Error::record("a quote opens here and never closes").of_line(self.opened);
        Err(wrong.instead("close it, or double it where it is a character of a quoted field"))
    }

    /// The bytes given so far.
    #[cfg(test)]
    pub(crate) fn fed(&self) -> u64 {
        self.fed
    }

    /// The newlines in what was given so far, in quotes or out of them: the file's lines.
    #[cfg(test)]
    pub(crate) fn newlines(&self) -> u64 {
        self.newlines
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
