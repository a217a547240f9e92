//! Finds where records end.

use crate::{
    error::{Error, Result},
    format::BYTE_ORDER_MARK,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Inside the byte order mark, after the given number of its bytes.
    Mark(u8),
    /// At the beginning of a field.
    Start,
    /// Inside a field, outside quotes.
    Plain,
    Quoted,
    /// After a quote inside quotes. If another quote follows, the two represent one quote character.
    Quote,
    /// After a carriage return that ends a record. A newline that follows belongs to the same line end.
    Return,
}

/// Finds the ends of records in a file that arrives in pieces. It processes several gigabytes a second, because it searches only
/// for quotes and line ends, and skips all other bytes. The end of a record depends on all quotes before it, so a file must be
/// read from its beginning.
#[derive(Debug, Clone)]
pub struct RecordEnds {
    delimiter: u8,
    state: State,
    fed: u64,
    newlines: u64,
    /// The number of newlines before the open quote.
    opened: u64,
}

impl RecordEnds {
    /// Starts at the beginning of a file.
    pub fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            state: State::Mark(0),
            fed: 0,
            newlines: 0,
            opened: 0,
        }
    }

    /// Processes the next bytes of the file, and passes the end of each record to `give`: the position after its line end, in
    /// bytes from the file's start. If the last byte so far is a carriage return, its record ends only when the next byte arrives
    /// or the file [ends](Self::finish).
    pub fn feed(&mut self, bytes: &[u8], mut give: impl FnMut(u64)) {
        let mut at = 0;
        // The position of the last opening quote in these bytes.
        let mut opened = None;
        while at < bytes.len() {
            match self.state {
                State::Mark(seen) => {
                    self.state = match BYTE_ORDER_MARK[usize::from(seen)] == bytes[at] {
                        true => {
                            at += 1;
                            if seen == 2 {
                                State::Start
                            } else {
                                State::Mark(seen + 1)
                            }
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
                    self.state = if bytes[at] == b'"' {
                        at += 1;
                        State::Quoted
                    } else {
                        State::Plain
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

    /// Checks, after the last bytes of the file, that no quote is open. The last record of the file may have no line end, or may
    /// end with a carriage return as the last byte.
    ///
    /// # Errors
    /// Fails if a quote is open; the error has the line of the quote, counted from 0 in the file.
    pub fn finish(&self) -> Result<()> {
        if self.state != State::Quoted {
            return Ok(());
        }
        let wrong = Error::record("a quote opens here and never closes").of_line(self.opened);
        Err(wrong.advise("close it, or double it if it is a character of a quoted field"))
    }

    /// Returns the number of bytes processed so far.
    #[cfg(test)]
    pub(crate) fn fed(&self) -> u64 {
        self.fed
    }

    /// Returns the number of newlines so far, inside and outside quotes: the lines of the file.
    #[cfg(test)]
    pub(crate) fn newlines(&self) -> u64 {
        self.newlines
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
