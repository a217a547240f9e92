//! The whole pipeline in memory: texts go in, decisions come out. Start reading with `law.rs`: all larger implementations must
//! give the same decisions.

mod decision;

mod decisions;

mod law;

mod builder;

pub use builder::{Dedup, dedup};
pub use decision::{Decision, Doc, Reason};
pub use decisions::{Decisions, Group};
pub use law::decide;
