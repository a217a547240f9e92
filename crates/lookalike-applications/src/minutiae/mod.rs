//! Fingerprint cards: turns minutiae into sets that can be compared without comparing every print with every other (*Mining of
//! Massive Datasets*, sections 3.8.3 to 3.8.6).
//!
//! [`Grid`] divides a print into squares, and [`Family`] finds candidates by random sets of squares, as in the book. Squares can
//! be compared only if the prints are in the same position, but real prints have different positions. For pairs, [`align`] moves
//! one print onto the other. For collections, [`Triangles`] makes sets that do not change when a finger is shifted or turned.
//!
//! Four databases of real prints (FVC 2002 and 2004, 80 prints each) contain 1,120 pairs of impressions of one finger. The table
//! shows how many of these are among the best of each database's 3,160 pairs:
//!
//! | by | best 1 %, of 128 | best 10 %, of 1,120 |
//! |---|---|---|
//! | squares, prints not aligned | 51 | 177 |
//! | squares, each pair aligned | 126 | 856 |
//! | triangles of neighbours | 128 | 826 |
//! | triangles, the nearest 16 of each print aligned | 127 | 906 |
//!
//! We measured and rejected a separate frame of reference for each print, which would cost one turn for each print instead of one
//! for each pair. If prints are centred on their minutiae, 264 pairs of one finger are among the best tenth of all pairs. If the
//! prints are also turned by the main direction of their ridges, 284 pairs are. Most impressions show only a part of the finger,
//! and each shows a different part.

mod index;

mod ranking;

mod turn;

mod template;

mod align;

mod grid;

mod family;

mod triangles;

mod near;

mod reranked;

mod compare;

pub use align::{FEWEST_ALIGNED, MAX_TURN, Placement, align};
pub use compare::{By, Field, Prints};
pub use family::{Family, Model, Simulated};
pub use grid::{Grid, Squares};
pub use near::{Near, NearScratch, Neighbours};
pub use ranking::{Ranked, Ranking};
pub use reranked::Reranked;
pub use template::{TemplateError, View, is_template, views};
pub use triangles::Triangles;
pub use turn::{Minutia, direction};
