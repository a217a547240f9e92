//! Writes ids, labels and values for the keep order (the order in which documents are considered) as JSON.

use std::fmt::Write;

use arrow_array::{
    Array, ArrayRef, PrimitiveArray,
    cast::AsArray,
    types::{
        ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
        Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
        Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
        TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
        UInt64Type,
    },
};
use arrow_schema::{DataType, TimeUnit};
use jiff::{Timestamp, tz::TimeZone};

/// Returns whether a type's values can be ids, labels, or keys of the keep order.
pub(super) fn is_value(own: &DataType) -> bool {
    match own {
        DataType::Dictionary(_, values) => is_value(values),
        DataType::RunEndEncoded(_, values) => is_value(values.data_type()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => true,
        other => other.is_numeric(),
    }
}

/// Appends a value that is not null as a JSON string or number. Returns false if JSON cannot represent it: a number that is not
/// finite, a time beyond the year 9999, bytes that are not UTF-8.
pub(super) fn write_json(array: &ArrayRef, row: usize, out: &mut String) -> bool {
    match array.data_type() {
        DataType::Int8 => integer::<Int8Type>(array, row, out),
        DataType::Int16 => integer::<Int16Type>(array, row, out),
        DataType::Int32 => integer::<Int32Type>(array, row, out),
        DataType::Int64 => integer::<Int64Type>(array, row, out),
        DataType::UInt8 => integer::<UInt8Type>(array, row, out),
        DataType::UInt16 => integer::<UInt16Type>(array, row, out),
        DataType::UInt32 => integer::<UInt32Type>(array, row, out),
        DataType::UInt64 => integer::<UInt64Type>(array, row, out),
        DataType::Float16 => float32(array.as_primitive::<Float16Type>().value(row).to_f32(), out),
        DataType::Float32 => float32(array.as_primitive::<Float32Type>().value(row), out),
        DataType::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(row);
            value.is_finite() && push(out, serde_json::to_string(&value))
        }
        DataType::Decimal32(..) => decimal::<Decimal32Type>(array, row, out),
        DataType::Decimal64(..) => decimal::<Decimal64Type>(array, row, out),
        DataType::Decimal128(..) => decimal::<Decimal128Type>(array, row, out),
        DataType::Decimal256(..) => decimal::<Decimal256Type>(array, row, out),
        DataType::Date32 => date(
            i64::from(array.as_primitive::<Date32Type>().value(row)).checked_mul(86_400_000),
            out,
        ),
        DataType::Date64 => date(Some(array.as_primitive::<Date64Type>().value(row)), out),
        DataType::Timestamp(unit, zone) => {
            let time = match unit {
                TimeUnit::Second => {
                    Timestamp::from_second(array.as_primitive::<TimestampSecondType>().value(row))
                }
                TimeUnit::Millisecond => Timestamp::from_millisecond(
                    array.as_primitive::<TimestampMillisecondType>().value(row),
                ),
                TimeUnit::Microsecond => Timestamp::from_microsecond(
                    array.as_primitive::<TimestampMicrosecondType>().value(row),
                ),
                TimeUnit::Nanosecond => Timestamp::from_nanosecond(i128::from(
                    array.as_primitive::<TimestampNanosecondType>().value(row),
                )),
            };
            time.is_ok_and(|time| match zone {
                Some(_) => write!(out, "\"{time}\"").is_ok(),
                None => write!(out, "\"{}\"", time.to_zoned(TimeZone::UTC).datetime()).is_ok(),
            })
        }
        _ => false,
    }
}

/// Describes a number that is not finite.
pub(super) fn not_finite(array: &ArrayRef, row: usize) -> &'static str {
    let is_nan = match array.data_type() {
        DataType::Float16 => array.as_primitive::<Float16Type>().value(row).is_nan(),
        DataType::Float32 => array.as_primitive::<Float32Type>().value(row).is_nan(),
        _ => array.as_primitive::<Float64Type>().value(row).is_nan(),
    };
    if is_nan { "NaN" } else { "infinite" }
}

fn integer<T: ArrowPrimitiveType<Native: std::fmt::Display>>(
    array: &ArrayRef,
    row: usize,
    out: &mut String,
) -> bool {
    write!(out, "{}", array.as_primitive::<T>().value(row)).is_ok()
}

fn float32(value: f32, out: &mut String) -> bool {
    value.is_finite() && push(out, serde_json::to_string(&value))
}

fn decimal<T: DecimalType>(array: &ArrayRef, row: usize, out: &mut String) -> bool {
    out.push_str(&decimal_text(array.as_primitive::<T>(), row));
    true
}

/// Returns a decimal as a JSON number, with all its digits.
pub(super) fn decimal_text<T: DecimalType>(array: &PrimitiveArray<T>, row: usize) -> String {
    let text = array.value_as_string(row);
    // For a negative scale, arrow writes zero as several zeros, such as 000, which JSON does not allow.
    let is_zero = array.scale() < 0 && text.bytes().all(|digit| digit == b'0');
    if is_zero { "0".into() } else { text }
}

fn date(millis: Option<i64>, out: &mut String) -> bool {
    let time = millis.and_then(|millis| Timestamp::from_millisecond(millis).ok());
    time.is_some_and(|time| write!(out, "\"{}\"", time.to_zoned(TimeZone::UTC).date()).is_ok())
}

fn push(out: &mut String, value: serde_json::Result<String>) -> bool {
    value.is_ok_and(|value| {
        out.push_str(&value);
        true
    })
}

/// Appends a string in the form that `serde_json` writes.
pub(super) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[plain..at]);
        plain = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            other => _ = write!(out, "\\u{other:04x}"),
        }
    }
    out.push_str(&text[plain..]);
    out.push('"');
}
