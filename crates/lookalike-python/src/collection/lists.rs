//! Converts lists of Python objects to Arrow. Values that a document cannot have are refused with their row number, from 0.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{
    ArrayRef, Float64Array, Int64Array, LargeStringArray, builder::LargeStringBuilder,
};
use arrow_schema::{DataType, Field};
use lookalike::shown::quoted;
use lookalike_engine::JSON;
use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};

use crate::{
    error::{Known, raise_with},
    items::sound,
};

/// The number of rows between two checks for signals.
const STRETCH: usize = 1 << 16;

/// The largest number of levels of lists and dictionaries in a value.
const DEEPEST: usize = 100;

/// The list of a column, and the names of the collection and the column for messages.
pub struct List<'a, 'py> {
    pub called: &'a str,
    pub name: &'a str,
    pub items: &'a Bound<'py, PyList>,
    /// Whether an unreadable value becomes null and is skipped, instead of causing an error.
    pub skip_bad: bool,
}

/// The type of the values of a column other than the text column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Strings,
    /// Integers of 64 bits.
    Integers,
    Floats,
    /// A mixture of these types, or integers that need more than 64 bits. Each value is stored as JSON, so that 1 and "1" remain
    /// distinct.
    Mixed,
}

impl List<'_, '_> {
    /// Copies texts, from row `start`, until the copies have at least `bytes` bytes. Returns the copies, and the row after the
    /// last copied one.
    ///
    /// # Errors
    /// Fails with `RecordError` if a value is not a string, or is a string with a lone surrogate.
    pub fn texts(&self, start: usize, bytes: usize) -> PyResult<(LargeStringArray, usize)> {
        let mut builder = LargeStringBuilder::new();
        let mut row = start;
        while row < self.items.len() && builder.values_slice().len() < bytes {
            if row.is_multiple_of(STRETCH) {
                self.items.py().check_signals()?;
            }
            let item = self.items.get_item(row)?;
            let Ok(text) = item.cast::<PyString>() else {
                if self.skip_bad {
                    builder.append_null();
                    row += 1;
                    continue;
                }
                let what = format!(
                    "{}, not a text; give a string, or leave the row out",
                    described(&item)?
                );
                return Err(self.refused(row, "is", &what));
            };
            match self.with(row, text, |text| builder.append_value(text)) {
                Err(_) if self.skip_bad => builder.append_null(),
                other => other?,
            }
            row += 1;
        }
        Ok((builder.finish(), row))
    }

    /// Returns strings and numbers as a column of their own type, with nulls for missing values.
    ///
    /// # Errors
    /// Fails with `RecordError` if a value is neither a string nor a number.
    pub fn column(&self) -> PyResult<(Field, ArrayRef)> {
        let rows = 0..self.items.len();
        let mut kind = None;
        for row in rows.clone() {
            if let Some(own) = self
                .item(row)?
                .map(|item| self.kind(row, &item))
                .transpose()?
            {
                kind = Some(kind.map_or(own, |kind| if kind == own { own } else { Kind::Mixed }));
            }
        }
        let kind = kind.unwrap_or(Kind::Strings);
        let column: ArrayRef = match kind {
            Kind::Strings | Kind::Mixed => {
                let mut builder = LargeStringBuilder::new();
                for row in rows {
                    match self.item(row)? {
                        None => builder.append_null(),
                        Some(item) => match item.cast::<PyString>() {
                            Ok(text) if kind == Kind::Strings => {
                                self.with(row, text, |text| builder.append_value(text))?
                            }
                            Ok(text) => self.with(row, text, |text| {
                                builder.append_value(serde_json::Value::from(text).to_string())
                            })?,
                            Err(_) => builder.append_value(self.number(row, &item)?),
                        },
                    }
                }
                Arc::new(builder.finish())
            }
            Kind::Integers => {
                let numbers =
                    rows.map(|row| self.item(row)?.map(|item| item.extract()).transpose());
                Arc::new(
                    numbers
                        .collect::<PyResult<Vec<Option<i64>>>>()
                        .map(Int64Array::from)?,
                )
            }
            Kind::Floats => {
                let numbers =
                    rows.map(|row| self.item(row)?.map(|item| item.extract()).transpose());
                Arc::new(
                    numbers
                        .collect::<PyResult<Vec<Option<f64>>>>()
                        .map(Float64Array::from)?,
                )
            }
        };
        let field = Field::new(self.name, column.data_type().clone(), true);
        let metadata = HashMap::from([(JSON.to_owned(), String::new())]);
        Ok((
            if kind == Kind::Mixed {
                field.with_metadata(metadata)
            } else {
                field
            },
            column,
        ))
    }

    /// Returns values of any type as a column of JSON, with nulls for missing values: dictionaries become objects, lists become
    /// arrays, times become ISO 8601 strings.
    ///
    /// # Errors
    /// Fails with `RecordError` if JSON cannot represent a value.
    pub fn json_column(&self) -> PyResult<(Field, ArrayRef)> {
        let (mut builder, mut json) = (LargeStringBuilder::new(), String::new());
        for row in 0..self.items.len() {
            if row.is_multiple_of(STRETCH) {
                self.items.py().check_signals()?;
            }
            json.clear();
            match plain(self.items.get_item(row)?)? {
                None => builder.append_null(),
                Some(item) => {
                    self.write(row, &item, DEEPEST, &mut json)?;
                    builder.append_value(&json);
                }
            }
        }
        Ok((text_field(self.name, true), Arc::new(builder.finish())))
    }

    /// Appends a value as JSON. A value has at most `levels` levels of lists and dictionaries.
    fn write(
        &self,
        row: usize,
        item: &Bound<'_, PyAny>,
        levels: usize,
        out: &mut String,
    ) -> PyResult<()> {
        if let Ok(text) = item.cast::<PyString>() {
            return self.with(row, text, |text| {
                out.push_str(&serde_json::Value::from(text).to_string())
            });
        }
        if let Ok(is) = item.cast::<PyBool>() {
            out.push_str(if is.is_true() { "true" } else { "false" });
            return Ok(());
        }
        if item.is_instance_of::<PyInt>() || item.is_instance_of::<PyFloat>() || is_decimal(item)? {
            out.push_str(&self.number(row, item)?);
            return Ok(());
        }
        let Some(levels) = levels.checked_sub(1) else {
            return Err(self.refused(
                row,
                "has",
                &format!("more than {DEEPEST} levels of lists and dictionaries"),
            ));
        };
        // Each kind of container is a sequence of values, which have names in a dictionary.
        let (begin, end, values) = match item.cast::<PyDict>() {
            Ok(named) => ('{', '}', named.items().try_iter()?),
            Err(_) if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() => {
                ('[', ']', item.try_iter()?)
            }
            Err(_) if item.hasattr("dtype")? && item.hasattr("tolist")? => (
                '[',
                ']',
                sound(self.name, item)?.call_method0("tolist")?.try_iter()?,
            ),
            Err(_) if item.hasattr("hex")? && item.hasattr("urn")? => {
                // A UUID.
                out.push_str(&serde_json::Value::from(item.str()?.to_str()?).to_string());
                return Ok(());
            }
            Err(_) => {
                let what = format!(
                    "{}, which JSON does not have; write it as a string or a number",
                    described(item)?
                );
                return Err(self.refused(row, "has a value", &what));
            }
        };
        let mut before = begin;
        for value in values {
            let mut value = value?;
            out.push(before);
            before = ',';
            if begin == '{' {
                let (name, inner) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
                let Ok(name) = name.cast_into::<PyString>() else {
                    return Err(self.refused(
                        row,
                        "has",
                        "a dictionary with a key that is not a str; use strings as keys",
                    ));
                };
                self.with(row, &name, |name| {
                    out.push_str(&format!("{}:", serde_json::Value::from(name)))
                })?;
                value = inner;
            }
            match plain(value)? {
                None => out.push_str("null"),
                Some(value) => self.write(row, &value, levels, out)?,
            }
        }
        if before == begin {
            out.push(begin);
        }
        out.push(end);
        Ok(())
    }

    /// Returns a value as a plain Python object, or `None` if it is a missing value (None, NA, NaT or nan).
    fn item(&self, row: usize) -> PyResult<Option<Bound<'_, PyAny>>> {
        plain(self.items.get_item(row)?)
    }

    fn kind(&self, row: usize, item: &Bound<'_, PyAny>) -> PyResult<Kind> {
        if item.is_instance_of::<PyString>() {
            Ok(Kind::Strings)
        } else if item.is_instance_of::<PyInt>() && !item.is_instance_of::<PyBool>() {
            Ok(if item.extract::<i64>().is_ok() {
                Kind::Integers
            } else {
                Kind::Mixed
            })
        } else if item.is_instance_of::<PyFloat>() {
            Ok(Kind::Floats)
        } else if is_decimal(item)? {
            Ok(Kind::Mixed)
        } else {
            let what = format!(
                "{}, not a string, a number or a time; write it as a string, or name another column",
                described(item)?
            );
            Err(self.refused(row, "is", &what))
        }
    }

    /// Returns a number as JSON.
    fn number(&self, row: usize, item: &Bound<'_, PyAny>) -> PyResult<String> {
        let refused = |_| {
            self.refused(
                row,
                "is",
                "a number that JSON cannot represent; write it as a string, or name another \
                                                   column",
            )
        };
        if is_decimal(item)? {
            return if item.call_method0("is_finite")?.is_truthy()? {
                item.str()?.extract()
            } else {
                Err(refused(()))
            };
        }
        match item.cast::<PyFloat>() {
            Ok(number) if number.value().is_finite() => {
                serde_json::to_string(&number.value()).map_err(|_| refused(()))
            }
            Ok(_) => Err(refused(())),
            // Use `int.__repr__`, because a subclass may override `__repr__`. The call fails for an integer with thousands of
            // digits, because Python refuses to convert it to text.
            Err(_) => item
                .py()
                .get_type::<PyInt>()
                .call_method1("__repr__", (item,))
                .map_err(|_| refused(()))?
                .extract(),
        }
    }

    /// Calls `take` with the characters of a string.
    fn with(
        &self,
        row: usize,
        text: &Bound<'_, PyString>,
        take: impl FnOnce(&str),
    ) -> PyResult<()> {
        // For a non-ASCII string, `to_str` would make Python keep the UTF-8 bytes for as long as the string exists.
        if text.call_method0("isascii")?.is_truthy()? {
            take(text.to_str()?);
            return Ok(());
        }
        let encoded = text.encode_utf8().map_err(|_| {
            let what = "half of a character (a lone surrogate such as \\ud83d), which is not valid text; fix it, for instance \
                        with .encode(\"utf-8\", \"replace\").decode()";
            self.refused(row, "has", what)
        })?;
        if let Ok(text) = std::str::from_utf8(encoded.as_bytes()) {
            take(text);
        }
        Ok(())
    }

    fn refused(&self, row: usize, verb: &str, what: &str) -> PyErr {
        let words = format!(
            "{} row {row}: field {} {verb} {what}",
            self.called,
            quoted(self.name)
        );
        let (path, line, field) = (Some(self.called), Some(row as u64), Some(self.name));
        raise_with(
            "RecordError",
            words,
            &Known {
                path,
                line,
                field,
                ..Known::default()
            },
        )
    }
}

/// Returns a value as a plain Python object, or `None` if it is a missing value (None, NA, NaT or nan).
fn plain(item: Bound<'_, PyAny>) -> PyResult<Option<Bound<'_, PyAny>>> {
    if item.is_none() || matches!(&*item.get_type().name()?.to_string(), "NAType" | "NaTType") {
        return Ok(None);
    }
    // Convert numpy scalars to Python values.
    let is_array = || {
        item.getattr("ndim")
            .and_then(|ndim| ndim.extract::<usize>())
            .is_ok_and(|ndim| ndim > 0)
    };
    let is_scalar = item.hasattr("dtype")? && item.hasattr("item")? && !is_array();
    let item = if is_scalar {
        item.call_method0("item")?
    } else {
        item
    };
    // Convert times to ISO 8601 strings, as JSON libraries do.
    let item = if item.hasattr("isoformat")? {
        item.call_method0("isoformat")?
    } else {
        item
    };
    let is_nan = item
        .cast::<PyFloat>()
        .is_ok_and(|number| number.value().is_nan());
    Ok((!is_nan).then_some(item))
}

/// Returns whether a value is a Python `decimal.Decimal`.
fn is_decimal(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    item.is_instance(&item.py().import("decimal")?.getattr("Decimal")?)
}

/// Describes a value, for messages.
fn described(item: &Bound<'_, PyAny>) -> PyResult<String> {
    if item.is_none() {
        return Ok("None".into());
    }
    Ok(format!("of the type {}", item.get_type().name()?))
}

/// Returns the field of the text column. With `sets`, the values are JSON arrays and are written unchanged.
pub fn text_field(name: &str, sets: bool) -> Field {
    let metadata = HashMap::from([(JSON.to_owned(), String::new())]);
    if sets {
        nothing(name).with_metadata(metadata)
    } else {
        nothing(name)
    }
}

/// Returns a nullable field of strings, which also fits a column without any values.
pub fn nothing(name: &str) -> Field {
    Field::new(name, DataType::LargeUtf8, true)
}
