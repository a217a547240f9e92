//! Results of blocks that are not due yet, because an earlier block's result is still missing.

use lookalike_io::read::Position;

/// Results that wait for their turn.
///
/// At most some hundred blocks wait at the same time, so a list is searched. An ordered map would be compiled for each type of
/// result, which took a tenth of this crate's build time.
pub(crate) struct Waiting<T>(Vec<(Position, T)>);

impl<T> Waiting<T> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn insert(&mut self, position: Position, result: T) {
        self.0.push((position, result));
    }

    /// Returns the result of the block at `due`, if this result is already waiting.
    pub(crate) fn remove(&mut self, due: Position) -> Option<T> {
        let found = self.0.iter().position(|(position, _)| *position == due)?;
        Some(self.0.swap_remove(found).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_in_any_order() {
        let mut waiting = Waiting::new();
        for at in [3, 0, 2, 1] {
            waiting.insert((7, at), at * 10);
        }
        assert_eq!(waiting.remove((6, 0)), None);
        let found: Vec<_> = (0..5).map(|at| waiting.remove((7, at))).collect();
        assert_eq!(
            (found, waiting.len()),
            (vec![Some(0), Some(10), Some(20), Some(30), None], 0)
        );
    }
}
