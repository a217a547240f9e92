//! Makes a collection with the size and duplication of AltaVista's crawl of the web in 1996 (Broder, Glassman, Manasse, Zweig
//! 1997, section 4): 30 million documents, 150 GB. Of these documents, 12.3 million are in 3.6 million clusters of similar
//! documents. In 2.1 million of the clusters (5.3 million documents), all documents are identical; the other 1.5 million clusters
//! (7 million documents) are mixed.
//!
//! No document is stored: the *plan* derives the role of any document from its number alone, and the text is composed from pieces
//! of real text. A piece has three real words and one of 16 million synthetic words, drawn for the document. So each window of
//! five words contains a word that was drawn for the document. Windows hardly ever repeat in a text, or coincide between texts
//! that are not copies, and an edit changes a known number of windows. Therefore the exact |A∩B| and |A∪B| of a copy and its
//! original follow from the plan.

mod compose;
mod plan;
mod pool;

pub use compose::{Composer, Made};
pub use plan::{Kind, Plan, Role};
pub use pool::Pool;
