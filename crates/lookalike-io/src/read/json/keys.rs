//! Computes a record's key for the keep order (the order in which documents are considered). The record with the largest key
//! comes first.

use lookalike::{
    Occurrences,
    cluster::{Keep, number_key, time_key},
    set_size,
    shown::{cut, quoted},
    text::Text,
};

use super::fields::{Fault, Found, Shape};
use crate::{error::Setting, words};

/// Returns a record's key. For a set, `set` says how repeated items count.
pub(crate) fn key((keep, set): (&Keep, Option<Occurrences>), found: &Found) -> Result<u64, Fault> {
    let (Text::Plain(text) | Text::Escaped(text)) = found.text;
    Ok(match keep {
        Keep::First => 0,
        Keep::Longest if let Some(occurrences) = set => set_size(text, occurrences),
        Keep::Longest => (text.chars().count() - found.surplus) as u64,
        Keep::Newest(_) => time(found.keep, keep)?,
        Keep::Max(_) => number_key(number(found.keep, keep)?),
        Keep::Min(_) => number_key(-number(found.keep, keep)?),
    })
}

/// Returns the error for a record in which the field that determines the keep order is missing or has an unusable value.
pub(crate) fn unfit(keep: &Keep, what: &str) -> Fault {
    let needs = match keep {
        Keep::Newest(_) => "a date (2024-01-31, 2024-01-31T12:00:00Z) or seconds since 1970",
        _ => "a number in each record",
    };
    let field = keep.field().unwrap_or_default();
    let wrong = Fault::record(format!("field {} {what}", quoted(field))).in_field(field);
    wrong.advise(words![
        (Setting("keep"), keep.to_string()),
        " needs ",
        needs
    ])
}

fn number(value: Option<&str>, keep: &Keep) -> Result<f64, Fault> {
    let wanted = |what: &str| unfit(keep, what);
    let value = value.ok_or_else(|| wanted("is missing"))?;
    let number: f64 = value
        .parse()
        .map_err(|_| wanted(&format!("is {}", Shape::of(value).name())))?;
    // Whole numbers are exact up to 2⁵³. For numbers with a fraction, users do not expect more digits than a float has.
    let exact = number.is_finite() && (number.fract() != 0.0 || number.abs() <= MOST_EXACT);
    if exact {
        Ok(number)
    } else {
        Err(wanted(&format!(
            "is {}, which is too large to compare exactly",
            cut(value)
        )))
    }
}

/// The largest number up to which every whole number has its own float.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Parses a time: a number of seconds (or milli-, micro-, nanoseconds, depending on its size) since 1970, or a date or time as in
/// RFC 3339, ISO 8601 or RFC 2822. A time without an offset is in UTC.
fn time(value: Option<&str>, keep: &Keep) -> Result<u64, Fault> {
    let wanted = |what: &str| unfit(keep, what);
    let value = value.ok_or_else(|| wanted("is missing"))?;
    let stamp = match (value.parse::<i128>(), value.parse::<f64>()) {
        (Ok(whole), _) => whole.checked_mul(unit(whole as f64)),
        (_, Ok(number)) => Some((number * unit(number) as f64) as i128),
        _ => {
            let text = serde_json::from_str::<String>(value)
                .map_err(|_| wanted(&format!("is {}", Shape::of(value).name())))?;
            moment(text.trim())
        }
    };
    stamp
        .and_then(|stamp| i64::try_from(stamp).ok())
        .map(time_key)
        .ok_or_else(|| {
            wanted(&format!(
                "is {}, which is not a time in a known format",
                cut(value)
            ))
        })
}

/// Returns how many nanoseconds the unit of a timestamp has. If the number, read as seconds, gives a date up to the year 5138,
/// the unit is a second. For larger numbers, the unit is chosen so that the date is near the present.
fn unit(number: f64) -> i128 {
    match number.abs() {
        size if size < 1e11 => 1_000_000_000,
        size if size < 1e14 => 1_000_000,
        size if size < 1e17 => 1_000,
        _ => 1,
    }
}

fn moment(text: &str) -> Option<i128> {
    use jiff::{Timestamp, civil::DateTime, fmt::rfc2822, tz::TimeZone};
    let stamp = text.parse::<Timestamp>().ok();
    let civil = || {
        let whole = match text.len() {
            4 => format!("{text}-01-01"),
            7 => format!("{text}-01"),
            _ => text.into(),
        };
        whole
            .parse::<DateTime>()
            .ok()?
            .to_zoned(TimeZone::UTC)
            .ok()
            .map(|zoned| zoned.timestamp())
    };
    let letter = || rfc2822::parse(text).ok().map(|zoned| zoned.timestamp());
    stamp
        .or_else(civil)
        .or_else(letter)
        .map(|stamp| stamp.as_nanosecond())
}
