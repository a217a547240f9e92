//! Expected panics, which are not printed.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
    thread,
};

thread_local! {
    /// Whether panics of this thread are currently not printed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` and returns the payload of a panic without printing it. It is meant for third-party decoders, which panic on some
/// data. Data that was being changed during the panic must not be used any more.
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
    fn a_panic_message_is_returned_and_later_panics_are_loud() {
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
