//! Finds which tokens of a text a tool has removed, if only the text before and after is known.

use std::collections::HashMap;

/// What was removed from a text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Whether each token of the text before is missing in the text after.
    pub is_removed: Vec<bool>,
    /// For each token of the text before, whether a part of it is left: the text after has a token beside it that is not in the text
    /// before.
    pub is_broken: Vec<bool>,
    /// Tokens of the text after that are not in the text before.
    pub new: usize,
}

/// The largest table. It takes a byte per cell.
const MOST_CELLS: usize = 1_000_000_000;

/// The size of a table above which a text is divided.
const LARGE: usize = 10_000;

/// The number of tokens in a run at which a text is divided.
const ANCHOR: usize = 12;

/// The cost of a token that is not in the text before, and of a removed stretch.
const NEW: u32 = 2;
const STRETCH: u32 = 1;

/// Aligns two texts so that the number of removed stretches is as small as possible. Tools only remove text, so a token of the text after
/// is in the text before, unless a word was cut in two.
///
/// Long texts are divided at runs that occur once in both. Cost: the product of the lengths of the parts, without what both texts have
/// at the start and the end.
pub fn align(before: &[u32], after: &[u32]) -> Removed {
    let mut removed = Removed {
        is_removed: vec![false; before.len()],
        is_broken: vec![false; before.len()],
        new: 0,
    };
    let (mut row, mut column) = (0, 0);
    if before.len().saturating_mul(after.len()) > LARGE {
        for (anchor_row, anchor_column) in anchors(before, after) {
            // Anchors may overlap.
            if anchor_row >= row && anchor_column >= column {
                part(
                    &before[row..anchor_row],
                    &after[column..anchor_column],
                    row,
                    &mut removed,
                );
                (row, column) = (anchor_row + ANCHOR, anchor_column + ANCHOR);
            }
        }
    }
    part(&before[row..], &after[column..], row, &mut removed);
    removed
}

/// The places of a run in the text before and in the text after.
type Places = (Vec<usize>, Vec<usize>);

/// Returns places of runs that occur once in both texts, in an order that both texts have: the longest increasing sequence of them.
fn anchors(before: &[u32], after: &[u32]) -> Vec<(usize, usize)> {
    let mut found: HashMap<&[u32], Places> = HashMap::new();
    for (at, run) in after.windows(ANCHOR).enumerate() {
        found.entry(run).or_default().1.push(at);
    }
    for (at, run) in before.windows(ANCHOR).enumerate() {
        if let Some(places) = found.get_mut(run) {
            places.0.push(at);
        }
    }
    let once = found
        .into_values()
        .filter_map(|places| match (&places.0[..], &places.1[..]) {
            (&[row], &[column]) => Some((row, column)),
            _ => None,
        });
    let mut once: Vec<(usize, usize)> = once.collect();
    once.sort_unstable();
    // For each length, the last anchor of the best sequence; and for each anchor, the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![usize::MAX; once.len()];
    for at in 0..once.len() {
        let length = ends.partition_point(|&end| once[end].1 < once[at].1);
        if length > 0 {
            previous[at] = ends[length - 1];
        }
        if length == ends.len() {
            ends.push(at)
        } else {
            ends[length] = at
        }
    }
    let mut sequence = Vec::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        sequence.push(once[at]);
        next = Some(previous[at]).filter(|&previous| previous != usize::MAX);
    }
    sequence.reverse();
    sequence
}

/// Aligns parts of two texts. The part of the text before starts at a place.
fn part(before: &[u32], after: &[u32], place: usize, removed: &mut Removed) {
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let end = before[start..]
        .iter()
        .rev()
        .zip(after[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (rows, columns) = (before.len() - start - end, after.len() - start - end);
    let (before, after) = (&before[start..start + rows], &after[start..start + columns]);
    let start = place + start;
    if columns == 0 {
        removed.is_removed[start..start + rows].fill(true);
    } else if (rows + 1).saturating_mul(columns + 1) > MOST_CELLS {
        greedy(before, after, start, removed);
    } else {
        table(before, after, start, removed);
    }
}

/// Fills a table of the costs of all ways.
fn table(before: &[u32], after: &[u32], start: usize, removed: &mut Removed) {
    let (rows, columns) = (before.len(), after.len());
    // The state is whether the last token of `before` was removed. Bits of a cell: 0 and 1, whether the best way to this state came
    // from the removed state; 2, for the kept state, whether its last token is new.
    let width = columns + 1;
    let mut ways = vec![0_u8; (rows + 1) * width];
    let far = u32::MAX / 2;
    let (mut kept, mut gone) = (vec![far; width], vec![far; width]);
    kept[0] = 0;
    for column in 1..width {
        kept[column] = NEW * column as u32;
        ways[column] = 4;
    }
    for row in 1..=rows {
        let (mut last_kept, mut last_gone) = (kept[0], gone[0]);
        (gone[0], kept[0]) = ((kept[0] + STRETCH).min(gone[0]), far);
        ways[row * width] = if row == 1 { 0 } else { 2 };
        for column in 1..width {
            let (up_kept, up_gone) = (kept[column], gone[column]);
            let mut way = 0;
            let mut best = far;
            if before[row - 1] == after[column - 1] {
                best = last_kept.min(last_gone);
                way |= u8::from(last_gone < last_kept);
            }
            let new = kept[column - 1].min(gone[column - 1]).saturating_add(NEW);
            if new < best {
                best = new;
                way = 4 | u8::from(gone[column - 1] < kept[column - 1]);
            }
            kept[column] = best;
            gone[column] = (up_kept + STRETCH).min(up_gone);
            way |= 2 * u8::from(up_gone < up_kept + STRETCH);
            ways[row * width + column] = way;
            (last_kept, last_gone) = (up_kept, up_gone);
        }
    }
    let mut is_gone = gone[columns] < kept[columns];
    let (mut row, mut column) = (rows, columns);
    while row > 0 || column > 0 {
        let way = ways[row * width + column];
        if is_gone {
            row -= 1;
            removed.is_removed[start + row] = true;
            is_gone = way & 2 != 0;
        } else if way & 4 != 0 {
            column -= 1;
            removed.new += 1;
            for beside in [row.checked_sub(1), Some(row)]
                .into_iter()
                .flatten()
                .filter(|&beside| beside < rows)
            {
                removed.is_broken[start + beside] = true;
            }
            is_gone = row > 0 && way & 1 != 0;
        } else {
            row -= 1;
            column -= 1;
            is_gone = way & 1 != 0;
        }
    }
}

/// Aligns texts that are too long for a table: each token is found at the next place where the ones after it are found too.
fn greedy(before: &[u32], after: &[u32], start: usize, removed: &mut Removed) {
    let (mut row, mut column) = (0, 0);
    while column < after.len() {
        let found = [32, 8, 1].into_iter().find_map(|length| {
            let run = &after[column..after.len().min(column + length)];
            before[row..]
                .windows(run.len())
                .position(|window| window == run)
        });
        match found {
            Some(skipped) => {
                removed.is_removed[start + row..start + row + skipped].fill(true);
                row += skipped + 1;
            }
            None => removed.new += 1,
        }
        column += 1;
    }
    removed.is_removed[start + row..start + before.len()].fill(true);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(before: &[u32], after: &[u32]) -> Vec<usize> {
        let found = align(before, after);
        (0..before.len())
            .filter(|&at| found.is_removed[at])
            .collect()
    }

    #[test]
    fn as_few_stretches_as_possible() {
        assert_eq!(removed(&[1, 2, 3, 4, 5], &[1, 5]), [1, 2, 3]);
        assert_eq!(removed(&[1, 2, 1, 2, 3], &[1, 2, 3]), [2, 3]);
        assert_eq!(removed(&[1, 9, 2, 9, 3, 9, 4], &[1, 9, 4]).len(), 4);
        assert_eq!(removed(&[7, 1, 8, 2, 3, 9], &[1, 2, 3]), [0, 2, 5]);
        assert_eq!(removed(&[1, 2, 3], &[]), [0, 1, 2]);
    }

    #[test]
    fn a_word_that_was_cut_in_two() {
        let found = align(&[1, 2, 3, 4, 5], &[1, 99, 5]);
        assert_eq!(
            (found.is_removed, found.new),
            (vec![false, true, true, true, false], 1)
        );
    }

    #[test]
    fn long_texts_are_divided_at_runs_that_occur_once() {
        // A notice of 30 tokens interrupts the text five times; the first one is kept.
        let notice: Vec<u32> = (1000..1030).collect();
        let mut before = Vec::new();
        for part in 0..5_u32 {
            before.extend((part * 60)..(part + 1) * 60);
            before.extend(&notice);
        }
        let expected: Vec<usize> = (1..5)
            .flat_map(|part| (part * 90 + 60)..(part + 1) * 90)
            .collect();
        let after: Vec<u32> = (0..before.len())
            .filter(|at| !expected.contains(at))
            .map(|at| before[at])
            .collect();
        assert!(before.len() * after.len() > LARGE);
        assert_eq!(removed(&before, &after), expected);
    }

    #[test]
    fn the_greedy_way_agrees_on_plain_cuts() {
        let (before, after) = ([1, 2, 3, 4, 5, 6, 7], [1, 2, 6]);
        let mut found = Removed {
            is_removed: vec![false; 7],
            is_broken: vec![false; 7],
            new: 0,
        };
        greedy(&before, &after, 0, &mut found);
        assert_eq!(found.is_removed, align(&before, &after).is_removed);
    }
}
