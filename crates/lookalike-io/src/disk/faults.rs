//! Planned faults for tests: the n-th operation of a kind fails, reads or writes fewer bytes than requested, or panics.
//!
//! A plan applies to the whole process. Its owner holds a lock, so tests that run in parallel take turns.

use std::{
    io,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

pub use super::Operation;
use crate::lock::lock;

/// What goes wrong in an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The operation fails with the system error of this number.
    Errno(i32),
    /// The operation reads or writes only half of the bytes, but at least one. Any read or write may do this.
    Short,
    /// The operation panics.
    Panic,
}

/// A plan. Until it is dropped, it counts operations and can make one of them fail.
#[derive(Debug)]
pub struct Plan {
    _alone: MutexGuard<'static, ()>,
}

#[derive(Debug)]
struct Planned {
    counts: [u64; 8],
    fault: Option<(Operation, u64, Fault)>,
    met: bool,
}

static ALONE: Mutex<()> = Mutex::new(());
static PLANNED: Mutex<Option<Planned>> = Mutex::new(None);
/// Whether a plan exists. Operations check this first, so that they need no lock if there is no plan.
static ANY: AtomicBool = AtomicBool::new(false);

/// Waits until there is no other plan, then starts to count operations.
pub fn count() -> Plan {
    plan(None)
}

/// Waits until there is no other plan. Then applies `fault` to the `nth` operation of a kind, counted from 0.
pub fn fail(operation: Operation, nth: u64, fault: Fault) -> Plan {
    plan(Some((operation, nth, fault)))
}

fn plan(fault: Option<(Operation, u64, Fault)>) -> Plan {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    *lock(&PLANNED) = Some(Planned {
        counts: [0; 8],
        fault,
        met: false,
    });
    ANY.store(true, Ordering::SeqCst);
    Plan { _alone: alone }
}

impl Plan {
    /// Returns the number of operations of a kind so far.
    pub fn operations(&self, operation: Operation) -> u64 {
        lock(&PLANNED)
            .as_ref()
            .map_or(0, |planned| planned.counts[operation as usize])
    }

    /// Returns whether the fault has occurred.
    pub fn met(&self) -> bool {
        lock(&PLANNED).as_ref().is_some_and(|planned| planned.met)
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        ANY.store(false, Ordering::SeqCst);
        *lock(&PLANNED) = None;
    }
}

/// Returns how many of the `length` bytes an operation may read or write.
pub(super) fn allowed(operation: Operation, length: usize) -> io::Result<usize> {
    if !ANY.load(Ordering::Relaxed) {
        return Ok(length);
    }
    let mut guard = lock(&PLANNED);
    let Some(planned) = guard.as_mut() else {
        return Ok(length);
    };
    let number = planned.counts[operation as usize];
    planned.counts[operation as usize] += 1;
    let Some((_, _, fault)) = planned
        .fault
        .filter(|&(of, nth, _)| (of, nth) == (operation, number))
    else {
        return Ok(length);
    };
    planned.met = true;
    drop(guard);
    match fault {
        Fault::Errno(number) => Err(io::Error::from_raw_os_error(number)),
        Fault::Short => Ok(length.div_ceil(2)),
        #[expect(clippy::panic, reason = "a test planned it")]
        Fault::Panic => panic!("a planned panic"),
    }
}
