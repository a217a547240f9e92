//! Reads a JSON record as a print (the image of one finger): its id, its minutiae, its label, and the value that prints must share
//! to be compared.

use std::collections::BTreeMap;

use lookalike::shown::{cut, quoted};
use lookalike_applications::minutiae::Minutia;
use lookalike_io::{
    error::{Error, Place, Result, Setting, Words},
    read::Shape,
    words,
};
use serde_json::{Value, value::RawValue};

use super::comparing::Comparison;
use crate::{config::RunConfig, pass::lines::parse};

/// How prints are stored in their records, how they are compared, and which results are wanted.
#[derive(Debug, Clone)]
pub struct Cards {
    /// The field with the minutiae.
    pub minutiae_field: String,
    /// The values of a minutia, in order. `x`, `y` and `angle` are read, and any others are ignored.
    pub columns: Vec<String>,
    /// A full turn in the unit of the angles.
    pub turn: f64,
    /// Whether y grows upwards; otherwise it grows downwards. Angles grow counter-clockwise.
    pub upwards: bool,
    /// Compare only prints with equal values of this field.
    pub within: Option<String>,
    /// How prints are compared.
    pub by: Comparison,
    /// How many pairs are written.
    pub first: First,
}

/// The number of pairs that are wanted, as a share or as a count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum First {
    /// A share of all pairs of prints.
    Share(f64),
    /// This number of pairs.
    Pairs(u64),
}

/// A print in memory, which the caller has instead of a record.
#[derive(Debug, Clone)]
pub struct Print {
    /// The id, a string or a number.
    pub id: Value,
    /// The values of each minutia, in the order of [`Cards::columns`].
    pub minutiae: Vec<Vec<f64>>,
    /// The value that prints must share to be compared, if there is one.
    pub within: Option<String>,
    /// The label, if there is one.
    pub label: Option<String>,
}

/// A print.
#[derive(Debug)]
pub(super) struct Card {
    /// The id as written in the record.
    pub(super) id: Box<RawValue>,
    pub(super) minutiae: Vec<Minutia>,
    /// The value that prints must share to be compared; `None` if it is null or missing. Only its text counts, not its type, because
    /// CSV has no numbers: 7 and "7" are the same value.
    pub(super) within: Option<String>,
    /// The label, in the same form.
    pub(super) label: Option<String>,
}

/// The fields of a record.
type Record<'a> = BTreeMap<String, &'a RawValue>;

/// The maximum distance of a coordinate from the origin, in pixels.
const FARTHEST: f64 = 32_767.0;

impl Card {
    /// Reads a line; `place` names a print that has no id.
    pub(super) fn read(
        line: &[u8],
        config: &RunConfig,
        asked: &Cards,
        place: impl FnOnce() -> Place,
    ) -> Result<Self> {
        let record: Record = parse(
            line,
            "{\"id\": \"one\", \"minutiae\": [[120, 88, 64], [97, 130, 201]]}",
        )?;
        let id = match name(&record, &config.id_field, "an id", Setting("id_field"))? {
            Some(id) => id.to_owned(),
            None => serde_json::value::to_raw_value(&place().to_string())
                .map_err(|error| Error::failure(error.to_string()))?,
        };
        let optional =
            |field: &Option<String>, what: &str, option: Setting| -> Result<Option<String>> {
                match field {
                    None => Ok(None),
                    Some(field) => {
                        Ok(name(&record, field, what, option)?.map(|value| text_of(value.get())))
                    }
                }
            };
        let within = optional(&asked.within, "the value of this field", Setting("within"))?;
        let label = optional(&config.label_field, "a label", Setting("label_field"))?;
        Ok(Self {
            id,
            minutiae: minutiae(&record, asked)?,
            within,
            label,
        })
    }

    /// Returns whether both prints have a label, and the two labels are equal.
    pub(super) fn is_of_the_same(&self, other: &Self) -> bool {
        self.label.is_some() && self.label == other.label
    }
}

/// Returns the text of a string, or a number as written.
fn text_of(value: &str) -> String {
    serde_json::from_str(value).unwrap_or_else(|_| value.to_owned())
}

/// Returns the field with exactly this name. If there is no such field, the name is read as a dotted path into nested objects.
fn value<'a>(record: &Record<'a>, field: &str) -> Option<&'a RawValue> {
    let inside = |(at, _): (usize, &str)| {
        let object = serde_json::from_str(record.get(&field[..at])?.get()).ok()?;
        value(&object, &field[at + 1..])
    };
    record
        .get(field)
        .copied()
        .or_else(|| field.match_indices('.').find_map(inside))
}

/// Returns a field with a string or a number; `None` if it is null or missing.
fn name<'a>(
    record: &Record<'a>,
    field: &str,
    what: &str,
    option: Setting,
) -> Result<Option<&'a RawValue>> {
    let Some(value) = value(record, field).filter(|value| value.get() != "null") else {
        return Ok(None);
    };
    match Shape::of(value.get()) {
        shape if shape.is_name() => Ok(Some(value)),
        other => {
            let advice = format!(
                "{what} must be a string or a number; leave it out, or name another field with "
            );
            let wrong = Error::record(format!("field {} is {}", quoted(field), other.name()))
                .in_field(field);
            Err(wrong.advise(words![advice, option]))
        }
    }
}

/// The maximum number of field names in a message.
const SHOWN: usize = 12;

fn minutiae(record: &Record, asked: &Cards) -> Result<Vec<Minutia>> {
    let (field, shown) = (&asked.minutiae_field, quoted(&asked.minutiae_field));
    let Some(value) = value(record, field) else {
        let names: Vec<String> = record.keys().take(SHOWN).map(|name| quoted(name)).collect();
        let more = record.len().saturating_sub(SHOWN);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let has = if names.is_empty() {
            "no fields".into()
        } else {
            format!("the fields {}{more}", names.join(", "))
        };
        let wrong =
            Error::record(format!("no field {shown}; the record has {has}")).in_field(field);
        return Err(wrong.advise("name the field with the minutiae with $minutiae_field"));
    };
    let lists: Vec<Vec<Value>> = serde_json::from_str(value.get()).map_err(|_| {
        let is = match Shape::of(value.get()) {
            Shape::Array => not_lists(value.get()),
            other => other.name(),
        };
        let wrong = Error::record(format!("field {shown} is {is}")).in_field(field);
        wrong.advise(
            "it must be a list of lists of numbers, such as [[120, 88, 64], [97, 130, 201]]",
        )
    })?;
    let read = |(values, number): (&Vec<Value>, usize)| {
        minutia(values, asked, || {
            format!("field {shown}: minutia {number} ")
        })
        .map_err(|wrong| wrong.in_field(field))
    };
    lists.iter().zip(1..).map(read).collect()
}

/// Describes what is wrong with an array that is not a list of lists.
fn not_lists(array: &str) -> &'static str {
    match serde_json::from_str::<Vec<Value>>(array) {
        Ok(values) if values.iter().all(Value::is_number) => "a list of numbers",
        Ok(values) if !values.iter().any(Value::is_array) => "a list without lists in it",
        _ => "a list of lists and other values",
    }
}

impl Card {
    /// Makes a card of a print in memory.
    ///
    /// # Errors
    /// Fails if a minutia has other values than the columns say.
    pub(super) fn of_memory(print: Print, asked: &Cards) -> Result<Self> {
        let read = |(values, number): (Vec<f64>, usize)| {
            let values: Vec<Value> = values.into_iter().map(Value::from).collect();
            minutia(&values, asked, || format!("minutia {number} "))
        };
        let minutiae = print
            .minutiae
            .into_iter()
            .zip(1..)
            .map(read)
            .collect::<Result<_>>()?;
        let id = serde_json::value::to_raw_value(&print.id)
            .map_err(|error| Error::failure(error.to_string()))?;
        Ok(Self {
            id,
            minutiae,
            within: print.within,
            label: print.label,
        })
    }
}

/// Reads a minutia. The closure `which` returns the name of the minutia for error messages.
fn minutia(values: &[Value], asked: &Cards, which: impl Fn() -> String) -> Result<Minutia> {
    let columns = &asked.columns;
    if values.len() != columns.len() {
        let (count, names) = (
            format!("has {} values, but ", values.len()),
            cut(&columns.join(",")).into_owned(),
        );
        let what = words![
            which(),
            count,
            "$columns",
            format!(" names {} ({names})", columns.len())
        ];
        return Err(Error::record(what).advise("name all columns, such as type,x,y,angle,quality"));
    }
    let value = |column: &str| {
        let value = columns
            .iter()
            .position(|name| name == column)
            .and_then(|at| values.get(at))
            .unwrap_or(&Value::Null);
        match value.as_f64() {
            Some(number) if asked.is_possible(column, number) => Ok(number),
            Some(_) => Err(
                Error::record(words![which(), format!("has {value} for {column}")])
                    .advise(asked.advice(column)),
            ),
            None => {
                let what = format!(
                    "has {} for {column}, which is not a number",
                    cut(&value.to_string())
                );
                let advice = "name the columns in order with $columns";
                Err(Error::record(words![which(), what]).advise(advice))
            }
        }
    };
    Ok(asked.minutia([value("x")?, value("y")?, value("angle")?]))
}

impl Cards {
    /// Returns whether a number can be the x or y coordinate or the angle of a minutia.
    pub(super) fn is_possible(&self, column: &str, number: f64) -> bool {
        number.abs()
            <= if column == "angle" {
                self.turn
            } else {
                FARTHEST
            }
    }

    /// Returns advice for a number that cannot be a value of this column.
    pub(super) fn advice(&self, column: &str) -> Words {
        if column == "angle" {
            return words![
                format!("a turn is {}; give ", self.turn),
                "$turn=360 if angles are degrees"
            ];
        }
        words!["give pixels from -32767 to 32767, or name the columns in order with $columns"]
    }

    /// Returns the minutia with these coordinates and this angle.
    pub(super) fn minutia(&self, [x, y, angle]: [f64; 3]) -> Minutia {
        // In files, y grows downwards unless `upwards` is set, while angles grow counter-clockwise. In a `Minutia`, angles grow
        // from the x axis towards the y axis.
        let y = if self.upwards { y } else { -y };
        Minutia {
            x: whole(x),
            y: whole(y),
            angle: (whole(angle / self.turn * 256.0) & 255) as u8,
        }
    }
}

/// Rounds to the nearest whole number.
fn whole(number: f64) -> i32 {
    (number + 0.5).floor() as i32
}
