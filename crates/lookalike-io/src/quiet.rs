//! Panics that are expected, and of which nothing is printed.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
    thread,
};

thread_local! {
    /// Whether this thread is at work of which no panic is printed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Works, and gives what a panic carries, of which nothing is printed: for others' decoders, which panic at data. What was being
/// changed when it happened must not be used any more.
pub fn quietly<T>(work: impl FnOnce() -> T) -> thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let worked = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    worked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_panic_carries_is_given_and_the_next_one_is_loud() {
        let outer = quietly(|| {
            let inner = quietly(|| panic!("inside"));
            assert!(QUIET.get(), "still inside of the outer");
            inner.unwrap_err().downcast_ref::<&str>().copied()
        });
        assert_eq!(outer.unwrap(), Some("inside"));
        assert!(!QUIET.get());
        assert_eq!(quietly(|| 7).unwrap(), 7);
    }
}
