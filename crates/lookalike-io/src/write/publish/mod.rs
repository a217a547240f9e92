//! Gives complete files and objects their names, all of them together.

mod hidden;

mod claim;

mod terminal;

mod sink;

mod together;

pub(crate) use self::{
    sink::{Sink, Whole, resolve_links},
    together::publish,
};
