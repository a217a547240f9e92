//! Finds where the records of a piece end, so that it can be divided between outputs.

use super::{
    rows::row_ends,
    shape::{Piece, Shape},
};
use crate::{read::RecordBatch, write::series::line_ends};

/// Returns where each record of a piece ends: the position after its last byte, or, for rows of a table, the sum of sizes so far.
pub(super) fn ends(piece: &Piece, rows: Option<&RecordBatch>, shape: Shape) -> Vec<usize> {
    match rows {
        Some(rows) => row_ends(rows),
        // A record of JSON Lines is one line.
        None if shape == Shape::Lines => line_ends(&piece.bytes),
        None => piece.ends.clone().unwrap_or_default(),
    }
}
