//! Does work on one thread or, with the feature `rayon`, on all cores. Results are in the order of the items, so they do not
//! depend on the number of threads.

/// The number of threads to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    One,
    #[cfg(feature = "rayon")]
    All,
}

impl Threads {
    /// Returns the largest number of threads that this build may use.
    pub(crate) fn all() -> Self {
        #[cfg(feature = "rayon")]
        return Self::All;
        #[cfg(not(feature = "rayon"))]
        Self::One
    }

    /// Returns the result of `f` for each item, in order. Each thread has its own state.
    pub(crate) fn map<T: Sync, R: Send, S>(
        self,
        items: &[T],
        state: impl Fn() -> S + Sync + Send,
        f: impl Fn(&mut S, &T) -> R + Sync + Send,
    ) -> Vec<R> {
        match self {
            Self::One => {
                let mut state = state();
                items.iter().map(|item| f(&mut state, item)).collect()
            }
            #[cfg(feature = "rayon")]
            Self::All => {
                use rayon::prelude::*;
                items.par_iter().map_init(state, f).collect()
            }
        }
    }
}
