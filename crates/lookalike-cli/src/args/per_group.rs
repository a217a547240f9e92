//! The flags that determine how many documents of a group are kept.

use clap::{Args, ValueEnum};

/// How many documents of each group are kept.
#[derive(Args)]
pub struct PerGroupArgs {
    /// Documents to drop from a group: duplicates, or all
    ///
    /// With all, every document that has a duplicate is dropped, and so is its duplicate: no document of a group is kept. Only the
    /// verdict of a decision changes. The reason is still the place in the group, such as representative or near.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        default_value = "duplicates",
        hide_default_value = true,
        help_heading = "Grouping"
    )]
    drop: Which,
    /// Keep up to N documents of each group
    ///
    /// Only the verdict of a decision changes, so a kept document can have the reason near or exact.
    /// The groups are formed as without the flag. The first N documents of each group are kept, in the order of --keep. The representative
    /// of a group is the first of them, and can be a reference.
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "drop",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Grouping"
    )]
    keep_per_group: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// all documents of a group except one
    Duplicates,
    /// all documents of a group
    All,
}

impl PerGroupArgs {
    /// Returns the greatest number of documents that are kept of a group.
    pub fn most(&self) -> u32 {
        if self.drop == Which::All {
            0
        } else {
            self.keep_per_group.unwrap_or(1)
        }
    }
}
