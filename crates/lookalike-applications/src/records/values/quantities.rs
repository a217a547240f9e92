//! Quantities: numbers with a unit or a currency. Units of the same kind are converted, so that 1.5 kg and 1500 g are equal.

use std::iter::Peekable;

/// A number, and the base unit of its kind; an empty unit if it has none.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Quantity {
    number: f64,
    base: &'static str,
    /// The size of its own unit in base units.
    size: f64,
}

/// Units by their names in lower case: the base unit, and the size in base units.
const UNITS: [(&str, &str, f64); 123] = [
    ("\"", "m", 0.0254),
    ("$", "usd", 1.0),
    ("'", "m", 0.3048),
    ("ah", "ah", 1.0),
    ("b", "byte", 1.0),
    ("btu", "btu", 1.0),
    ("byte", "byte", 1.0),
    ("bytes", "byte", 1.0),
    ("cc", "l", 0.001),
    ("centimeter", "m", 0.01),
    ("centimeters", "m", 0.01),
    ("centimetre", "m", 0.01),
    ("centimetres", "m", 0.01),
    ("chf", "chf", 1.0),
    ("cl", "l", 0.01),
    ("cm", "m", 0.01),
    ("cny", "cny", 1.0),
    ("day", "s", 86400.0),
    ("days", "s", 86400.0),
    ("dl", "l", 0.1),
    ("dollar", "usd", 1.0),
    ("dollars", "usd", 1.0),
    ("eur", "eur", 1.0),
    ("euro", "eur", 1.0),
    ("euros", "eur", 1.0),
    ("feet", "m", 0.3048),
    ("foot", "m", 0.3048),
    ("ft", "m", 0.3048),
    ("g", "g", 1.0),
    ("gal", "l", 3.785411784),
    ("gallon", "l", 3.785411784),
    ("gallons", "l", 3.785411784),
    ("gb", "byte", 1e9),
    ("gbp", "gbp", 1.0),
    ("ghz", "hz", 1e9),
    ("gib", "byte", 1073741824.0),
    ("gram", "g", 1.0),
    ("grams", "g", 1.0),
    ("h", "s", 3600.0),
    ("hour", "s", 3600.0),
    ("hours", "s", 3600.0),
    ("hr", "s", 3600.0),
    ("hrs", "s", 3600.0),
    ("hz", "hz", 1.0),
    ("in", "m", 0.0254),
    ("inch", "m", 0.0254),
    ("inches", "m", 0.0254),
    ("jpy", "jpy", 1.0),
    ("kb", "byte", 1e3),
    ("kg", "g", 1000.0),
    ("khz", "hz", 1e3),
    ("kib", "byte", 1024.0),
    ("kilogram", "g", 1000.0),
    ("kilograms", "g", 1000.0),
    ("kilometer", "m", 1000.0),
    ("kilometers", "m", 1000.0),
    ("kilometre", "m", 1000.0),
    ("kilometres", "m", 1000.0),
    ("km", "m", 1000.0),
    ("kw", "w", 1000.0),
    ("l", "l", 1.0),
    ("lb", "g", 453.59237),
    ("lbs", "g", 453.59237),
    ("liter", "l", 1.0),
    ("liters", "l", 1.0),
    ("litre", "l", 1.0),
    ("litres", "l", 1.0),
    ("m", "m", 1.0),
    ("mah", "ah", 0.001),
    ("mb", "byte", 1e6),
    ("meter", "m", 1.0),
    ("meters", "m", 1.0),
    ("metre", "m", 1.0),
    ("metres", "m", 1.0),
    ("mg", "g", 0.001),
    ("mhz", "hz", 1e6),
    ("mi", "m", 1609.344),
    ("mib", "byte", 1048576.0),
    ("mile", "m", 1609.344),
    ("miles", "m", 1609.344),
    ("milliliter", "l", 0.001),
    ("milliliters", "l", 0.001),
    ("millilitre", "l", 0.001),
    ("millilitres", "l", 0.001),
    ("millimeter", "m", 0.001),
    ("millimeters", "m", 0.001),
    ("millimetre", "m", 0.001),
    ("millimetres", "m", 0.001),
    ("min", "s", 60.0),
    ("mins", "s", 60.0),
    ("minute", "s", 60.0),
    ("minutes", "s", 60.0),
    ("ml", "l", 0.001),
    ("mm", "m", 0.001),
    ("ms", "s", 0.001),
    ("mw", "w", 1e6),
    ("ounce", "g", 28.349523125),
    ("ounces", "g", 28.349523125),
    ("oz", "g", 28.349523125),
    ("pint", "l", 0.473176473),
    ("pints", "l", 0.473176473),
    ("pound", "g", 453.59237),
    ("pounds", "g", 453.59237),
    ("qt", "l", 0.946352946),
    ("quart", "l", 0.946352946),
    ("quarts", "l", 0.946352946),
    ("s", "s", 1.0),
    ("sec", "s", 1.0),
    ("second", "s", 1.0),
    ("seconds", "s", 1.0),
    ("secs", "s", 1.0),
    ("tb", "byte", 1e12),
    ("tib", "byte", 1099511627776.0),
    ("usd", "usd", 1.0),
    ("v", "v", 1.0),
    ("volt", "v", 1.0),
    ("volts", "v", 1.0),
    ("w", "w", 1.0),
    ("watt", "w", 1.0),
    ("watts", "w", 1.0),
    ("£", "gbp", 1.0),
    ("¥", "jpy", 1.0),
    ("€", "eur", 1.0),
];

/// A part of a value.
#[derive(Debug, PartialEq)]
enum Piece {
    Number(f64),
    /// A word in lower case, or a sign that is a unit.
    Word(String),
    /// A sign that separates quantities.
    Other,
}

/// Writes the first quantity, converted to its base unit. Quantities of the same kind that follow directly in smaller units are added, as
/// in 5 ft 11 in. If no number has a unit, writes the first number; if there is no number, writes nothing.
pub(super) fn write(value: &str, into: &mut String) {
    let pieces = pieces(value);
    let mut first = None;
    let mut at = pieces.iter().peekable();
    let mut before: Option<&Piece> = None;
    while let Some(piece) = at.next() {
        if let Piece::Number(number) = *piece {
            let of_sign = before.and_then(currency);
            match quantity(number, of_sign, &mut at) {
                found if found.base.is_empty() => first = first.or(Some(found)),
                found => {
                    first = Some(sum(found, &mut at));
                    break;
                }
            }
        }
        before = Some(piece);
    }
    let Some(Quantity { number, base, .. }) = first else {
        return;
    };
    // The same quantity in another unit can differ in the last digits.
    let rounded: f64 = format!("{number:.11e}").parse().unwrap_or(number);
    *into += &rounded.to_string();
    if !base.is_empty() {
        *into += " ";
        *into += base;
    }
}

/// Returns the quantity of a number, which may be followed by its unit, or have a currency before it.
fn quantity<'a>(
    number: f64,
    of_sign: Option<(&'static str, f64)>,
    rest: &mut Peekable<impl Iterator<Item = &'a Piece> + Clone>,
) -> Quantity {
    let of = |(base, size)| Quantity {
        number: number * size,
        base,
        size,
    };
    if let Some(currency) = of_sign {
        return of(currency);
    }
    let Some(Piece::Word(word)) = rest.peek() else {
        return of(("", 1.0));
    };
    // A fluid ounce is written with two words.
    let mut after = rest.clone();
    after.next();
    if word == "fl" && after.next() == Some(&Piece::Word("oz".into())) {
        rest.nth(1);
        return of(("l", 0.0295735295625));
    }
    match unit(word) {
        Some(unit) => {
            rest.next();
            of(unit)
        }
        None => of(("", 1.0)),
    }
}

/// Adds the quantities that follow directly, in ever smaller units of the same kind.
fn sum<'a>(
    first: Quantity,
    rest: &mut Peekable<impl Iterator<Item = &'a Piece> + Clone>,
) -> Quantity {
    let mut sum = first;
    while let Some(Piece::Number(number)) = rest.peek() {
        let mut after = rest.clone();
        after.next();
        let next = quantity(*number, None, &mut after);
        if next.base != sum.base || next.size >= sum.size {
            break;
        }
        sum = Quantity {
            number: sum.number + next.number,
            ..next
        };
        *rest = after;
    }
    sum
}

fn unit(word: &str) -> Option<(&'static str, f64)> {
    UNITS
        .binary_search_by_key(&word, |row| row.0)
        .ok()
        .map(|at| (UNITS[at].1, UNITS[at].2))
}

/// Returns the unit that a word before a number means, if it is a currency.
fn currency(piece: &Piece) -> Option<(&'static str, f64)> {
    let Piece::Word(word) = piece else {
        return None;
    };
    unit(word).filter(|(base, _)| matches!(*base, "chf" | "cny" | "eur" | "gbp" | "jpy" | "usd"))
}

fn pieces(value: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = value.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = if c.is_ascii_digit()
            || c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            let digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
            let end = rest.find(|c| !digit(c)).unwrap_or(rest.len());
            let number = rest[..end].trim_end_matches(['.', ',']);
            match number_of(number) {
                Some(number) => pieces.push(Piece::Number(number)),
                None => pieces.push(Piece::Other),
            }
            number.len().max(1)
        } else if c.is_alphabetic() {
            let end = rest
                .find(|c: char| !c.is_alphabetic())
                .unwrap_or(rest.len());
            pieces.push(Piece::Word(rest[..end].to_lowercase()));
            end
        } else {
            match c {
                '”' | '″' | '"' => pieces.push(Piece::Word("\"".into())),
                '’' | '′' | '\'' => pieces.push(Piece::Word("'".into())),
                '$' | '£' | '¥' | '€' => pieces.push(Piece::Word(c.into())),
                // A unit can be attached by a hyphen, or be abbreviated.
                '-' | '.' => {}
                c if c.is_whitespace() => {}
                _ => pieces.push(Piece::Other),
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    pieces
}

/// Returns a number with points and commas. The last of them is the decimal mark if both occur. A single comma separates thousands if
/// three digits follow it and one to three precede it, the first of which is not 0.
fn number_of(number: &str) -> Option<f64> {
    let count = |c| number.matches(c).count();
    let decimal = match (count('.'), count(',')) {
        (0, 0) => None,
        (points, 0) if points > 1 => None,
        (_, 0) => Some('.'),
        (0, 1) => number
            .find(',')
            .filter(|&at| number.len() - at != 4 || at > 3 || number.starts_with('0'))
            .map(|_| ','),
        (0, _) => None,
        _ if number.rfind('.') > number.rfind(',') => Some('.'),
        _ => Some(','),
    };
    let plain: String = match decimal {
        None => number.chars().filter(char::is_ascii_digit).collect(),
        Some(mark) => {
            let (whole, part) = number.rsplit_once(mark)?;
            let digits = |text: &str| {
                text.chars()
                    .filter(char::is_ascii_digit)
                    .collect::<String>()
            };
            format!("0{}.{}", digits(whole), digits(part))
        }
    };
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns the numbers of two normal forms if their units can be compared: they are the same, or one has none.
pub(super) fn comparable(a: &str, b: &str) -> Option<(f64, f64)> {
    let ((x, of_x), (y, of_y)) = (parts(a)?, parts(b)?);
    (of_x == of_y || of_x.is_empty() || of_y.is_empty()).then_some((x, y))
}

fn parts(value: &str) -> Option<(f64, &str)> {
    let (number, base) = value.split_once(' ').unwrap_or((value, ""));
    Some((number.parse().ok()?, base))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: &str) -> String {
        let mut into = String::new();
        write(value, &mut into);
        into
    }

    #[test]
    fn quantities_in_a_table() {
        for (value, expected) in [
            ("500 GB", "500000000000 byte"),
            ("0.5TB", "500000000000 byte"),
            ("1,5 kg", "1500 g"),
            ("1500 g", "1500 g"),
            ("0,750 kg", "750 g"),
            ("1234,567 kg", "1234567 g"),
            ("17-inch", "0.4318 m"),
            ("43.18 cm", "0.4318 m"),
            ("17\" screen", "0.4318 m"),
            ("5 ft 11 in", "1.8034 m"),
            ("5'11\"", "1.8034 m"),
            ("16 fl. oz.", "0.473176473 l"),
            ("16 oz", "453.59237 g"),
            ("Pack of 6, 330 ml", "0.33 l"),
            ("$1,299.00", "1299 usd"),
            ("1.299,00 €", "1299 eur"),
            ("EUR 12,50", "12.5 eur"),
            ("12", "12"),
            (".5", "0.5"),
            ("1.234.567", "1234567"),
            ("1,234,567", "1234567"),
            ("2 x 4", "2"),
            ("12 apples and 3 kg", "3000 g"),
            ("3 kg 500 mg 2 lb", "3000.5 g"),
            ("none", ""),
            ("...", ""),
            ("", ""),
        ] {
            assert_eq!(written(value), expected, "{value}");
        }
        assert!(UNITS.is_sorted_by_key(|row| row.0));
        assert_eq!(comparable("5 m", "6 g"), None);
        assert_eq!(comparable("5 m", "6"), Some((5.0, 6.0)));
    }

    proptest! {
        #[test]
        fn any_text_has_a_quantity_or_none(value in "[0-9.,'\"$€ kgftin-]{0,24}|\\PC{0,24}") {
            let first = written(&value);
            prop_assert!(first.is_empty() || comparable(&first, &first).is_some(), "{first}");
        }
    }
}
