//! A web of the size and duplication of AltaVista's in 1996 (Broder, Glassman, Manasse, Zweig 1997, section 4): 30 million
//! documents, 150 GB; 12.3 million of them in 3.6 million clusters of similar ones, 2.1 million clusters (5.3 million documents)
//! of identical ones only, the other 1.5 million (7 million) mixed.
//!
//! Nothing is stored: the *plan* says what any document is by its number alone, and the text is composed from pieces of real
//! text. A piece is three real words and one of 16 million synthetic ones, drawn for the document. So each window of five words
//! has a word of the document's own, windows hardly ever repeat in a text or coincide between texts that do not copy, and an
//! edit changes a number of windows that is known: the exact |A∩B| and |A∪B| of a copy and its original follow from the plan.

mod compose;
mod plan;
mod pool;

pub use compose::{Composer, Made};
pub use plan::{Kind, Plan, Role};
pub use pool::Pool;
