//! Mutexes, whatever a panicking thread left: the panic itself is passed on by the pool.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
