//! Documents that are not records: files and pages.

#[cfg(feature = "html")]
mod html;

mod pages;

mod archive;

mod files;

mod sequence;

pub use self::files::read_document;
#[cfg(feature = "html")]
pub use self::html::Extractor;
pub(crate) use self::{
    archive::{Archive, members},
    files::{FileBlocks, Files},
    pages::Pages,
    sequence::MemberStream,
};
