//! Splits a JSON array into its elements while the array is read. The array may be pretty-printed, on one line, or in any other
//! layout.
//!
//! This module checks only the text between the elements; the parser that reads an element checks the element's content.
//! Splitting counts brackets outside strings, so an element with brackets of the wrong kind is still returned, and the parser
//! then rejects it. Consecutive objects without an array around them are JSON Lines and are not handled here.

use std::ops::Range;

use crate::{
    error::{Error, Result},
    format::BYTE_ORDER_MARK,
};

/// Returns whether a file is an array and not JSON Lines. The first byte that is not white space decides, because a line of JSON
/// Lines is an object.
pub fn begins_array(start: &[u8]) -> bool {
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    start.iter().find(|&&byte| !is_space(byte)) == Some(&b'[')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the array. The number says how many bytes of a byte order mark have been processed.
    Mark(u8),
    Before,
    /// After the array's opening bracket: expects an element or the end.
    First,
    /// After a comma: expects an element.
    Next,
    /// Inside an element that marks its own end (an object, an array or a string), but outside the strings in it.
    Element,
    /// Inside a number, true, false or null, which end where other bytes begin.
    Scalar,
    String,
    /// Inside a string, after a backslash.
    Escape,
    /// After an element: expects a comma or the end.
    Behind,
    /// After the array: expects only white space.
    After,
}

/// Finds the elements of an array that arrives in pieces. It processes one to several gigabytes a second. It copies nothing and
/// keeps no bytes.
#[derive(Debug, Clone)]
pub struct Elements {
    state: State,
    /// The number of open brackets in the element.
    depth: u64,
    fed: u64,
    newlines: u64,
    /// The position where the current line begins.
    line_start: u64,
    elements: u64,
    /// The position where the open element begins, and the number of newlines before it.
    open: (u64, u64),
}

impl Default for Elements {
    fn default() -> Self {
        Self::new()
    }
}

impl Elements {
    /// Starts at the beginning of a file.
    pub fn new() -> Self {
        Self {
            state: State::Mark(0),
            depth: 0,
            fed: 0,
            newlines: 0,
            line_start: 0,
            elements: 0,
            open: (0, 0),
        }
    }

    /// Processes the next bytes of the file. For each element that ends in these bytes, passes the element's position in the file
    /// to `give`.
    ///
    /// # Errors
    /// Fails if the input is not an array of values; the message has the line and the column. After an error, nothing more may be
    /// fed.
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
                    at += bytes[at..]
                        .iter()
                        .take_while(|&&byte| is_of_scalar(byte))
                        .count();
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
                    self.state = if seen == 2 {
                        State::Before
                    } else {
                        State::Mark(seen + 1)
                    };
                }
                State::Mark(0) => self.state = State::Before,
                State::Mark(_) => {
                    return Err(self.refused(
                        bytes,
                        at,
                        "there are bytes that are not text; check that the file is \
                                                                      JSON",
                    ));
                }
                _ if is_space(byte) => {
                    at += bytes[at..]
                        .iter()
                        .take_while(|&&byte| is_space(byte))
                        .count()
                }
                // A value that is not an object is an element too. The reader of the element rejects or skips it.
                State::First | State::Next if begins_value(byte) => {
                    self.open = (self.fed + at as u64, 0);
                    self.depth = 0;
                    self.state = if matches!(byte, b'{' | b'[' | b'"') {
                        State::Element
                    } else {
                        State::Scalar
                    };
                }
                State::Before if byte == b'[' => (at, self.state) = (at + 1, State::First),
                State::First | State::Behind if byte == b']' => {
                    (at, self.state) = (at + 1, State::After)
                }
                State::Behind if byte == b',' => (at, self.state) = (at + 1, State::Next),
                state => {
                    let number = self.elements + 1;
                    let wrong = |what: String| self.refused(bytes, at, &what);
                    let wrong = match state {
                        State::Before | State::First if matches!(byte, 0 | 0xfe | 0xff) => {
                            // If the file has no byte order mark, the encoding name that the message suggests for iconv must
                            // include the byte order.
                            let name = match (state, byte, bytes.get(at + 1)) {
                                (State::Before, 0, Some(0)) => "UTF-32BE",
                                (State::First, 0, Some(0)) => "UTF-32LE",
                                (State::Before, 0, _) => "UTF-16BE",
                                (State::First, 0, _) => "UTF-16LE",
                                _ => "UTF-16",
                            };
                            let convert =
                                format!("convert it, for instance with iconv -f {name} -t UTF-8");
                            wrong("not a JSON array".into())
                                .advise(format!("if the file is {name}, {convert}"))
                        }
                        State::Before => {
                            wrong("not a JSON array".into()).advise("it must begin with [")
                        }
                        State::First | State::Next => match byte {
                            b']' => wrong(format!("no element {number} after the comma"))
                                .advise("remove the comma"),
                            _ => wrong(format!("element {number} is not JSON"))
                                .advise("each element must be an object, such as {\"text\": …}"),
                        },
                        State::Behind if begins_value(byte) => wrong(format!(
                            "no comma between elements {} and {number}",
                            number - 1
                        )),
                        State::Behind => wrong(format!(
                            "neither a comma nor ] after element {}",
                            number - 1
                        )),
                        _ => wrong(
                            "there is data after the array, but a file contains only one array"
                                .into(),
                        )
                        .advise("give JSON Lines, or split the file"),
                    };
                    return Err(wrong);
                }
            }
        }
        if self.is_open() && self.open.0 >= self.fed {
            self.open.1 =
                self.newlines + count_newlines(&bytes[..(self.open.0 - self.fed) as usize]);
        }
        self.newlines += count_newlines(bytes);
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            self.line_start = self.fed + last as u64 + 1;
        }
        self.fed += bytes.len() as u64;
        Ok(())
    }

    /// Moves past the next string or to the end of the element, and returns the position after it.
    #[inline]
    fn in_element(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        give: &mut impl FnMut(Range<u64>),
    ) -> usize {
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

    /// Ends the element before `at`, and passes it to `give`.
    fn end(&mut self, at: usize, give: &mut impl FnMut(Range<u64>)) {
        self.elements += 1;
        self.state = State::Behind;
        give(self.open.0..self.fed + at as u64);
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Fails if the array has not ended.
    pub fn finish(&self) -> Result<()> {
        let line = self.newlines;
        let what = match self.state {
            // An empty file has no elements either, and is valid.
            State::After | State::Mark(_) | State::Before => return Ok(()),
            _ if self.is_open() => {
                let (element, begin) = (self.elements + 1, self.open.1 + 1);
                format!(
                    "the file ends inside element {element}, which begins on line {begin}: it is truncated"
                )
            }
            _ => format!(
                "the file ends after {} elements, without ]: it is truncated",
                self.elements
            ),
        };
        Err(Error::record(what)
            .of_line(line)
            .advise("copy or write it again"))
    }

    /// Returns the position where the open element begins. The bytes from that position on are still needed.
    #[cfg(test)]
    fn open_at(&self) -> Option<u64> {
        self.is_open().then_some(self.open.0)
    }

    /// Returns whether an element is open.
    pub(crate) fn is_open(&self) -> bool {
        matches!(
            self.state,
            State::Element | State::Scalar | State::String | State::Escape
        )
    }

    /// Returns the number of bytes processed so far.
    #[cfg(test)]
    fn fed(&self) -> u64 {
        self.fed
    }

    /// Returns the number of elements found so far.
    #[cfg(test)]
    fn elements(&self) -> u64 {
        self.elements
    }

    fn refused(&self, bytes: &[u8], at: usize, message: &str) -> Error {
        let before = &bytes[..at];
        let line_start = memchr::memrchr(b'\n', before)
            .map_or(self.line_start, |last| self.fed + last as u64 + 1);
        let column = self.fed + at as u64 - line_start + 1;
        let line = self.newlines + count_newlines(before);
        Error::record(format!("column {column}: {message}"))
            .of_line(line)
            .at_byte(column)
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Returns whether a JSON value can begin with a byte.
fn begins_value(byte: u8) -> bool {
    matches!(
        byte,
        b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'
    )
}

/// Returns whether a byte can be part of a number, true, false or null.
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
            let (piece, after) = rest.split_at(length.min(rest.len()));
            elements.feed(piece, |place| {
                found.push(place.start as usize..place.end as usize)
            })?;
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        assert_eq!(
            (elements.fed() as usize, elements.elements() as usize),
            (file.len(), found.len())
        );
        elements.finish()?;
        Ok(found)
    }

    /// Generates values, mostly objects, with nested objects and with strings of quotes, backslashes and brackets.
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
                prop::collection::hash_map(r#"[{\]"\\b]{0,4}"#, inner, 0..4)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        });
        let object = prop::collection::hash_map(r#"[{\]"\\b]{0,4}"#, inner.clone(), 0..4)
            .prop_map(|map| map.into_iter().collect());
        prop_oneof![2 => object, 1 => inner]
    }

    proptest! {
        /// The splitter finds the same elements as the parser, in a file of any layout that arrives in pieces of any length.
        #[test]
        fn elements_match_the_parser(
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

        /// If the splitter rejects a file, the parser rejects it too. If the splitter accepts a file, parsing its elements one by
        /// one gives the same objects as parsing the whole file, or both fail. The splitter also accepts an empty file.
        #[test]
        fn refused_files_are_not_arrays(
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
            (
                "{}",
                "f:1: column 1: not a JSON array; it must begin with [",
            ),
            (
                "\u{feff}{}",
                "f:1: column 4: not a JSON array; it must begin with [",
            ),
            (
                "\n [{},\n  ?]",
                "f:3: column 3: element 2 is not JSON; each element must be an object, such as {\"text\": …}",
            ),
            (
                "[1 \"a\"]",
                "f:1: column 4: no comma between elements 1 and 2",
            ),
            (
                "[null{}]",
                "f:1: column 6: no comma between elements 1 and 2",
            ),
            (
                "[1\n?]",
                "f:2: column 1: neither a comma nor ] after element 1",
            ),
            (
                "[{},\n\n12",
                "f:3: the file ends inside element 2, which begins on line 3: it is truncated; copy or write it again",
            ),
            (
                "[{},]",
                "f:1: column 5: no element 2 after the comma; remove the comma",
            ),
            (
                "[{} {}]",
                "f:1: column 5: no comma between elements 1 and 2",
            ),
            (
                "[{}}",
                "f:1: column 4: neither a comma nor ] after element 1",
            ),
            (
                "[{}]\n[]",
                "f:2: column 1: there is data after the array, but a file contains only one array; give JSON Lines, or split the file",
            ),
            (
                "[{},\n{\"a\n",
                "f:3: the file ends inside element 2, which begins on line 2: it is truncated; copy or write it again",
            ),
            (
                "[{}\n",
                "f:2: the file ends after 1 elements, without ]: it is truncated; copy or write it again",
            ),
            (
                "[\u{feff}]",
                "f:1: column 2: element 1 is not JSON; each element must be an object, such as {\"text\": …}",
            ),
        ] {
            for piece in [1, 2, 3, 100] {
                let reported = cut(file.as_bytes(), &[piece])
                    .unwrap_err()
                    .placed(|line| crate::error::Place::line("f", 1 + line))
                    .to_string();
                assert_eq!(reported, message, "{file:?} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn an_open_element_is_still_needed() {
        let mut elements = Elements::new();
        for (piece, open) in [
            ("[", None),
            ("{}, {", Some(5)),
            ("\"a\":", Some(5)),
            ("1}", None),
            ("]", None),
        ] {
            elements.feed(piece.as_bytes(), |_| {}).unwrap();
            assert_eq!(elements.open_at(), open, "{piece}");
        }
        assert!(begins_array(b"\xef\xbb\xbf \n[") && !begins_array(b"{[") && !begins_array(b""));
    }
}
