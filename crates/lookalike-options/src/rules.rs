//! Rules about options that do not work together, or only work together.

use lookalike::Choice;
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, Words},
    words,
};

use crate::Layer;

/// Returns the error for options that contradict each other.
pub fn refuse(what: impl Into<Words>, advice: &'static str) -> Error {
    Error::new(ErrorKind::Config, what).instead(advice)
}

/// Returns the error for two options that cannot be combined.
pub fn not_together(one: &'static str, other: &'static str) -> Error {
    let what = words![Setting(one), " and ", Setting(other), " cannot be combined"];
    refuse(what, "leave out one of the two")
}

/// Refuses a value that is not one of those that a job takes.
///
/// # Errors
/// Fails with the name of the option and its value.
pub fn refuse_other<T: Choice>(name: &'static str, value: Option<T>, taken: &[T]) -> Result<()> {
    let Some(other) = value.filter(|value| !taken.contains(value)) else {
        return Ok(());
    };
    let names: Vec<_> = taken.iter().map(|value| value.name()).collect();
    let what = words![(Setting(name), other.name()), " is not possible here"];
    Err(Error::new(ErrorKind::Config, what).advise(format!("give one of {}", names.join(", "))))
}

/// Options that do not work with others, in any job.
const EXCLUSIVE: &[(&str, &[&str])] = &[
    ("text_field", &["set_field"]),
    ("and_field", &["or_field"]),
    ("drop", &["keep_per_group"]),
    ("rows_per_file", &["bytes_per_file"]),
    ("decisions", &["no_decisions"]),
    ("dry_run", &["resume"]),
    ("exact", &["method"]),
];

/// Options that others need, in any job.
const REQUIRED: &[(&str, &[&str])] = &[
    (
        "output",
        &["output_format", "rows_per_file", "bytes_per_file", "mark"],
    ),
    ("mark", &["mark_prefix"]),
    ("against", &["against_text_field"]),
    ("report", &["report_by", "report_floor"]),
    ("resume", &["resume_part"]),
    ("threshold", &["write_decisions"]),
    ("pages", &["all_pairs"]),
];

/// The names of the options that are given.
#[derive(Debug, Clone)]
pub struct Given(Vec<&'static str>);

impl Given {
    /// Returns the names of those that are given of these options.
    pub fn of(options: &impl Layer) -> Self {
        let mut names = Vec::new();
        options.given("", &mut names);
        Self(names)
    }

    /// Adds an option that is given in another way, if it is.
    #[must_use]
    pub fn and(mut self, name: &'static str, is_given: bool) -> Self {
        self.0.extend(is_given.then_some(name));
        self
    }

    /// Returns whether an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// Checks the rules of options that several jobs have.
    ///
    /// # Errors
    /// Fails if options do not work together.
    pub fn check(&self) -> Result<()> {
        self.exclusive(EXCLUSIVE)?;
        self.required(REQUIRED)
    }

    /// Checks that no option is given together with one that it contradicts.
    ///
    /// # Errors
    /// Fails with both names of the first pair of which both are given.
    pub fn exclusive(&self, pairs: &[(&'static str, &[&'static str])]) -> Result<()> {
        for &(one, others) in pairs.iter().filter(|(one, _)| self.has(one)) {
            if let Some(other) = others.iter().find(|other| self.has(other)) {
                return Err(not_together(one, other));
            }
        }
        Ok(())
    }

    /// Checks that no option is given without the one that it needs.
    ///
    /// # Errors
    /// Fails with both names of the first such pair.
    pub fn required(&self, pairs: &[(&'static str, &[&'static str])]) -> Result<()> {
        for &(needed, names) in pairs.iter().filter(|(needed, _)| !self.has(needed)) {
            if let Some(name) = names.iter().find(|name| self.has(name)) {
                let what = words![Setting(name), " only works with ", Setting(needed)];
                return Err(refuse(what, "give both, or neither"));
            }
        }
        Ok(())
    }
}
