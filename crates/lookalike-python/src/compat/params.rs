//! Implements datasketch's choice of bands and rows, which minimises the weighted sum of two areas: the area under the S-curve
//! below the threshold, and the area over the S-curve above it. The areas are integrated in the same way as in datasketch.

use pyo3::prelude::*;

/// scipy's default tolerance for QUADPACK, both absolute and relative.
const TOLERANCE: f64 = 1.49e-8;

/// The maximum number of intervals, scipy's default.
const INTERVALS: usize = 50;

/// The points of the 21-point Kronrod rule, from the outermost inward. Every second point is one of the ten Gauss points.
const POINTS: [f64; 10] = [
    0.995_657_163_025_808_1,
    0.973_906_528_517_171_7,
    0.930_157_491_355_708_2,
    0.865_063_366_688_984_5,
    0.780_817_726_586_416_9,
    0.679_409_568_299_024_4,
    0.562_757_134_668_604_7,
    0.433_395_394_129_247_2,
    0.294_392_862_701_460_2,
    0.148_874_338_981_631_22,
];

const KRONROD: [f64; 11] = [
    0.011_694_638_867_371_874,
    0.032_558_162_307_964_725,
    0.054_755_896_574_351_995,
    0.075_039_674_810_919_96,
    0.093_125_454_583_697_6,
    0.109_387_158_802_297_64,
    0.123_491_976_262_065_84,
    0.134_709_217_311_473_34,
    0.142_775_938_577_060_09,
    0.147_739_104_901_338_49,
    0.149_445_554_002_916_9,
];

const GAUSS: [f64; 5] = [
    0.066_671_344_308_688_14,
    0.149_451_349_150_580_6,
    0.219_086_362_515_982_04,
    0.269_266_719_309_996_35,
    0.295_524_224_714_752_87,
];

/// Returns the integral from `a` to `b` by 21 points (QUADPACK's `qk21`), and its error estimate. The flag is true if the error
/// estimate equals the whole spread of the values and therefore says nothing.
fn kronrod(f: &impl Fn(f64) -> f64, a: f64, b: f64) -> (f64, f64, bool) {
    let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
    let middle = f(centre);
    let sides = POINTS.map(|x| (f(centre - half * x), f(centre + half * x)));
    // Sum the Gauss points first, as QUADPACK does. The same numbers in another order can give a different sum.
    let order = [1, 3, 5, 7, 9, 0, 2, 4, 6, 8];
    let mut kronrod = KRONROD[10] * middle;
    let mut gauss = 0.0;
    let mut absolute = kronrod.abs();
    for i in order {
        let (below, above) = sides[i];
        kronrod += KRONROD[i] * (below + above);
        absolute += KRONROD[i] * (below.abs() + above.abs());
        if i % 2 == 1 {
            gauss += GAUSS[i / 2] * (below + above);
        }
    }
    let mean = kronrod * 0.5;
    let mut spread = KRONROD[10] * (middle - mean).abs();
    for (i, (below, above)) in sides.iter().enumerate() {
        spread += KRONROD[i] * ((below - mean).abs() + (above - mean).abs());
    }
    let (absolute, spread) = (absolute * half, spread * half);
    let mut error = ((kronrod - gauss) * half).abs();
    if spread != 0.0 && error != 0.0 {
        error = spread * (200.0 * error / spread).powf(1.5).min(1.0);
    }
    if absolute > f64::MIN_POSITIVE / (50.0 * f64::EPSILON) {
        error = error.max(50.0 * f64::EPSILON * absolute);
    }
    (kronrod * half, error, error == spread && error != 0.0)
}

/// Returns the integral from `a` to `b`. It halves the interval with the largest error estimate until the total error is within
/// the tolerance.
fn integral(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let whole = kronrod(&f, a, b);
    let mut parts = vec![(a, b, whole)];
    loop {
        let sum: f64 = parts.iter().map(|part| part.2.0).sum();
        let error: f64 = parts.iter().map(|part| part.2.1).sum();
        let worst = parts
            .iter()
            .enumerate()
            .max_by(|x, y| x.1.2.1.total_cmp(&y.1.2.1))
            .map(|(i, _)| i);
        let unsure = parts.len() == 1 && whole.2;
        match worst {
            Some(worst)
                if (error > TOLERANCE.max(TOLERANCE * sum.abs()) || unsure)
                    && parts.len() < INTERVALS =>
            {
                let (a, b, _) = parts.swap_remove(worst);
                let middle = 0.5 * (a + b);
                parts.push((a, middle, kronrod(&f, a, middle)));
                parts.push((middle, b, kronrod(&f, middle, b)));
            }
            _ => return sum,
        }
    }
}

/// Returns the bands and rows (the shape) with the smallest weighted sum of both areas. If several shapes have the same sum, it
/// returns the first of them.
fn best(shapes: impl Iterator<Item = (u32, u32)>, error: impl Fn(f64, f64) -> f64) -> (u32, u32) {
    let (mut least, mut best) = (f64::INFINITY, (0, 0));
    for (b, r) in shapes {
        let error = error(b.into(), r.into());
        if error < least {
            (least, best) = (error, (b, r));
        }
    }
    best
}

/// Returns the bands and rows of `MinHashLSH` for a threshold of resemblance.
#[pyfunction]
pub fn datasketch_params(
    py: Python<'_>,
    threshold: f64,
    num_perm: u32,
    false_positive_weight: f64,
    false_negative_weight: f64,
) -> (u32, u32) {
    let shapes = (1..=num_perm).flat_map(|b| (1..=num_perm / b).map(move |r| (b, r)));
    py.detach(|| {
        best(shapes, |b, r| {
            let found = |s: f64| 1.0 - (1.0 - s.powf(r)).powf(b);
            let missed = |s: f64| 1.0 - (1.0 - (1.0 - s.powf(r)).powf(b));
            integral(found, 0.0, threshold) * false_positive_weight
                + integral(missed, threshold, 1.0) * false_negative_weight
        })
    })
}

/// Returns the bands and rows of `MinHashLSHEnsemble` for a threshold of containment, if indexed sets are `xq` times as large as
/// the query.
#[pyfunction]
pub fn datasketch_containment_params(
    py: Python<'_>,
    threshold: f64,
    num_perm: u32,
    max_r: u32,
    xq: f64,
    false_positive_weight: f64,
    false_negative_weight: f64,
) -> (u32, u32) {
    let shapes = (1..=num_perm).flat_map(|b| (1..=max_r.min(num_perm / b)).map(move |r| (b, r)));
    py.detach(|| {
        best(shapes, |b, r| {
            let band = move |t: f64| (1.0 - (t / (1.0 + xq - t)).powf(r)).powf(b);
            let found = |t: f64| 1.0 - band(t);
            let missed = |t: f64| 1.0 - (1.0 - band(t));
            let false_positive = integral(found, 0.0, threshold.min(xq));
            let false_negative = if xq >= threshold {
                integral(missed, threshold, xq.min(1.0))
            } else {
                0.0
            };
            false_positive * false_positive_weight + false_negative * false_negative_weight
        })
    })
}
