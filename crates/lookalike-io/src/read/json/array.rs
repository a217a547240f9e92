//! A JSON array, cut into its elements while it is read: pretty-printed, on one line, or in any other layout.
//!
//! Only what lies between the elements is judged here. What an element is, the parser says that reads it: cutting counts
//! brackets outside strings, so that an element with brackets of the wrong kind is still given, and refused there.
//! Objects behind one another without an array around them are JSON Lines, not this.

use std::ops::Range;

use crate::{
    error::{Error, Result},
    format::BYTE_ORDER_MARK,
};

/// Whether a file is an array and no JSON Lines, by its first byte that is no white space. A line of JSON Lines is an object.
pub fn begins_array(start: &[u8]) -> bool {
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    start.iter().find(|&&byte| !is_space(byte)) == Some(&b'[')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the array, so many bytes of a byte order mark seen.
    Mark(u8),
    Before,
    /// Behind the array's bracket: an element or the end.
    First,
    /// Behind a comma: an element.
    Next,
    /// In an element that has an end of its own, outside its strings.
    Element,
    /// In a number, true, false or null, which end where something else begins.
    Scalar,
    String,
    /// In a string, behind a backslash.
    Escape,
    /// Behind an element: a comma or the end.
    Behind,
    /// Behind the array: nothing but white space.
    After,
}

/// Finds the elements of an array that comes in pieces. One to some gigabytes a second; nothing is copied or held.
#[derive(Debug, Clone)]
pub struct Elements {
    state: State,
    /// Brackets open in the element.
    depth: u64,
    fed: u64,
    newlines: u64,
    /// Where the line begins that the next byte is on.
    line_start: u64,
    elements: u64,
    /// Where the element that is open begins, and newlines before it.
    open: (u64, u64),
}

impl Default for Elements {
    fn default() -> Self {
        Self::new()
    }
}

impl Elements {
    /// At the beginning of a file.
    pub fn new() -> Self {
        Self { state: State::Mark(0), depth: 0, fed: 0, newlines: 0, line_start: 0, elements: 0, open: (0, 0) }
    }

    /// Takes the next bytes of the file and gives, for each element that ends in them, its bytes' place in the file.
    ///
    /// # Errors
    /// Input that is not an array of values; the message has line and column. Nothing may be fed after that.
    pub fn feed(&mut self, bytes: &[u8], mut give: impl FnMut(Range<u64>)) -> Result<()> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::Element => at = self.in_element(bytes, at, &mut give),
                State::String => match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                    Some(distance) => {
                        at += distance + 1;
                        match bytes[at - 1] {
                            b'"' if self.depth == 0 => self.end(at, &mut give),
                            b'"' => self.state = State::Element,
                            _ => self.state = State::Escape,
                        }
                    }
                    None => at = bytes.len(),
                },
                State::Scalar => {
                    at += bytes[at..].iter().take_while(|&&byte| is_of_scalar(byte)).count();
                    if at < bytes.len() {
                        self.end(at, &mut give);
                    }
                }
                State::Escape => {
                    at += 1;
                    self.state = State::String;
                }
                State::Mark(seen) if byte == BYTE_ORDER_MARK[usize::from(seen)] => {
                    at += 1;
                    self.state = if seen == 2 { State::Before } else { State::Mark(seen + 1) };
                }
                State::Mark(0) => self.state = State::Before,
                State::Mark(_) => return Err(self.refused(bytes, at, "bytes that are no text: is this JSON?")),
                _ if is_space(byte) => at += bytes[at..].iter().take_while(|&&byte| is_space(byte)).count(),
                // Other values are elements too: the reader of the element refuses it or sets it aside.
                State::First | State::Next if begins_value(byte) => {
                    self.open = (self.fed + at as u64, 0);
                    self.depth = 0;
                    self.state = if matches!(byte, b'{' | b'[' | b'"') { State::Element } else { State::Scalar };
                }
                State::Before if byte == b'[' => (at, self.state) = (at + 1, State::First),
                State::First | State::Behind if byte == b']' => (at, self.state) = (at + 1, State::After),
                State::Behind if byte == b',' => (at, self.state) = (at + 1, State::Next),
                state => {
                    let number = self.elements + 1;
                    let wrong = |what: String| self.refused(bytes, at, &what);
                    let wrong = match state {
                        State::Before | State::First if matches!(byte, 0 | 0xfe | 0xff) => {
                            // Without a mark, iconv has to be told the order of the bytes.
                            let name = match (state, byte, bytes.get(at + 1)) {
                                (State::Before, 0, Some(0)) => "UTF-32BE",
                                (State::First, 0, Some(0)) => "UTF-32LE",
                                (State::Before, 0, _) => "UTF-16BE",
                                (State::First, 0, _) => "UTF-16LE",
                                _ => "UTF-16",
                            };
                            let convert = format!("convert it, for instance with iconv -f {name} -t UTF-8");
                            wrong("no JSON array".into()).advise(format!("if the file is {name}, {convert}"))
                        }
                        State::Before => wrong("no JSON array".into()).instead("it has to begin with ["),
                        State::First | State::Next => match byte {
                            b']' => wrong(format!("no element {number} behind the comma")).instead("remove the comma"),
                            _ => wrong(format!("element {number} is no JSON"))
                                .instead("each has to be an object, as {\"text\": …}"),
                        },
                        State::Behind if begins_value(byte) => {
                            wrong(format!("no comma between elements {} and {number}", number - 1))
                        }
                        State::Behind => wrong(format!("neither comma nor ] behind element {}", number - 1)),
                        _ => wrong("something behind the array: one file holds one array".into())
                            .advise("give JSON Lines, or cut the file"),
                    };
                    return Err(wrong);
                }
            }
        }
        if self.is_open() && self.open.0 >= self.fed {
            self.open.1 = self.newlines + count_newlines(&bytes[..(self.open.0 - self.fed) as usize]);
        }
        self.newlines += count_newlines(bytes);
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            self.line_start = self.fed + last as u64 + 1;
        }
        self.fed += bytes.len() as u64;
        Ok(())
    }

    /// Goes on to a string or the element's end; the position behind it.
    #[inline]
    fn in_element(&mut self, bytes: &[u8], mut at: usize, give: &mut impl FnMut(Range<u64>)) -> usize {
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'"' => {
                    self.state = State::String;
                    break;
                }
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.end(at, give);
                        break;
                    }
                }
                _ => {}
            }
        }
        at
    }

    /// Gives the element that ends before `at`.
    fn end(&mut self, at: usize, give: &mut impl FnMut(Range<u64>)) {
        self.elements += 1;
        self.state = State::Behind;
        give(self.open.0..self.fed + at as u64);
    }

    /// At the end of the file.
    ///
    /// # Errors
    /// When the array has not ended, or there is none.
    pub fn finish(&self) -> Result<()> {
        let line = self.newlines;
        let what = match self.state {
            // An empty file has no elements either.
            State::After | State::Mark(_) | State::Before => return Ok(()),
            _ if self.is_open() => {
                let (element, begin) = (self.elements + 1, self.open.1 + 1);
                format!("the file ends inside element {element}, which begins on line {begin}: the file is cut off")
            }
            _ => format!("the file ends behind {} elements, without ]: it is cut off", self.elements),
        };
        Err(Error::record(what).of_line(line).advise("copy or write it again"))
    }

    /// Where the element begins that has not ended yet: the bytes from there on are still needed.
    #[cfg(test)]
    fn open_at(&self) -> Option<u64> {
        self.is_open().then_some(self.open.0)
    }

    /// Whether the last element that began has not ended.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Element | State::Scalar | State::String | State::Escape)
    }

    /// The bytes given so far.
    #[cfg(test)]
    fn fed(&self) -> u64 {
        self.fed
    }

    /// The elements given so far.
    #[cfg(test)]
    fn elements(&self) -> u64 {
        self.elements
    }

    fn refused(&self, bytes: &[u8], at: usize, message: &str) -> Error {
        let before = &bytes[..at];
        let line_start = memchr::memrchr(b'\n', before).map_or(self.line_start, |last| self.fed + last as u64 + 1);
        let column = self.fed + at as u64 - line_start + 1;
        let line = self.newlines + count_newlines(before);
        Error::record(format!("column {column}: {message}")).of_line(line).at_byte(column)
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Whether a JSON value begins with a byte.
fn begins_value(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
}

/// Whether a byte may be inside a number, true, false or null.
fn is_of_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, value::RawValue};

    use super::*;

    fn cut(file: &[u8], pieces: &[usize]) -> Result<Vec<Range<usize>>> {
        let (mut elements, mut found, mut rest) = (Elements::new(), Vec::new(), file);
        for &length in pieces.iter().cycle() {
            let (piece, behind) = rest.split_at(length.min(rest.len()));
            elements.feed(piece, |place| found.push(place.start as usize..place.end as usize))?;
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        assert_eq!((elements.fed() as usize, elements.elements() as usize), (file.len(), found.len()));
        elements.finish()?;
        Ok(found)
    }

    /// A value, mostly an object, with strings of quotes, backslashes and brackets, and objects in it.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            r#"[\[\]{}",:\\a\né]{0,9}"#.prop_map(Value::from),
        ];
        let inner = leaf.prop_recursive(4, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(r#"[{\]"\\b]{0,4}"#, inner, 0..4).prop_map(|map| map.into_iter().collect()),
            ]
        });
        let object =
            prop::collection::hash_map(r#"[{\]"\\b]{0,4}"#, inner.clone(), 0..4).prop_map(|map| map.into_iter().collect());
        prop_oneof![2 => object, 1 => inner]
    }

    proptest! {
        /// The elements are those that the parser finds, in any layout and in pieces of any lengths.
        #[test]
        fn elements_are_those_of_the_parser(
            values in prop::collection::vec(value(), 0..6),
            pretty: bool,
            space in prop::collection::vec("[ \t\r\n]{0,3}", 1..5),
            pieces in prop::collection::vec(1usize..20, 1..5),
            mark: bool,
        ) {
            let mut spaces = space.iter().cycle();
            let mut file = String::from(if mark { "\u{feff}" } else { "" }) + spaces.next().unwrap() + "[";
            for (number, value) in values.iter().enumerate() {
                file += if number > 0 { "," } else { "" };
                file += spaces.next().unwrap();
                file += &if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) }.unwrap();
                file += spaces.next().unwrap();
            }
            file = file + spaces.next().unwrap() + "]" + spaces.next().unwrap();
            let found: Vec<&str> = cut(file.as_bytes(), &pieces).unwrap().into_iter().map(|place| &file[place]).collect();
            let judged: Vec<&RawValue> = serde_json::from_str(file.trim_start_matches('\u{feff}')).unwrap();
            prop_assert_eq!(found, judged.iter().map(|raw| raw.get()).collect::<Vec<_>>());
        }

        /// What the parser takes for an array of objects is one, and so is an empty file; what is refused, it refuses too.
        #[test]
        fn what_is_refused_is_none(
            file in r#"\[?([\[\]{},:" \n]|\\|\{\}|"a":1|,\{|"[{\]]"){0,12}\]?"#,
            pieces in prop::collection::vec(1usize..6, 1..5),
        ) {
            // An empty file is an empty collection, whatever its format.
            let judged = if file.trim().is_empty() { Ok(Vec::new()) } else { serde_json::from_str::<Vec<serde_json::Map<String, Value>>>(&file) };
            match cut(file.as_bytes(), &pieces) {
                Ok(found) => {
                    let parsed: std::result::Result<Vec<_>, _> =
                        found.iter().map(|place| serde_json::from_str::<serde_json::Map<String, Value>>(&file[place.clone()])).collect();
                    prop_assert_eq!(parsed.ok(), judged.ok(), "{:?}", file);
                }
                Err(error) => prop_assert!(judged.is_err(), "{:?} {}", file, error),
            }
        }
    }

    #[test]
    fn errors_in_a_table() {
        for (file, message) in [
            ("{}", "f:1: column 1: no JSON array: it has to begin with ["),
            ("\u{feff}{}", "f:1: column 4: no JSON array: it has to begin with ["),
            ("\n [{},\n  ?]", "f:3: column 3: element 2 is no JSON: each has to be an object, as {\"text\": …}"),
            ("[1 \"a\"]", "f:1: column 4: no comma between elements 1 and 2"),
            ("[null{}]", "f:1: column 6: no comma between elements 1 and 2"),
            ("[1\n?]", "f:2: column 1: neither comma nor ] behind element 1"),
            (
                "[{},\n\n12",
                "f:3: the file ends inside element 2, which begins on line 3: the file is cut off; copy or write it again",
            ),
            ("[{},]", "f:1: column 5: no element 2 behind the comma: remove the comma"),
            ("[{} {}]", "f:1: column 5: no comma between elements 1 and 2"),
            ("[{}}", "f:1: column 4: neither comma nor ] behind element 1"),
            ("[{}]\n[]", "f:2: column 1: something behind the array: one file holds one array; give JSON Lines, or cut the file"),
            (
                "[{},\n{\"a\n",
                "f:3: the file ends inside element 2, which begins on line 2: the file is cut off; copy or write it again",
            ),
            ("[{}\n", "f:2: the file ends behind 1 elements, without ]: it is cut off; copy or write it again"),
            ("[\u{feff}]", "f:1: column 2: element 1 is no JSON: each has to be an object, as {\"text\": …}"),
        ] {
            for piece in [1, 2, 3, 100] {
                let told = cut(file.as_bytes(), &[piece])
                    .unwrap_err()
                    .placed(|line| crate::error::Place::line("f", 1 + line))
                    .to_string();
                assert_eq!(told, message, "{file:?} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn what_is_open_is_still_needed() {
        let mut elements = Elements::new();
        for (piece, open) in [("[", None), ("{}, {", Some(5)), ("\"a\":", Some(5)), ("1}", None), ("]", None)] {
            elements.feed(piece.as_bytes(), |_| {}).unwrap();
            assert_eq!(elements.open_at(), open, "{piece}");
        }
        assert!(begins_array(b"\xef\xbb\xbf \n[") && !begins_array(b"{[") && !begins_array(b""));
    }
}
