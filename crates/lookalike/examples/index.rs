//! An in-memory index of near-duplicates: texts arrive one at a time, and each is looked up before it is added.
//!
//! `cargo run -p lookalike --example index`

use std::collections::BTreeMap;

use lookalike::{Dedup, Method, Scratch, verify::Overlap};

/// An index of texts by their band keys. Two texts that share the key of a band are candidates; then their sets are compared.
struct Index {
    method: Method,
    scratch: Scratch,
    /// Maps (band, key) to texts.
    buckets: BTreeMap<(usize, u32), Vec<usize>>,
    documents: Vec<Document>,
}

struct Document {
    id: String,
    bits: Vec<u8>,
    set: Vec<u64>,
}

impl Index {
    fn new(method: Method) -> Self {
        Self {
            method,
            scratch: Scratch::default(),
            buckets: BTreeMap::new(),
            documents: Vec::new(),
        }
    }

    /// Adds a text. Returns the ids of the texts it resembles, the most similar first.
    fn add(&mut self, id: &str, text: &str) -> Vec<(String, f64)> {
        self.method.sketch(text, &mut self.scratch);
        let (keys, bits) = (self.scratch.keys.clone(), self.scratch.bits.clone());
        self.method.set(text, &mut self.scratch);
        let set = self.scratch.fingerprints.clone();

        let mut candidates: Vec<usize> = Vec::new();
        for place in keys.iter().copied().enumerate() {
            candidates.extend(self.buckets.get(&place).into_iter().flatten());
            // An empty text resembles nothing.
            if !set.is_empty() {
                self.buckets
                    .entry(place)
                    .or_default()
                    .push(self.documents.len());
            }
        }
        candidates.sort_unstable();
        candidates.dedup();

        let mut found = Vec::new();
        for document in candidates
            .into_iter()
            .map(|candidate| &self.documents[candidate])
        {
            // A comparison of 128 bytes rules out most false candidates before their sets are compared.
            if self.method.agree(&bits, &document.bits) {
                let resemblance = Overlap::of(&set, &document.set).resemblance();
                if resemblance >= self.method.config().threshold {
                    found.push((document.id.clone(), resemblance));
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        self.documents.push(Document {
            id: id.into(),
            bits,
            set,
        });
        found
    }
}

fn main() -> lookalike::Result<()> {
    let mut index = Index::new(Dedup::new().threshold(0.7).method()?);
    let body = (0..200)
        .map(|i| format!("word{} ", i * i % 97))
        .collect::<String>();
    for (id, text) in [
        ("first", body.clone()),
        (
            "other",
            (0..200).map(|i| format!("term{} ", i * i % 89)).collect(),
        ),
        ("edited", body.replacen("word4 ", "changed ", 3)),
        ("copy", body.to_uppercase()),
    ] {
        let found = index.add(id, &text);
        let found: Vec<String> = found
            .iter()
            .map(|(id, resemblance)| format!("{id} {resemblance:.2}"))
            .collect();
        println!(
            "{id}: {}",
            if found.is_empty() {
                "new".into()
            } else {
                format!("like {}", found.join(", "))
            }
        );
    }
    Ok(())
}
