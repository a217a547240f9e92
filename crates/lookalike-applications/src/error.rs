//! What can be wrong with a configuration.

use lookalike::shown::quoted;

/// The result of a function that can refuse its configuration.
pub type Result<T> = std::result::Result<T, Error>;

/// A refusal, in words meant for the user: what was asked, why it cannot be, what to do instead.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A grid over prints that is none, or in which everything counts everywhere.
    #[error(
        "a grid of squares of {square} pixels with a margin of {margin} over {width} by {height} is not possible: give squares of 1 to 65536 pixels, a margin below half of one, and a field of at most 2²⁴ squares"
    )]
    Grid {
        /// The side of a square.
        square: u32,
        /// What is nearer to a border counts on both sides.
        margin: u32,
        /// The field's width.
        width: u32,
        /// The field's height.
        height: u32,
    },
    /// A family of no sets, or of sets that cannot be.
    #[error("{sets} sets of {members} squares, of {squares} in all, are not possible: {advice}", advice = possible_sets(*most))]
    Family {
        /// Sets asked for.
        sets: u32,
        /// Squares in a set.
        members: u32,
        /// Squares that there are.
        squares: u32,
        /// The most that a set may have.
        most: u32,
    },
    /// A linkage of records that cannot be.
    #[error("{0}")]
    Link(String),
    /// A field that a linkage has not.
    #[error("{place} names the field {name}, and there is none of that name: the fields are {fields}", name = quoted(field))]
    LinkField {
        /// What names it.
        place: String,
        /// The name.
        field: String,
        /// Those that there are.
        fields: String,
    },
    /// What the core refuses.
    #[error(transparent)]
    Core(#[from] lookalike::Error),
}

/// What to ask for where sets may have at most so many squares.
fn possible_sets(most: u32) -> String {
    match most {
        0 => "ask for more squares to draw from".into(),
        1 => "give from 1 to 1048576 sets of 1 square".into(),
        _ => format!("give from 1 to 1048576 sets of 1 to {most} squares"),
    }
}
