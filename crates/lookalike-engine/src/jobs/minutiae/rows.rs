//! Reads the rows of a CSV file as prints: each row is one minutia, and all rows of the file with the same id are one print.

use std::collections::BTreeMap;

use lookalike::shown::quoted;
use lookalike_io::{
    error::{Error, Result, Setting, Words},
    read::Paths,
    words,
};
use serde_json::value::RawValue;

use super::{
    card::{Card, Cards},
    gathered::Gathered,
};
use crate::config::RunConfig;

/// The columns with numbers.
const NUMBERS: [&str; 3] = ["x", "y", "angle"];

/// The rows of the current file.
pub(super) struct Rows<'a> {
    config: &'a RunConfig,
    asked: &'a Cards,
    /// Finds the id, the three numbers, then the label and the value that prints must share, if these are used.
    paths: Paths,
    names: Vec<&'a str>,
    /// The file that is being read, and the numbers of its prints by their ids.
    part: Option<usize>,
    by_id: BTreeMap<String, usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(config: &'a RunConfig, asked: &'a Cards) -> Self {
        let optional = [config.label_field.as_deref(), asked.within.as_deref()];
        let names: Vec<&str> = [config.id_field.as_str()]
            .into_iter()
            .chain(NUMBERS)
            .chain(optional.into_iter().flatten())
            .collect();
        let paths = Paths::new(names.iter().map(|&name| name.to_owned()));
        Self {
            config,
            asked,
            paths,
            names,
            part: None,
            by_id: BTreeMap::new(),
        }
    }

    /// Prepares for a row of a file: checks the columns if the file is another than that of the row before. Ids of different files
    /// are different prints.
    ///
    /// # Errors
    /// Fails if a column is missing.
    pub(super) fn begin(&mut self, part: usize, row: &[u8]) -> Result<()> {
        if self.part == Some(part) {
            return Ok(());
        }
        (self.part, self.by_id) = (Some(part), BTreeMap::new());
        let found = self.paths.find(row)?;
        let Some(missing) = (0..self.names.len()).find(|&at| found[at].is_none()) else {
            return Ok(());
        };
        let columns: Vec<String> = Paths::names_in(row)
            .iter()
            .map(|name| quoted(name))
            .collect();
        let name = self.names[missing];
        let what = format!(
            "no column {}; the columns are {}",
            quoted(name),
            columns.join(", ")
        );
        let named = |option: Setting| words!["name one with ", option];
        let advice = match missing {
            0 => words![
                "the rows with the same id are a print; ",
                named(Setting("id_field"))
            ],
            1..=3 => "each row is a minutia, and must have the columns x, y and angle".into(),
            4 if self.config.label_field.is_some() => named(Setting("label_field")),
            _ => named(Setting("within")),
        };
        Err(Error::record(what).in_field(name).advise(advice))
    }

    /// Adds a row, given as a JSON object of strings, to its print.
    ///
    /// # Errors
    /// Fails if the row has no id, or numbers that are not those of a minutia, or if it contradicts an earlier row of its print.
    pub(super) fn add(&mut self, row: &[u8], all: &mut Gathered) -> Result<()> {
        let found = self.paths.find(row)?;
        let values = found
            .iter()
            .map(|&value| text(value))
            .collect::<Result<Vec<String>>>()?;
        if values[0].is_empty() {
            let wrong = Error::record(format!("field {} is empty", quoted(self.names[0])))
                .in_field(self.names[0]);
            return Err(
                wrong.advise("each row needs the id of the print to which the minutia belongs")
            );
        }
        let mut others = values[4..]
            .iter()
            .cloned()
            .map(|value| Some(value).filter(|value| !value.is_empty()));
        let label = self
            .config
            .label_field
            .as_ref()
            .and_then(|_| others.next().flatten());
        let within = self
            .asked
            .within
            .as_ref()
            .and_then(|_| others.next().flatten());
        let number = match self.by_id.get(&values[0]) {
            Some(&number) => number,
            None => {
                let id = found[0].unwrap_or(RawValue::NULL).to_owned();
                let number = all.push(Card {
                    id,
                    minutiae: Vec::new(),
                    within: within.clone(),
                    label: label.clone(),
                })?;
                self.by_id.insert(values[0].clone(), number);
                number
            }
        };
        let card = &mut all.cards[number];
        for (at, (here, before)) in [(label, &card.label), (within, &card.within)]
            .into_iter()
            .enumerate()
        {
            if here != *before {
                let names = [
                    self.config.label_field.as_deref(),
                    self.asked.within.as_deref(),
                ];
                return Err(contradiction(
                    names[at].unwrap_or_default(),
                    here,
                    before.clone(),
                    &values[0],
                ));
            }
        }
        // A row without numbers is a print in which no minutia was found.
        if values[1..4].iter().any(|value| !value.is_empty()) {
            let mut numbers = [0.0; 3];
            for (at, number) in numbers.iter_mut().enumerate() {
                *number = self.number(NUMBERS[at], &values[at + 1])?;
            }
            card.minutiae.push(self.asked.minutia(numbers));
        }
        Ok(())
    }

    fn number(&self, column: &str, value: &str) -> Result<f64> {
        let advice = match value.trim().parse::<f64>() {
            Ok(number) if self.asked.is_possible(column, number) => return Ok(number),
            Ok(number) if number.is_finite() => self.asked.advice(column),
            _ => Words::from("a number is needed; if the minutia is unknown, leave out the row"),
        };
        let shown = if value.is_empty() {
            "empty".to_owned()
        } else {
            quoted(value)
        };
        Err(
            Error::record(format!("field {} is {shown}", quoted(column)))
                .in_field(column)
                .advise(advice),
        )
    }
}

/// Returns the text of a cell, which is a JSON string.
fn text(value: Option<&RawValue>) -> Result<String> {
    let text = value.map_or(Ok(String::new()), |value| serde_json::from_str(value.get()));
    text.map_err(|error| Error::failure(error.to_string()))
}

fn contradiction(field: &str, here: Option<String>, before: Option<String>, id: &str) -> Error {
    let shown =
        |value: Option<String>| value.map_or("empty".into(), |value| quoted(&value).to_string());
    let (here, before) = (shown(here), shown(before));
    let wrong = Error::record(format!(
        "field {} is {here}, but {before} in an earlier row of the print {}",
        quoted(field),
        quoted(id)
    ));
    wrong
        .in_field(field)
        .advise("all rows of a print must have the same value")
}
