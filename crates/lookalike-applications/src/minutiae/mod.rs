//! Fingerprint cards: minutiae → sets that can be compared without comparing every print with every other (*Mining of Massive
//! Datasets*, section 3.8.3 to 3.8.6).
//!
//! [`Grid`] lays squares over a print, and [`Family`] finds candidates by random sets of squares, as the book has it. That asks for
//! prints that lie alike, which real ones do not: [`align`] moves one onto the other, for pairs, and [`Triangles`] makes sets of
//! what does not change when a finger is shifted or turned, for collections.
//!
//! Of 1,120 pairs of impressions of one finger in four databases of real prints (FVC 2002 and 2004, 80 prints each), so many are
//! among the best of each database's 3,160 pairs:
//!
//! | by | best 1 %, of 128 | best 10 %, of 1,120 |
//! |---|---|---|
//! | squares as the prints lie | 51 | 177 |
//! | squares, each pair aligned | 126 | 856 |
//! | triangles of neighbours | 128 | 826 |
//!
//! A frame of a print's own would cost one turn a print instead of one a pair. It was measured and left out: with prints centred on
//! their minutiae 264 are among the best tenth, turned by the main direction of the ridges besides 284. Most impressions show a part
//! of the finger, each another.

mod index;

mod ranking;

mod turn;

mod align;

mod grid;

mod family;

mod triangles;

mod compare;

pub use align::{FEWEST_ALIGNED, MAX_TURN, Placement, align};
pub use compare::{By, Field, Prints};
pub use family::{Family, Model, Simulated};
pub use grid::{Grid, Squares};
pub use ranking::{Ranked, Ranking};
pub use triangles::Triangles;
pub use turn::{Minutia, direction};
