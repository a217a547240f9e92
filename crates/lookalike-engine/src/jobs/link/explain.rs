//! Explains why two records match or not.

use lookalike::shown::cut;
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    words,
};

use super::{
    asked::Link,
    beginning::{Begun, begin, check},
    fields::{LinkExplained, explained},
    reading::records::Gathered,
};
use crate::config::{RunConfig, UNOBSERVED};

/// Reads records and explains why two of them match or not. The two records are given by their ids. If there are two collections,
/// `a` is in the first and `b` is in the second.
///
/// # Errors
/// Fails for the same reasons as [`link`](crate::jobs::link::link); also if one of the ids belongs to no record, or if both ids
/// belong to the same record.
pub fn explain_link(config: &RunConfig, asked: &Link, [a, b]: [&str; 2]) -> Result<LinkExplained> {
    without_panic(|| {
        let linker = check(config, asked)?;
        let asked = Link {
            right_by: None,
            ..asked.clone()
        };
        let Begun {
            gathered, taught, ..
        } = begin(config, &asked, linker, &[], UNOBSERVED)?;
        let a = find(&gathered, a, 0)?;
        let b = find(&gathered, b, usize::from(gathered.are_two()))?;
        if a == b {
            let what = words![
                (Setting("explain"), cut(gathered.id(a)).into_owned()),
                ": the same record twice"
            ];
            return Err(Error::new(ErrorKind::Input, what).advise("give two different records"));
        }
        explained(&gathered, &taught.linker, a, b)
    })
}

/// Finds a record by its id, which is a string or a number. The text that the user typed is looked up as a string first.
fn find(gathered: &Gathered, id: &str, collection: usize) -> Result<u32> {
    let string = gathered.find(&serde_json::Value::from(id).to_string(), collection);
    string
        .or_else(|| gathered.find(id, collection))
        .ok_or_else(|| {
            let of = match (gathered.are_two(), collection) {
                (false, _) => "",
                (true, 0) => " of the first collection",
                (true, _) => " of the second collection",
            };
            let what = words![
                (Setting("explain"), cut(id).into_owned()),
                format!(": no record{of} has this id")
            ];
            Error::new(ErrorKind::Input, what)
                .advise("give two ids as they are written in the records")
        })
}
