//! Finds the candidate pairs of some prints, with their scores, on all threads.

use lookalike_applications::minutiae::{By, Minutia, NearScratch, Neighbours, Prints, Ranked, Reranked};
use lookalike_io::error::Result;
use rayon::{ThreadPool, prelude::*};

use crate::pass::refused::refused;

/// How prints are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// By squares or triangles.
    Plain(By),
    /// By triangles, and then by aligning the nearest prints of each print.
    Reranked {
        /// How the nearest prints are found.
        neighbours: Neighbours,
        /// The number of nearest prints of each print that are aligned with it.
        nearest: usize,
    },
}

/// The number of prints that are compared with all earlier prints in one step. The pairs found in a step are then ranked.
const AT_A_TIME: usize = 256;

/// The number of pairs that are aligned in one step.
const ALIGNED_AT_A_TIME: usize = 1 << 16;

/// Passes all candidate pairs to `take`, in an order that does not depend on the number of threads.
///
/// # Errors
/// Fails if the settings of a grid or of its sets of squares are invalid.
pub(super) fn each_candidate(
    prints: &[Vec<Minutia>],
    by: &Comparison,
    pool: &ThreadPool,
    mut take: impl FnMut(Ranked),
) -> Result<()> {
    let numbers: Vec<u32> = (0..prints.len() as u32).collect();
    match by {
        Comparison::Plain(by) => {
            let ready = Prints::new(prints, by).map_err(refused)?;
            for some in numbers.chunks(AT_A_TIME) {
                let before = |scratch: &mut NearScratch, &b: &u32| ready.before(b, scratch);
                let found: Vec<Vec<Ranked>> = pool.install(|| some.par_iter().map_init(NearScratch::default, before).collect());
                found.into_iter().flatten().for_each(&mut take);
            }
        }
        Comparison::Reranked { neighbours, nearest } => {
            let ready = Reranked::new(prints, neighbours, *nearest);
            let near = |scratch: &mut NearScratch, &b: &u32| ready.nearest(b, scratch);
            let lists: Vec<Vec<Ranked>> = pool.install(|| numbers.par_iter().map_init(NearScratch::default, near).collect());
            for some in Reranked::pairs(lists).chunks(ALIGNED_AT_A_TIME) {
                let found: Vec<Option<Ranked>> = pool.install(|| some.par_iter().map(|&pair| ready.aligned(pair)).collect());
                found.into_iter().flatten().for_each(&mut take);
            }
        }
    }
    Ok(())
}
