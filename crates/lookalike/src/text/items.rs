//! Sets as they come: JSON arrays (RFC 8259, section 5) whose strings and numbers are the items. No step of texts touches them:
//! capitals, accents, punctuation and white space in a string all count.
//!
//! Two items are the same when they are strings of the same characters, however escaped, or numbers of the same value, however
//! written: 1, 1.0 and 10e-1 are one item, and so are 0 and -0. Values are compared as the decimal numbers that they are, never
//! rounded to what a machine holds. The number 1 and the string "1" are two.

use super::{Span, Text, source::unescape, tokens::Open, tokens::Tokens};

/// An item as it stands in its array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// A string: what stands between its quotes.
    String(&'a str),
    /// A number.
    Number(&'a str),
}

/// Why a text is no set. Places are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSet {
    /// It does not begin as an array does.
    #[error("is no JSON array; a set is one of strings and numbers, such as [\"a\", 7], an empty one []")]
    NoArray,
    /// An item is something else than a string or a number.
    #[error("has {what} for item {number}; the items of a set are strings and numbers: leave it out, or write it as a string")]
    Item {
        /// Which.
        number: usize,
        /// What it is, in words.
        what: &'static str,
    },
    /// A number beyond what can be told apart.
    #[error("has a number for item {number} with more than 18 digits in its exponent; write it as a string")]
    Exponent {
        /// Which.
        number: usize,
    },
    /// A string with half of a character.
    #[error("has half of a character, a lone surrogate such as \\ud83d, in item {number}: no text has that; mend it")]
    Surrogate {
        /// Which.
        number: usize,
    },
    /// It is no JSON.
    #[error("is no JSON at its byte {at}, behind {items} whole items; mend it, a set is an array such as [\"a\", 7]")]
    Damaged {
        /// Where.
        at: usize,
        /// Items before.
        items: usize,
    },
}

/// The items of a JSON array in its order, repeats among them, each with its place in bytes, quotes included. A text that is no
/// such array gives one error, and then nothing more; items may have come before it. Cost: one pass, nothing is copied.
pub fn items(array: &str) -> Items<'_> {
    Items { array, at: 0, count: 0, next: Next::Array }
}

/// Why a text is no set; none where it is one.
///
/// ```
/// assert!(lookalike::text::no_set(r#"["a", 7]"#).is_none());
/// assert!(lookalike::text::no_set("a, 7").is_some());
/// ```
pub fn no_set(array: &str) -> Option<NoSet> {
    items(array).find_map(Result::err)
}

/// What [`items`] gives.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    array: &'a str,
    at: usize,
    /// Items that were given.
    count: usize,
    next: Next,
}

/// What may come at a place in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Its bracket.
    Array,
    /// A comma or the end.
    Comma,
    /// Nothing.
    End,
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<(Item<'a>, Span), NoSet>;

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
    fn item(&mut self) -> Result<Option<(Item<'a>, Span)>, NoSet> {
        let first = match self.next {
            Next::End => return Ok(None),
            Next::Array => {
                if self.peek() != Some(b'[') {
                    return Err(NoSet::NoArray);
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
        let unfit = |what| Err(NoSet::Item { number, what });
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

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.array.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Nothing may stand behind the array.
    fn end(&mut self) -> Result<Option<(Item<'a>, Span)>, NoSet> {
        self.at += 1;
        if self.peek().is_none() { Ok(None) } else { Err(self.damaged()) }
    }

    fn damaged(&self) -> NoSet {
        NoSet::Damaged { at: self.at + 1, items: self.count }
    }

    fn string(&mut self, number: usize) -> Result<(Item<'a>, Span), NoSet> {
        let (array, start) = (self.array, self.at);
        self.at += 1;
        loop {
            match array.as_bytes().get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let escape = &array[self.at + 1..];
                    let (c, length) = unescape(escape);
                    let meant = c != char::REPLACEMENT_CHARACTER || escape.get(..5).is_some_and(is_replacement);
                    if !meant {
                        let half = escape.get(1..5).is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
                        return Err(if half && escape.starts_with('u') { NoSet::Surrogate { number } } else { self.damaged() });
                    }
                    self.at += 1 + length;
                }
                None | Some(0..b' ') => return Err(self.damaged()),
                Some(_) => self.at += 1,
            }
        }
        let string = &array[start + 1..self.at];
        self.at += 1;
        Ok((Item::String(string), Span { start, end: self.at }))
    }

    fn number(&mut self, number: usize) -> Result<(Item<'a>, Span), NoSet> {
        let (array, start) = (self.array, self.at);
        self.at += usize::from(array.as_bytes()[start] == b'-');
        // A zero stands alone.
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
                return Err(NoSet::Exponent { number });
            }
        }
        Ok((Item::Number(&array[start..self.at]), Span { start, end: self.at }))
    }

    /// Passes one digit or more.
    fn digits(&mut self) -> Result<(), NoSet> {
        let from = self.at;
        while let Some(b'0'..=b'9') = self.array.as_bytes().get(self.at) {
            self.at += 1;
        }
        if self.at > from { Ok(()) } else { Err(self.damaged()) }
    }
}

/// Digits of an exponent that are understood.
const EXPONENT: usize = 18;

/// Whether an escape, given without its backslash, means the character that also stands for escapes that mean nothing.
fn is_replacement(escape: &str) -> bool {
    escape.eq_ignore_ascii_case("ufffd") && escape.starts_with('u')
}

/// Fills `tokens` with the items of an array, in its order; with none where it is no array of strings and numbers.
pub(super) fn read(array: &str, tokens: &mut Tokens) {
    tokens.clear(1);
    let mut room = String::new();
    for item in items(array) {
        match item {
            Ok((item, _)) => item.push(&mut room, tokens),
            Err(_) => return tokens.clear(1),
        }
    }
}

/// The places of the items that [`read`] gives.
pub(super) fn spans(array: &str) -> Vec<Span> {
    items(array).map(|item| item.map(|(_, span)| span)).collect::<Result<_, _>>().unwrap_or_default()
}

impl Item<'_> {
    /// Appends a token for which items are equal when their tokens are: a string's characters with a quote behind them, or a
    /// number in its shortest form, which ends with a digit. Frozen. Neither ends with a NUL, so what is filled up to be hashed
    /// is not taken for what is not.
    fn push(self, room: &mut String, tokens: &mut Tokens) {
        tokens.begin(Open::No);
        match self {
            Self::String(string) => {
                tokens.append(Text::Escaped(string).decode(room).as_bytes());
                tokens.append(b"\"");
            }
            Self::Number(number) if is_plain(number) => tokens.append(number.as_bytes()),
            Self::Number(number) => {
                room.clear();
                shortest(number, room);
                tokens.append(room.as_bytes());
            }
        }
    }
}

/// Digits of a whole number that is written without an exponent: any of 64 bits.
const PLAIN: usize = 20;

/// Whether a number is in its shortest form as it stands: nearly all are.
fn is_plain(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.len() <= PLAIN && digits.bytes().all(|byte| byte.is_ascii_digit()) && number != "-0"
}

/// Appends a number in the form that all numbers of its value have: whole ones up to 20 digits as such, others as their digits
/// without zeros at the ends, and the power of ten that these are multiplied with.
fn shortest(number: &str, out: &mut String) {
    let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
    let digits = format!("{whole}{part}");
    let significant = digits.trim_end_matches('0');
    // Powers have up to 18 digits, and no text has nearly as many as would be too many.
    let power = power.parse::<i64>().unwrap_or_default() - part.len() as i64 + (digits.len() - significant.len()) as i64;
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return out.push('0');
    }
    out.push_str(sign);
    out.push_str(significant);
    match usize::try_from(power).ok().filter(|power| significant.len().saturating_add(*power) <= PLAIN) {
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
        tokens.iter().map(|token| String::from_utf8(token.to_vec()).unwrap()).collect()
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
            ("[100,1e2,1e19,10000000000000000000]", &["100", "100", "10000000000000000000", "10000000000000000000"]),
            ("[1e20,100000000000000000000,123456789012345678901]", &["1e20", "1e20", "123456789012345678901e0"]),
            // What a float cannot tell apart.
            ("[9007199254740993,9007199254740992.0]", &["9007199254740993", "9007199254740992"]),
            ("[0.1,0.1000000000000000055511151231257827]", &["1e-1", "1000000000000000055511151231257827e-34"]),
            ("[1e999999999999999999,-1e-0999999999999999999]", &["1e999999999999999999", "-1e-999999999999999999"]),
            (
                r#"["é","\u00e9","e\u0301","\ud83d\ude00","\n\"\\\/","\ufffd","a\u0000","a"]"#,
                &["é\"", "é\"", "e\u{301}\"", "😀\"", "\n\"\\/\"", "\u{fffd}\"", "a\0\"", "a\""],
            ),
        ] {
            assert_eq!(tokens(array), expected, "{array}");
            assert!(items(array).all(|item| item.is_ok()), "{array}");
        }
    }

    #[test]
    fn what_is_no_set_in_a_table() {
        let damaged = |at, items| NoSet::Damaged { at, items };
        for (array, fault) in [
            ("", NoSet::NoArray),
            ("a b", NoSet::NoArray),
            (r#"{"a":1}"#, NoSet::NoArray),
            ("[1,null]", NoSet::Item { number: 2, what: "null" }),
            ("[true]", NoSet::Item { number: 1, what: "true" }),
            ("[false]", NoSet::Item { number: 1, what: "false" }),
            (r#"["a","b",[1]]"#, NoSet::Item { number: 3, what: "an array" }),
            ("[{}]", NoSet::Item { number: 1, what: "an object" }),
            ("[1e1000000000000000000]", NoSet::Exponent { number: 1 }),
            (r#"["\ud800"]"#, NoSet::Surrogate { number: 1 }),
            (r#"["a","\ude00"]"#, NoSet::Surrogate { number: 2 }),
            (r#"["\ud83d\u0041"]"#, NoSet::Surrogate { number: 1 }),
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
            assert!(tokens(array).is_empty() && spans(array).is_empty(), "{array}");
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
        fn what_is_an_array_is_what_a_parser_says(text in r#"\[?([\[\]{},0-9eE.+\-" \\]|"a"|true|null|\\u00e9|\\ud83d\\ude00|\\ud83d|1){0,12}\]"#) {
            let judged = serde_json::from_str::<Vec<Value>>(&text);
            let fits = |value: &Value| value.is_string() || value.is_number();
            let ours = items(&text).collect::<Result<Vec<_>, _>>();
            match judged {
                Ok(values) if values.iter().all(fits) => prop_assert_eq!(ours.map(|items| items.len()), Ok(values.len())),
                // The parser holds numbers as floats, and refuses what is none.
                Err(error) if error.to_string().contains("out of range") => {}
                _ => prop_assert!(ours.is_err(), "{}: {:?}", text, ours),
            }
        }

        /// Strings are equal when their characters are, numbers when a multiple of both by a power of ten is.
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

    /// A number's digits as a whole number of 10⁻¹²⁰⁰, without its sign and zeros in front: by hand, with no care for cost.
    fn scaled(number: &str) -> (bool, String) {
        let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let zeros = 1200 + power.parse::<i64>().unwrap() - part.len() as i64;
        let digits = format!("{}{part}{}", whole.trim_start_matches('-'), "0".repeat(zeros.try_into().unwrap()));
        let digits = digits.trim_start_matches('0').to_string();
        (number.starts_with('-') && !digits.is_empty(), digits)
    }
}
