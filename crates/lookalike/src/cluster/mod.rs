//! Matches → groups: who stays, and for whom the others go.

mod best;
mod buckets;
mod copies;
mod greedy;
mod keep;
mod links;
mod union;

pub use best::Best;
pub use buckets::{Buckets, Company};
pub use copies::leaders;
pub use greedy::{GreedyClusters, Representative, Work};
pub use keep::{Keep, keep_order, number_key, ranks, time_key};
pub use links::{Links, Listed};
pub use union::UnionFind;
