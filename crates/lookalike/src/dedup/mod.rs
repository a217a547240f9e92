//! The whole way in memory: texts in, decisions out. Start reading with `law.rs`; everything larger is judged by it.

mod decision;

mod decisions;

mod law;

mod builder;

pub use builder::{Dedup, dedup};
pub use decision::{Decision, Doc, Reason};
pub use decisions::{Decisions, Group};
pub use law::decide;
