//! Chooses the regions that are reported.

use super::{
    bags::{Common, Parts},
    settings::RegionSettings,
};

/// Returns the regions that are long, dense and good enough, the best first, except those of which better ones cover at least half,
/// in both texts. Better is a higher score, and then an earlier position. Cost: linear in the tokens of the regions.
pub(super) fn chosen(
    mut regions: Vec<(Parts, Common)>,
    lengths: [usize; 2],
    settings: &RegionSettings,
) -> Vec<Parts> {
    regions.retain(|(parts, common)| {
        parts.iter().all(|part| part.len() >= settings.tokens)
            && common.density() >= settings.density
            && common.score() >= settings.score
    });
    regions.sort_by(|(x, of_x), (y, of_y)| {
        let place = |[a, b]: &Parts| (a.start, b.start, a.end, b.end);
        of_y.weight
            .cmp(&of_x.weight)
            .then_with(|| place(x).cmp(&place(y)))
    });
    let mut covered = lengths.map(|length| vec![false; length]);
    regions.retain(|(parts, _)| {
        let is_covered = parts.iter().zip(&covered).all(|(part, covered)| {
            2 * covered[part.clone()]
                .iter()
                .filter(|&&covered| covered)
                .count()
                >= part.len()
        });
        if !is_covered {
            parts
                .iter()
                .zip(&mut covered)
                .for_each(|(part, covered)| covered[part.clone()].fill(true));
        }
        !is_covered
    });
    regions.into_iter().map(|(parts, _)| parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poor_and_covered_regions_are_left_out() {
        let common = |weight| Common {
            tokens: 20,
            weight,
            all: 40 * 1024,
        };
        let settings = RegionSettings {
            gap: 25,
            tokens: 10,
            density: 0.4,
            score: 18.0,
        };
        let regions = vec![
            ([0..20, 50..70], common(20 * 1024)),
            ([30..39, 30..60], common(30 * 1024)),
            ([40..60, 40..60], common(17 * 1024)),
            // The better region covers half of each part.
            ([10..30, 40..60], common(19 * 1024)),
            // It covers one of the parts only: the passage was copied twice.
            ([0..20, 20..40], common(19 * 1024)),
        ];
        assert_eq!(
            chosen(regions, [100, 100], &settings),
            [[0..20, 50..70], [0..20, 20..40]]
        );
    }
}
