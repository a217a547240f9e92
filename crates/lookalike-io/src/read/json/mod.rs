//! JSON: the records of JSON Lines and of arrays, and the fields that are read from any record.

mod grammar;

mod array;

mod paths;

mod joined;

mod fields;

pub(crate) mod sets;

mod parse;

mod names;

mod parts;

mod inside;

mod lazy;

pub(crate) mod keys;

mod record;

pub(crate) use self::{
    array::{Elements, begins_array},
    fields::{Found, Unit},
    joined::push,
    lazy::text_place,
    paths::{fields_of, string_of},
    record::of_utf16,
};
pub use self::{
    fields::{Fault, Fields, RecordFields, Shape},
    joined::is_joined,
    names::field_of,
    paths::Paths,
    record::Record,
};
#[cfg(feature = "tables")]
pub(crate) use self::{
    joined::{Joined, Part},
    record::{no_id, no_label},
};
