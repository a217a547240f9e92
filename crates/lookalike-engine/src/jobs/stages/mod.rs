//! A dedup run as a job array: many tasks, each a process of its own, that share only a folder.
//!
//! The collection is divided into closed parts (see [`parts`](crate::parts)), so the answer is that of [`dedup`](crate::dedup()).
//! [`plan`] divides the inputs among n tasks. Each of the following stages has n tasks, except *join*, which has one; every task of
//! a stage needs all tasks of the stage before it.
//!
//! | stage | reads | writes |
//! |---|---|---|
//! | sketch | its inputs | the keys of its documents, divided by key |
//! | pair | the keys of its share, from all tasks | which documents have a key in common |
//! | join | the results of *pair* | the shard of each document that is in a part |
//! | place | its inputs again | its documents that are in a part, divided by their shards |
//! | decide | the documents of its shard, from all tasks | the decisions about them, divided by the task that has their input |
//! | emit | its inputs again, and the decisions about them | kept records and decisions |
//!
//! A task writes one file, which appears under its name only when it is complete. A task whose file exists has nothing to do. So a
//! task that was killed can be started again at any time, and so can a whole array.

mod sections;

mod plan;

mod counts;

mod task;

mod documents;

mod sketch;

mod pair;

mod join;

mod place;

mod decide;

mod emit;

mod status;

mod running;

pub use self::{
    counts::Counts,
    plan::{Plan, Planned, plan},
    running::run_task,
    status::{StageStatus, Status, status},
    task::ArrayStage,
};
