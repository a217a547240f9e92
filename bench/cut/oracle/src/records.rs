//! Reads collections and the file of cuts.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::tokens::{Token, Vocabulary};

/// Something that ended the program.
pub type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize)]
struct Record {
    id: Value,
    text: String,
}

/// The texts of a collection.
#[derive(Debug, Default)]
pub struct Collection {
    pub ids: Vec<String>,
    /// The tokens of each text.
    pub tokens: Vec<Vec<Token>>,
}

/// What `lookalike cut --cuts` says about a document.
#[derive(Deserialize)]
pub struct Cuts {
    pub id: Value,
    pub verdict: String,
    pub cuts: Vec<OneCut>,
}

/// One cut, in bytes of the original texts.
#[derive(Deserialize)]
pub struct OneCut {
    pub start_byte: u32,
    pub end_byte: u32,
    pub tokens: usize,
    pub source: Value,
    pub source_start_byte: u32,
    pub source_end_byte: u32,
}

impl Collection {
    /// Reads JSON Lines with the fields `id` and `text`.
    pub fn read(path: &Path, vocabulary: &mut Vocabulary) -> Result<Self, Failure> {
        let mut collection = Self::default();
        each_line(path, |Record { id, text }| {
            collection.ids.push(name(&id));
            collection.tokens.push(vocabulary.tokens(&text));
        })?;
        Ok(collection)
    }

    /// Returns the canonical forms of each text.
    pub fn forms(&self) -> Vec<Vec<u32>> {
        self.tokens
            .iter()
            .map(|tokens| tokens.iter().map(|token| token.form).collect())
            .collect()
    }

    /// Returns the number of each text by its id.
    pub fn numbers(&self) -> HashMap<&str, usize> {
        self.ids
            .iter()
            .enumerate()
            .map(|(number, id)| (id.as_str(), number))
            .collect()
    }
}

/// Returns an id as text.
pub fn name(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// Calls a function for each line of a file.
pub fn each_line<T: DeserializeOwned>(path: &Path, mut see: impl FnMut(T)) -> Result<(), Failure> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut line = String::new();
    while file.read_line(&mut line)? > 0 {
        see(serde_json::from_str(&line).map_err(|error| format!("{}: {error}", path.display()))?);
        line.clear();
    }
    Ok(())
}
