//! Documents that are not records: files and pages.

#[cfg(feature = "html")]
mod html;

mod pages;

mod files;

pub use self::files::read_document;
#[cfg(feature = "html")]
pub use self::html::Extractor;
pub(crate) use self::{
    files::{FileBlocks, Files},
    pages::Pages,
};
