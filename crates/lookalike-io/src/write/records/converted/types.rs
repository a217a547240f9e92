//! The types of columns.

/// The type of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    /// There are no values.
    Null,
    Bool,
    /// Whole numbers of 64 bits, with or without a sign.
    Signed,
    Unsigned,
    Float,
    Text,
    List(Box<Type>),
    Object(Vec<(String, Type)>),
}
