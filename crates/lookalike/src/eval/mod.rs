//! From answers to measures: evaluates a set of pairs, a clustering or a list of drops against a truth.
//!
//! | measure | what it measures | against |
//! |---|---|---|
//! | [`PairCounts`] | which pairs were found, and which of those found are true | a list of true pairs |
//! | [`Contingency::b_cubed`] | how pure and how complete the group of a document is | a gold clustering |
//! | [`Contingency::adjusted_rand_index`] | agreement of two clusterings beyond chance | a gold clustering |
//! | [`Partners`] | the documents of which no similar document was missed | a list of true pairs |
//! | [`Step`] | the share of pairs that was found at each similarity | true pairs with their similarities |
//! | [`Drops`] | documents that were dropped wrongly, documents that were kept although a near-duplicate was kept | a list of true pairs |
//! | [`sampled_share`] | a share of pairs, with an interval, from a random sample of documents | the sample's pairs |
//! | [`SampleIndex`] | the exact truth for a random sample of documents, in one pass | the sets |
//!
//! Each measure has the name and the formula of the paper that introduced it, which its function cites. Pitfalls:
//!
//! - **Truth is exact similarity or human judgement, never another sketch.** Agreement with another program that estimates is not
//!   recall: both may miss the same pairs.
//! - **A share without its denominator is meaningless.** If nothing was found, precision is `None`; if there is nothing to find,
//!   recall is `None`. In these cases, a value of 0 or 1 would be misleading.
//! - **Measures over pairs weight each group by the square of its size.** One group of a thousand copies has 499,500 pairs, so
//!   pairwise measures then mostly describe that group. B-cubed and the measures of [`Drops`] give every document the same
//!   weight. An average of precisions over groups, without recall, is not an F measure.
//! - **The Rand index without its adjustment** is near 1 for any two clusterings into many small groups: nearly all pairs are
//!   separate in both.
//! - **Wilson's interval is for independent trials.** Documents that are sampled at random are independent trials. Pairs are not:
//!   those of one group are found or missed together. Wilson's interval over pairs contained the truth 66 times in 100 on licence
//!   texts; use [`sampled_share`] for pairs.

mod pairs;

mod clusters;

mod drops;

mod partners;

mod sample;

mod sampled;

mod steps;

pub use clusters::{BCubed, Contingency};
pub use drops::Drops;
pub use pairs::PairCounts;
pub use partners::Partners;
pub use sample::{Neighbour, SampleIndex, SharedCounts, choose_sample};
pub use sampled::sampled_share;
pub use steps::Step;
