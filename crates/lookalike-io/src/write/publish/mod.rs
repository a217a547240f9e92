//! Files and objects that appear under their names when they are whole, all of them together.

mod hidden;

mod claim;

mod terminal;

mod sink;

mod together;

pub(crate) use self::{
    sink::{Sink, Whole, behind_links},
    together::publish,
};
