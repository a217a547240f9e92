//! Work on one thread, or with the feature `rayon` on all cores. Results come in the order of the items, so no answer depends on it.

/// How many threads work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    One,
    #[cfg(feature = "rayon")]
    All,
}

impl Threads {
    /// As many as this build may use.
    pub(crate) fn all() -> Self {
        #[cfg(feature = "rayon")]
        return Self::All;
        #[cfg(not(feature = "rayon"))]
        Self::One
    }

    /// What `f` makes of each item, in their order; each thread has a state of its own.
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
