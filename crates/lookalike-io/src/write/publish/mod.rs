//! Gives complete files and objects their names, all of them together.

mod hidden;

mod claim;

mod terminal;

mod folders;

mod tree;

mod sink;

mod together;

pub(crate) use self::{
    claim::Claim,
    folders::Folders,
    hidden::remove_stale,
    sink::{Sink, Whole, resolve_links},
    together::publish,
    tree::Tree,
};
