//! Find documents that are roughly the same, keep one of each, and say why.
//!
//! This is the core: pure functions from texts to decisions. It opens no file, starts no thread, reads no clock. A document
//! goes this way, and the modules stand in its order:
//!
//! | step | module | what it is |
//! |---|---|---|
//! | characters → tokens | [`text`] | the canonical form |
//! | tokens → windows | [`shingle`] | k-shingles |
//! | windows → numbers | [`fingerprint`] | 64-bit fingerprints; a document is their set |
//! | set → summary | [`sketch`] | MinHash signatures, b-bit sketches, estimates with intervals |
//! | summaries → candidates | [`lsh`] | bands, the S-curve, the recall contract |
//! | candidate → match | [`verify`] | exact resemblance and containment; the exact join |

mod error;

pub mod text;

pub mod shingle;

pub mod fingerprint;

pub mod sketch;

pub mod lsh;

pub mod verify;

pub use error::{Error, ErrorKind, Result};
