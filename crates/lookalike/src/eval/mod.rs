//! Answers → figures: how good a set of pairs, a clustering or a list of drops is, against a truth.
//!
//! | measure | what it tells | against |
//! |---|---|---|
//! | [`PairCounts`] | which pairs were found, and which of those found are true | a list of true pairs |
//! | [`Contingency::b_cubed`] | for a document, how pure and how whole its group is | a gold clustering |
//! | [`Contingency::adjusted_rand_index`] | agreement of two clusterings beyond chance | a gold clustering |
//! | [`Partners`] | of which documents no similar one was missed | a list of true pairs |
//! | [`Step`] | which share of the pairs was found at which similarity | true pairs with their similarities |
//! | [`Drops`] | documents that went without need, documents that stayed beside a near-duplicate | a list of true pairs |
//! | [`sampled_share`] | a share of pairs, with an interval, from a random sample of documents | the sample's pairs |
//! | [`SampleIndex`] | the exact truth itself, for a random sample of documents in one pass | the sets |
//!
//! Each figure goes by the name and formula of its first paper, named at its function. What to beware of:
//!
//! - **Truth is exact similarity or people's judgement, never another sketch.** Agreement with another program that estimates
//!   is not recall: both may miss the same pairs.
//! - **A share without its denominator is nothing.** Precision where nothing was found, recall where there is nothing to find:
//!   `None`, neither 0 nor 1, both of which flatter somebody.
//! - **Pairs weigh groups by their square.** One group of a thousand copies has 499,500 pairs; pairwise figures are then about
//!   that group. B-cubed and drops weigh every document alike. An average of precisions over groups, without recall, is no F.
//! - **The Rand index without its adjustment** is near 1 for any two clusterings into many small groups: nearly all pairs are
//!   apart in both.
//! - **Wilson's interval is for independent trials.** Shares of randomly sampled documents are such. Pairs are not: those of one
//!   group are found or missed together. Wilson's interval over pairs held the truth 66 times in 100 on licence texts;
//!   [`sampled_share`] is for them.

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
pub use sample::{Meetings, Neighbour, SampleIndex, choose_sample};
pub use sampled::sampled_share;
pub use steps::Step;
