//! Writes dates, times and durations as ISO 8601 strings in UTC, and intervals in words. The form is that of Arrow's own writers.

use std::{fmt::Arguments, io::Write as _};

use arrow_array::{
    Array,
    cast::AsArray,
    types::{
        Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType,
        DurationNanosecondType, DurationSecondType, IntervalDayTimeType, IntervalMonthDayNanoType,
        IntervalYearMonthType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
        Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
        TimestampNanosecondType, TimestampSecondType,
    },
};
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano};
use arrow_schema::{ArrowError, DataType, IntervalUnit, TimeUnit};

use super::value::{Result, Write};

/// Returns the function that writes the values of an array, or none if the array's type is not a date, a time, a duration or an
/// interval.
pub(super) fn written(array: &dyn Array) -> Option<Write<'_>> {
    /// Converts each value and writes it in a format. The conversion may fail.
    macro_rules! times {
        ($kind:ty, $as:ident, $form:literal) => {{
            let array = array.as_primitive::<$kind>();
            Box::new(move |at, out: &mut Vec<u8>| {
                let value = array
                    .$as(at)
                    .ok_or_else(|| too_far(array.value(at), array.data_type()))?;
                quote(format_args!($form, value), out)
            })
        }};
    }
    macro_rules! stamps {
        ($kind:ty, $zone:expr) => {
            if $zone.is_some() {
                times!($kind, value_as_datetime, "{:?}Z")
            } else {
                times!($kind, value_as_datetime, "{:?}")
            }
        };
    }
    macro_rules! intervals {
        ($kind:ty, $words:expr) => {{
            let array = array.as_primitive::<$kind>();
            Box::new(move |at, out: &mut Vec<u8>| {
                quote(format_args!("{}", $words(array.value(at))), out)
            })
        }};
    }
    let written: Write<'_> = match array.data_type() {
        DataType::Date32 => times!(Date32Type, value_as_date, "{:?}"),
        DataType::Date64 => times!(Date64Type, value_as_datetime, "{:?}"),
        DataType::Time32(TimeUnit::Second) => times!(Time32SecondType, value_as_time, "{:?}"),
        DataType::Time32(_) => times!(Time32MillisecondType, value_as_time, "{:?}"),
        DataType::Time64(TimeUnit::Microsecond) => {
            times!(Time64MicrosecondType, value_as_time, "{:?}")
        }
        DataType::Time64(_) => times!(Time64NanosecondType, value_as_time, "{:?}"),
        DataType::Timestamp(TimeUnit::Second, zone) => stamps!(TimestampSecondType, zone),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => stamps!(TimestampMillisecondType, zone),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => stamps!(TimestampMicrosecondType, zone),
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => stamps!(TimestampNanosecondType, zone),
        DataType::Duration(TimeUnit::Second) => times!(DurationSecondType, value_as_duration, "{}"),
        DataType::Duration(TimeUnit::Millisecond) => {
            times!(DurationMillisecondType, value_as_duration, "{}")
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            times!(DurationMicrosecondType, value_as_duration, "{}")
        }
        DataType::Duration(TimeUnit::Nanosecond) => {
            times!(DurationNanosecondType, value_as_duration, "{}")
        }
        DataType::Interval(IntervalUnit::YearMonth) => intervals!(IntervalYearMonthType, years),
        DataType::Interval(IntervalUnit::DayTime) => {
            intervals!(IntervalDayTimeType, |value: IntervalDayTime| words(
                0,
                value.days,
                value.milliseconds.into(),
                3
            ))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let parts =
                |value: IntervalMonthDayNano| words(value.months, value.days, value.nanoseconds, 9);
            intervals!(IntervalMonthDayNanoType, parts)
        }
        _ => return None,
    };
    Some(written)
}

fn quote(what: Arguments<'_>, out: &mut Vec<u8>) -> Result<()> {
    Ok(write!(out, "\"{what}\"")?)
}

/// Returns the error for a `value` beyond the years that can be represented.
fn too_far(value: impl Into<i64>, kind: &DataType) -> ArrowError {
    ArrowError::JsonError(format!("{} is out of range for {kind}", value.into()))
}

fn years(months: i32) -> String {
    format!(
        "{} years {} mons",
        months.div_euclid(12),
        months.rem_euclid(12)
    )
}

/// Returns an interval in words, with this number of digits for fractions of a second.
fn words(months: i32, days: i32, time: i64, digits: usize) -> String {
    let second = 10i64.pow(digits as u32);
    let (minutes, seconds) = (time / second / 60, time / second % 60);
    let (hours, minutes, part) = (minutes / 60, minutes % 60, time % second);
    let named = [
        (i64::from(months), "mons"),
        (i64::from(days), "days"),
        (hours, "hours"),
        (minutes, "mins"),
    ];
    let mut said = named
        .iter()
        .filter(|(count, _)| *count != 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect::<Vec<_>>();
    if seconds != 0 || part != 0 {
        let sign = if time < 0 { "-" } else { "" };
        said.push(format!(
            "{sign}{}.{:0digits$} secs",
            seconds.abs(),
            part.abs()
        ));
    }
    if said.is_empty() {
        "0 secs".into()
    } else {
        said.join(" ")
    }
}
