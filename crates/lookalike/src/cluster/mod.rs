//! From matches to groups: which documents are kept, and which document represents each dropped one.

mod best;
mod buckets;
mod copies;
mod greedy;
mod keep;
mod links;
mod union;

pub use greedy::{GreedyClusters, Representative, Work};
pub use keep::Keep;
pub use union::UnionFind;
for_engine!(pub use self::{
    best::Best,
    buckets::{Buckets, Neighbours},
    copies::first_copies,
    keep::{keep_order, number_key, number_of_key, ranks, time_key, time_of_key},
    links::{Links, Listed},
});
