//! Writes a suggested configuration, with comments.

use std::fmt::Write;

use super::{
    blocks::SuggestedBlock,
    fields::{LeftOut, SuggestedField},
};
use crate::records::config::{
    BlockConfig, FieldConfig, LinkConfig, Named, OneToOne, Part, Take, Weights, Within,
};

/// A suggested configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The number of records in each collection.
    pub records: Vec<u64>,
    /// Whether each record is in at most one pair.
    pub one_to_one: bool,
    /// The fields to compare.
    pub fields: Vec<SuggestedField>,
    /// The columns that are not compared.
    pub left_out: Vec<LeftOut>,
    /// The blocks.
    pub blocks: Vec<SuggestedBlock>,
}

impl Suggestion {
    /// Returns the configuration.
    pub fn config(&self) -> LinkConfig {
        LinkConfig {
            weights: Weights::Learned,
            one_to_one: if self.one_to_one {
                OneToOne::Yes
            } else {
                OneToOne::Auto
            },
            fields: self
                .fields
                .iter()
                .map(|field| field.config.clone())
                .collect(),
            blocks: self
                .blocks
                .iter()
                .map(|block| block.config.clone())
                .collect(),
            ..LinkConfig::default()
        }
    }

    /// Writes the configuration as TOML, with what is known of each field and each block as comments.
    pub fn to_toml(&self) -> String {
        let records: Vec<String> = self.records.iter().map(u64::to_string).collect();
        let mut page = format!(
            "# Suggested by lookalike link --suggest for {} records. Weights are learned from the records.\n\
             weights = \"learned\"\n",
            records.join(" and ")
        );
        if self.one_to_one {
            page += "\n# Neither collection seems to contain duplicates, so each record is in at most one pair.\none_to_one = true\n";
        }
        for field in &self.fields {
            let (missing, distinct) = (100.0 * field.missing, field.distinct);
            let _ = write!(
                page,
                "\n# {missing:.0} % missing, {distinct} different values in the sample\n{}",
                written(&field.config)
            );
        }
        if !self.left_out.is_empty() {
            page += "\n# Not compared:\n";
            for LeftOut { path, why } in &self.left_out {
                let _ = writeln!(page, "#   {}: {why}", quoted(path));
            }
        }
        for block in &self.blocks {
            page += &match block.pairs {
                Some(1) => "\n# 1 pair\n".to_owned(),
                Some(pairs) => format!("\n# {pairs} pairs\n"),
                None => "\n# pairs with similar values; buckets of more records are ignored\n"
                    .to_owned(),
            };
            page += &block_written(&block.config);
        }
        page
    }
}

/// Returns a string as TOML writes it; JSON's escapes are valid in TOML, too.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

fn written(field: &FieldConfig) -> String {
    let mut lines = format!("[[field]]\nname = {}\n", quoted(&field.name));
    if let [from] = &*field.from {
        lines += &format!("from = {}\n", quoted(from));
    }
    lines += &format!("type = \"{}\"\n", Named(field.kind));
    if field.take != Take::Whole {
        lines += &format!("take = \"{}\"\n", Named(field.take));
    }
    if let Some(compare) = field.compare {
        lines += &format!("compare = \"{}\"\n", Named(compare));
    }
    match field.within {
        Some(within @ Within::Apart(_)) => lines += &format!("within = {within}\n"),
        Some(within @ Within::Share(_)) => lines += &format!("within = \"{within}\"\n"),
        None => {}
    }
    if field.month_first {
        lines += "month_first = true\n";
    }
    if !field.empty.is_empty() {
        let values: Vec<String> = field.empty.iter().map(|value| quoted(value)).collect();
        lines += &format!("empty = [{}]\n", values.join(", "));
    }
    lines
}

fn block_written(block: &BlockConfig) -> String {
    let part = |Part { field, take, .. }: &Part| match take {
        Take::Whole => quoted(field),
        take => format!(
            "{{ field = {}, take = \"{}\" }}",
            quoted(field),
            Named(*take)
        ),
    };
    let mut lines = String::from("[[block]]\n");
    match &block.similar {
        Some(field) => {
            lines += &format!(
                "similar = {}\nthreshold = {}\n",
                quoted(field),
                block.threshold.unwrap_or(0.5)
            )
        }
        None => {
            lines += &format!(
                "equal = [{}]\n",
                block.equal.iter().map(part).collect::<Vec<_>>().join(", ")
            )
        }
    }
    if let Some(most) = block.at_most {
        lines += &format!("at_most = {most}\n");
    }
    lines
}
