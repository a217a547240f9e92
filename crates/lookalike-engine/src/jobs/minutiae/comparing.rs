//! Finds the candidate pairs of some prints, with their scores, on all threads.

use lookalike_applications::minutiae::{
    By, Field, Minutia, Near, NearScratch, Neighbours, Prints, Ranked, Reranked,
};
use lookalike_io::{
    error::Result,
    pool::{install, par_map, par_map_init},
};
use rayon::ThreadPool;

use crate::pass::refused::refused;

/// How prints are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// By squares or triangles.
    Plain(By),
    /// By aligning, but only the nearest prints of each print. The scores are those of [`By::Aligned`].
    Nearest {
        /// How aligned prints are compared.
        field: Field,
        /// How the nearest prints are found.
        neighbours: Neighbours,
        /// The number of nearest prints of each print that are aligned with it.
        nearest: usize,
    },
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
    let near = |by: &Neighbours| {
        let sets = install(pool, || par_map(prints, |print| by.triangles.set(print)));
        Near::of_sets(sets, by.common)
    };
    match by {
        Comparison::Plain(By::Neighbours(neighbours)) => {
            let near = near(neighbours);
            for some in numbers.chunks(AT_A_TIME) {
                let found = on_all(pool, some, |b, scratch| near.before(b, scratch));
                found.into_iter().flatten().for_each(&mut take);
            }
        }
        Comparison::Plain(by) => {
            let ready = Prints::new(prints, by).map_err(refused)?;
            for some in numbers.chunks(AT_A_TIME) {
                let found = on_all(pool, some, |b, scratch| ready.before(b, scratch));
                found.into_iter().flatten().for_each(&mut take);
            }
        }
        Comparison::Nearest {
            field,
            neighbours,
            nearest,
        } => {
            let (near, ready) = (
                near(neighbours),
                Prints::new(prints, &By::Aligned(*field)).map_err(refused)?,
            );
            let lists = on_all(pool, &numbers, |b, scratch| {
                near.nearest(b, *nearest, scratch)
            });
            each_aligned(lists, pool, |pair| ready.aligned(pair.a, pair.b), &mut take);
        }
        Comparison::Reranked {
            neighbours,
            nearest,
        } => {
            let ready = Reranked::new(prints, near(neighbours), *nearest);
            let lists = on_all(pool, &numbers, |b, scratch| ready.nearest(b, scratch));
            each_aligned(lists, pool, |pair| ready.aligned(pair), &mut take);
        }
    }
    Ok(())
}

/// Aligns the pairs in lists of nearest prints, each pair once, on all threads.
fn each_aligned(
    lists: Vec<Vec<Ranked>>,
    pool: &ThreadPool,
    align: impl Fn(Ranked) -> Option<Ranked> + Sync,
    mut take: impl FnMut(Ranked),
) {
    for some in Reranked::pairs(lists).chunks(ALIGNED_AT_A_TIME) {
        let found: Vec<Option<Ranked>> = install(pool, || par_map(some, |&pair| align(pair)));
        found.into_iter().flatten().for_each(&mut take);
    }
}

/// Calls a function for each print, on all threads.
fn on_all<T: Send>(
    pool: &ThreadPool,
    prints: &[u32],
    work: impl Fn(u32, &mut NearScratch) -> T + Sync,
) -> Vec<T> {
    let one = |scratch: &mut NearScratch, &print: &u32| work(print, scratch);
    install(pool, || par_map_init(prints, NearScratch::default, one))
}
