//! Errors for invalid configurations.

use lookalike::shown::quoted;

/// The result of a function that can reject its configuration.
pub type Result<T> = std::result::Result<T, Error>;

/// An invalid configuration, described for the user: what was requested, why it is impossible, and what to do instead.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An impossible grid over prints, or a grid whose margin is so large that every minutia counts in several squares.
    #[error(
        "a grid of squares of {square} pixels with a margin of {margin} over {width} by {height} is not possible; use squares of 1 to 65536 pixels, a margin below half of a square, and a field of at most 2²⁴ squares"
    )]
    Grid {
        /// The side of a square, in pixels.
        square: u32,
        /// The margin, in pixels: minutiae within this distance of a border between two squares count in both squares.
        margin: u32,
        /// The width of the field.
        width: u32,
        /// The height of the field.
        height: u32,
    },
    /// A family (random sets of squares) that is impossible: it has no sets or too many, or its sets have no squares or too many.
    #[error("{sets} sets of {members} squares, out of {squares}, are not possible; {advice}", advice = possible_sets(*most))]
    Family {
        /// The requested number of sets.
        sets: u32,
        /// The number of squares in a set.
        members: u32,
        /// The number of squares on the field.
        squares: u32,
        /// The largest number of squares that a set may have.
        most: u32,
    },
    /// An invalid configuration of record linkage.
    #[error("{0}")]
    Link(String),
    /// A field name that does not exist in the linkage.
    #[error("{place} names the field {name}, which does not exist; the fields are {fields}", name = quoted(field))]
    LinkField {
        /// The setting that contains the name.
        place: String,
        /// The unknown name.
        field: String,
        /// The names of the existing fields.
        fields: String,
    },
    /// An error of the core crate.
    #[error(transparent)]
    Core(#[from] lookalike::Error),
}

/// Returns advice on what to request when sets may have at most `most` squares.
fn possible_sets(most: u32) -> String {
    match most {
        0 => "increase the number of squares from which the sets are chosen".into(),
        1 => "use from 1 to 1048576 sets of 1 square".into(),
        _ => format!("use from 1 to 1048576 sets of 1 to {most} squares"),
    }
}
