//! The function type that writes a value of an array.

use arrow_schema::ArrowError;

pub(super) type Result<T> = std::result::Result<T, ArrowError>;

/// Writes one value of an array. The value must not be null.
pub(super) type Write<'a> = Box<dyn Fn(usize, &mut Vec<u8>) -> Result<()> + 'a>;
