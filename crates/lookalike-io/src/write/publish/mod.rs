//! Gives complete files and objects their names, all of them together.

mod reader;

mod hidden;

mod claim;

mod terminal;

mod folders;

mod tree;

mod sink;

mod together;

pub use self::reader::{go_on_without_readers, unless_closed};
pub(crate) use self::{
    claim::Claim,
    folders::Folders,
    hidden::remove_stale,
    sink::{Sink, Whole, resolve_links},
    together::publish,
    tree::Tree,
};
