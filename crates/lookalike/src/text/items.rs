//! Sets given as JSON arrays (RFC 8259, section 5), whose strings and numbers are the items. None of the steps for texts is
//! applied: capitals, accents, punctuation and white space in a string all count.
//!
//! Two items are the same if they are strings of the same characters, however they are escaped, or numbers of the same value,
//! however they are written: 1, 1.0 and 10e-1 are one item, and so are 0 and -0. Values are compared as exact decimal numbers,
//! never rounded to a machine number. The number 1 and the string "1" are two items.

use super::{Span, Text, source::unescape, tokens::Open, tokens::Tokens};

/// An item as it is written in its array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// A string: the text between its quotes.
    String(&'a str),
    /// A number.
    Number(&'a str),
}

/// The reason why a text is not a set. Places are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotASet {
    /// The text does not begin like an array.
    #[error(
        "is not a JSON array; a set is an array of strings and numbers, such as [\"a\", 7], and an empty set is []"
    )]
    NoArray,
    /// An item is neither a string nor a number.
    #[error(
        "has {what} as item {number}, but the items of a set must be strings and numbers; leave it out, or write it as a string"
    )]
    Item {
        /// The number of the item.
        number: usize,
        /// The kind of the item, in words.
        what: &'static str,
    },
    /// An item is a number with too many digits in its exponent to be compared exactly.
    #[error(
        "has a number with more than 18 digits in its exponent as item {number}; write it as a string"
    )]
    Exponent {
        /// The number of the item.
        number: usize,
    },
    /// An item is a string with half of a surrogate pair.
    #[error(
        "has half of a character (a lone surrogate such as \\ud83d) in item {number}, which is not valid text; fix it"
    )]
    Surrogate {
        /// The number of the item.
        number: usize,
    },
    /// The text is not valid JSON.
    #[error(
        "is not valid JSON at byte {at}, after {items} whole items; fix it: a set is an array such as [\"a\", 7]"
    )]
    Damaged {
        /// The place of the fault.
        at: usize,
        /// The number of items before it.
        items: usize,
    },
}

/// Returns the items of a JSON array in order, repeats included. Each item has its place in bytes, including the quotes of a
/// string. If the text is not such an array, the iterator returns the items before the fault, then one error, and then ends.
/// Cost: one pass; nothing is copied.
pub fn items(array: &str) -> Items<'_> {
    Items {
        array,
        at: 0,
        count: 0,
        next: Next::Array,
    }
}

/// Returns why a text is not a set, or `None` if it is one.
///
/// ```
/// assert!(lookalike::text::why_not_a_set(r#"["a", 7]"#).is_none());
/// assert!(lookalike::text::why_not_a_set("a, 7").is_some());
/// ```
pub fn why_not_a_set(array: &str) -> Option<NotASet> {
    items(array).find_map(Result::err)
}

/// The iterator that [`items`] returns.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    array: &'a str,
    at: usize,
    /// The number of items returned so far.
    count: usize,
    next: Next,
}

/// The syntax that may follow at a place in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The opening bracket.
    Array,
    /// A comma or the closing bracket.
    Comma,
    /// Nothing: the iteration is over.
    End,
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<(Item<'a>, Span), NotASet>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.item().transpose();
        match found {
            Some(Ok(_)) => (self.count, self.next) = (self.count + 1, Next::Comma),
            Some(Err(_)) | None => self.next = Next::End,
        }
        found
    }
}

impl<'a> Items<'a> {
    fn item(&mut self) -> Result<Option<(Item<'a>, Span)>, NotASet> {
        let first = match self.next {
            Next::End => return Ok(None),
            Next::Array => {
                if self.peek() != Some(b'[') {
                    return Err(NotASet::NoArray);
                }
                true
            }
            Next::Comma => {
                match self.peek() {
                    Some(b']') => return self.end(),
                    Some(b',') => {}
                    _ => return Err(self.damaged()),
                }
                false
            }
        };
        self.at += 1;
        let number = self.count + 1;
        let unfit = |what| Err(NotASet::Item { number, what });
        match self.peek() {
            Some(b']') if first => self.end(),
            Some(b'"') => self.string(number).map(Some),
            Some(b'-' | b'0'..=b'9') => self.number(number).map(Some),
            Some(b'n') => unfit("null"),
            Some(b't') => unfit("true"),
            Some(b'f') => unfit("false"),
            Some(b'[') => unfit("an array"),
            Some(b'{') => unfit("an object"),
            _ => Err(self.damaged()),
        }
    }

    /// Returns the next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.array.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Reads the closing bracket. Only white space may follow it.
    fn end(&mut self) -> Result<Option<(Item<'a>, Span)>, NotASet> {
        self.at += 1;
        if self.peek().is_none() {
            Ok(None)
        } else {
            Err(self.damaged())
        }
    }

    fn damaged(&self) -> NotASet {
        NotASet::Damaged {
            at: self.at + 1,
            items: self.count,
        }
    }

    fn string(&mut self, number: usize) -> Result<(Item<'a>, Span), NotASet> {
        let (array, start) = (self.array, self.at);
        self.at += 1;
        loop {
            match array.as_bytes().get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let escape = &array[self.at + 1..];
                    let (c, length) = unescape(escape);
                    let meant = c != char::REPLACEMENT_CHARACTER
                        || escape.get(..5).is_some_and(is_replacement);
                    if !meant {
                        let half = escape
                            .get(1..5)
                            .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
                        return Err(if half && escape.starts_with('u') {
                            NotASet::Surrogate { number }
                        } else {
                            self.damaged()
                        });
                    }
                    self.at += 1 + length;
                }
                None | Some(0..b' ') => return Err(self.damaged()),
                Some(_) => self.at += 1,
            }
        }
        let string = &array[start + 1..self.at];
        self.at += 1;
        Ok((
            Item::String(string),
            Span {
                start,
                end: self.at,
            },
        ))
    }

    fn number(&mut self, number: usize) -> Result<(Item<'a>, Span), NotASet> {
        let (array, start) = (self.array, self.at);
        self.at += usize::from(array.as_bytes()[start] == b'-');
        // No digit may follow a leading zero.
        match array.as_bytes().get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if array.as_bytes().get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = array.as_bytes().get(self.at) {
            let signed = matches!(array.as_bytes().get(self.at + 1), Some(b'+' | b'-'));
            self.at += 1 + usize::from(signed);
            let from = self.at;
            self.digits()?;
            if array[from..self.at].trim_start_matches('0').len() > EXPONENT {
                return Err(NotASet::Exponent { number });
            }
        }
        Ok((
            Item::Number(&array[start..self.at]),
            Span {
                start,
                end: self.at,
            },
        ))
    }

    /// Skips one or more digits.
    fn digits(&mut self) -> Result<(), NotASet> {
        let from = self.at;
        while let Some(b'0'..=b'9') = self.array.as_bytes().get(self.at) {
            self.at += 1;
        }
        if self.at > from {
            Ok(())
        } else {
            Err(self.damaged())
        }
    }
}

/// The largest number of digits in an exponent.
const EXPONENT: usize = 18;

/// Returns whether an escape, given without its backslash, stands for the replacement character itself. Any other escape that
/// gives this character is invalid.
fn is_replacement(escape: &str) -> bool {
    escape.eq_ignore_ascii_case("ufffd") && escape.starts_with('u')
}

/// Fills `tokens` with the items of an array in order, or with none if it is not an array of strings and numbers.
pub(super) fn read(array: &str, tokens: &mut Tokens) {
    tokens.clear(1);
    let mut scratch = String::new();
    for item in items(array) {
        match item {
            Ok((item, _)) => item.push(&mut scratch, tokens),
            Err(_) => return tokens.clear(1),
        }
    }
}

/// Returns the places of the items that [`read`] appends.
pub(super) fn spans(array: &str) -> Vec<Span> {
    items(array)
        .map(|item| item.map(|(_, span)| span))
        .collect::<Result<_, _>>()
        .unwrap_or_default()
}

impl Item<'_> {
    /// Appends the token of an item: a string's characters with a quote after them, or a number in its shortest form, which ends
    /// with a digit. Two items are equal if and only if their tokens are equal. This form is frozen: no release changes it.
    /// Neither kind of token ends with a NUL, so padding for the hash is not mistaken for content.
    fn push(self, scratch: &mut String, tokens: &mut Tokens) {
        tokens.begin(Open::No);
        match self {
            Self::String(string) => {
                tokens.append(Text::Escaped(string).decode(scratch).as_bytes());
                tokens.append(b"\"");
            }
            Self::Number(number) if is_plain(number) => tokens.append(number.as_bytes()),
            Self::Number(number) => {
                scratch.clear();
                shortest(number, scratch);
                tokens.append(scratch.as_bytes());
            }
        }
    }
}

/// The largest number of digits of a whole number that is written without an exponent: enough for any 64-bit integer.
const PLAIN: usize = 20;

/// Returns whether a number is already written in its shortest form, as nearly all are.
fn is_plain(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.len() <= PLAIN && digits.bytes().all(|byte| byte.is_ascii_digit()) && number != "-0"
}

/// Appends a number in the form that all numbers of the same value have. Whole numbers of up to 20 digits are written as such.
/// Others are written as their digits without zeros at the ends, followed by the power of ten that these digits are multiplied
/// by.
fn shortest(number: &str, out: &mut String) {
    let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = whole
        .strip_prefix('-')
        .map_or(("", whole), |whole| ("-", whole));
    let digits = format!("{whole}{part}");
    let significant = digits.trim_end_matches('0');
    // The exponent in the text has at most 18 digits, and no text has enough digits for the sum below to overflow.
    let power = power.parse::<i64>().unwrap_or_default() - part.len() as i64
        + (digits.len() - significant.len()) as i64;
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return out.push('0');
    }
    out.push_str(sign);
    out.push_str(significant);
    match usize::try_from(power)
        .ok()
        .filter(|power| significant.len().saturating_add(*power) <= PLAIN)
    {
        Some(zeros) => (0..zeros).for_each(|_| out.push('0')),
        None => out.push_str(&format!("e{power}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::{
        super::{Folds, TokensBy, canonicalise, token_spans},
        *,
    };

    fn tokens(array: &str) -> Vec<String> {
        let mut tokens = Tokens::new();
        canonicalise(array, TokensBy::Items, Folds::default(), &mut tokens);
        tokens
            .iter()
            .map(|token| String::from_utf8(token.to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn items_in_a_table() {
        for (array, expected) in [
            ("[]", &[][..]),
            (" [ ]\n", &[]),
            (r#"["a","B c","",7]"#, &["a\"", "B c\"", "\"", "7"]),
            ("[1,1.0,1e0,10e-1,0.1E+1,100e-2]", &["1"; 6]),
            ("[0,-0,0.0,-0.00e7,0e18]", &["0"; 5]),
            (r#"[1,"1","1.0"]"#, &["1", "1\"", "1.0\""]),
            ("[-7,-7.50,0.075e2]", &["-7", "-75e-1", "75e-1"]),
            (
                "[100,1e2,1e19,10000000000000000000]",
                &["100", "100", "10000000000000000000", "10000000000000000000"],
            ),
            (
                "[1e20,100000000000000000000,123456789012345678901]",
                &["1e20", "1e20", "123456789012345678901e0"],
            ),
            // Values that a float cannot distinguish.
            (
                "[9007199254740993,9007199254740992.0]",
                &["9007199254740993", "9007199254740992"],
            ),
            (
                "[0.1,0.1000000000000000055511151231257827]",
                &["1e-1", "1000000000000000055511151231257827e-34"],
            ),
            (
                "[1e999999999999999999,-1e-0999999999999999999]",
                &["1e999999999999999999", "-1e-999999999999999999"],
            ),
            (
                r#"["é","\u00e9","e\u0301","\ud83d\ude00","\n\"\\\/","\ufffd","a\u0000","a"]"#,
                &[
                    "é\"",
                    "é\"",
                    "e\u{301}\"",
                    "😀\"",
                    "\n\"\\/\"",
                    "\u{fffd}\"",
                    "a\0\"",
                    "a\"",
                ],
            ),
        ] {
            assert_eq!(tokens(array), expected, "{array}");
            assert!(items(array).all(|item| item.is_ok()), "{array}");
        }
    }

    #[test]
    fn invalid_sets_in_a_table() {
        let damaged = |at, items| NotASet::Damaged { at, items };
        for (array, fault) in [
            ("", NotASet::NoArray),
            ("a b", NotASet::NoArray),
            (r#"{"a":1}"#, NotASet::NoArray),
            (
                "[1,null]",
                NotASet::Item {
                    number: 2,
                    what: "null",
                },
            ),
            (
                "[true]",
                NotASet::Item {
                    number: 1,
                    what: "true",
                },
            ),
            (
                "[false]",
                NotASet::Item {
                    number: 1,
                    what: "false",
                },
            ),
            (
                r#"["a","b",[1]]"#,
                NotASet::Item {
                    number: 3,
                    what: "an array",
                },
            ),
            (
                "[{}]",
                NotASet::Item {
                    number: 1,
                    what: "an object",
                },
            ),
            ("[1e1000000000000000000]", NotASet::Exponent { number: 1 }),
            (r#"["\ud800"]"#, NotASet::Surrogate { number: 1 }),
            (r#"["a","\ude00"]"#, NotASet::Surrogate { number: 2 }),
            (r#"["\ud83d\u0041"]"#, NotASet::Surrogate { number: 1 }),
            ("[", damaged(2, 0)),
            ("[1", damaged(3, 1)),
            ("[1,]", damaged(4, 1)),
            ("[,1]", damaged(2, 0)),
            ("[1 2]", damaged(4, 1)),
            ("[1]]", damaged(4, 1)),
            ("[01]", damaged(3, 1)),
            ("[1.]", damaged(4, 0)),
            ("[-]", damaged(3, 0)),
            ("[1e]", damaged(4, 0)),
            ("[+1]", damaged(2, 0)),
            ("[NaN]", damaged(2, 0)),
            (r#"["a]"#, damaged(5, 0)),
            ("[\"a\tb\"]", damaged(4, 0)),
            (r#"["\x"]"#, damaged(3, 0)),
            (r#"["\U0041"]"#, damaged(3, 0)),
            (r#"["\u00"]"#, damaged(3, 0)),
            ("['a']", damaged(2, 0)),
        ] {
            assert_eq!(items(array).find_map(Result::err), Some(fault), "{array}");
            assert_eq!(items(array).last(), Some(Err(fault)), "{array}");
            assert!(
                tokens(array).is_empty() && spans(array).is_empty(),
                "{array}"
            );
        }
    }

    fn item() -> impl Strategy<Value = String> {
        let number = "-?(0|[1-9][0-9]{0,21})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?";
        prop_oneof![
            number,
            any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
            "\"(\\\\u[0-9a-f]{4}|[a-c]){0,3}\""
        ]
    }

    proptest! {
        #[test]
        fn arrays_are_recognised_as_by_a_parser(text in r#"\[?([\[\]{},0-9eE.+\-" \\]|"a"|true|null|\\u00e9|\\ud83d\\ude00|\\ud83d|1){0,12}\]"#) {
            let judged = serde_json::from_str::<Vec<Value>>(&text);
            let fits = |value: &Value| value.is_string() || value.is_number();
            let ours = items(&text).collect::<Result<Vec<_>, _>>();
            match judged {
                Ok(values) if values.iter().all(fits) => prop_assert_eq!(ours.map(|items| items.len()), Ok(values.len())),
                // The parser stores numbers as floats, and rejects numbers that are out of their range.
                Err(error) if error.to_string().contains("out of range") => {}
                _ => prop_assert!(ours.is_err(), "{}: {:?}", text, ours),
            }
        }

        /// Strings are equal if their characters are equal. Numbers are equal if they are equal after multiplication by the same
        /// power of ten.
        #[test]
        fn tokens_are_equal_when_items_are(array in prop::collection::vec(item(), 0..8)) {
            let text = format!("[{}]", array.join(" , "));
            prop_assume!(items(&text).all(|item| item.is_ok()));
            let tokens = tokens(&text);
            let spans = token_spans(&text, TokensBy::Items, Folds::default());
            prop_assert_eq!(spans.iter().map(|span| &text[span.start..span.end]).collect::<Vec<_>>(), array.iter().map(|item| &**item).collect::<Vec<_>>());
            for (a, x) in array.iter().zip(&tokens) {
                for (b, y) in array.iter().zip(&tokens) {
                    let equal = match (serde_json::from_str::<String>(a), serde_json::from_str::<String>(b)) {
                        (Ok(a), Ok(b)) => a == b,
                        (Err(_), Err(_)) => scaled(a) == scaled(b),
                        _ => false,
                    };
                    prop_assert_eq!(x == y, equal, "{} {}", a, b);
                }
            }
        }

        #[test]
        fn numbers_of_one_value_are_one_item(whole in any::<i64>(), zeros in 0usize..9, shift in 0usize..6) {
            let text = whole.to_string();
            let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
            let shift = shift.min(digits.len() - 1);
            let (head, tail) = digits.split_at(digits.len() - shift);
            let point = if shift + zeros == 0 { "" } else { "." };
            let shifted = format!("[{text}, {sign}{head}{point}{tail}{}e{shift}]", "0".repeat(zeros));
            let tokens = tokens(&shifted);
            prop_assert_eq!(&tokens[0], &text);
            prop_assert_eq!(&tokens[1], &text, "{}", shifted);
        }
    }

    /// Returns a number's sign, and its digits after multiplication by 10¹²⁰⁰, without leading zeros. This naive method is only
    /// for tests, so its cost does not matter.
    fn scaled(number: &str) -> (bool, String) {
        let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let zeros = 1200 + power.parse::<i64>().unwrap() - part.len() as i64;
        let digits = format!(
            "{}{part}{}",
            whole.trim_start_matches('-'),
            "0".repeat(zeros.try_into().unwrap())
        );
        let digits = digits.trim_start_matches('0').to_string();
        (number.starts_with('-') && !digits.is_empty(), digits)
    }
}
