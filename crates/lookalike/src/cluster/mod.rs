//! Matches → groups: who stays, and for whom the others go.

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
    buckets::{Buckets, Company},
    copies::leaders,
    keep::{keep_order, number_key, ranks, time_key},
    links::{Links, Listed},
});
