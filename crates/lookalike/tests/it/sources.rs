//! Tests with worked examples from the literature: those that are not about a single module. The other examples are in the tests
//! of their modules.

use lookalike::{lsh::Curve, shingle::Shingling, verify::Overlap};

/// Computes the minhash of a set by its definition in *Mining of Massive Datasets*, section 3.3.2: the first of the set's rows in
/// the permuted order.
fn minhash(set: &[u64], place: impl Fn(u64) -> u64) -> u64 {
    set.iter().map(|&row| place(row)).min().unwrap()
}

fn similarity(a: &[u64], b: &[u64]) -> f64 {
    a.iter().zip(b).filter(|(x, y)| x == y).count() as f64 / a.len() as f64
}

/// The table in the course notes (`docs/sources.md`): for the columns 1-3, 2-4, 1-2, the Jaccard similarities are 0.75, 0.75, 0,
/// and the estimates with three permutations are 0.67, 1.00, 0.
#[test]
fn the_signature_matrix_of_four_columns() {
    let columns: [&[u64]; 4] = [&[1, 2, 6, 7], &[3, 4, 5], &[1, 6, 7], &[2, 3, 4, 5]];
    let orders: [[u64; 7]; 3] = [
        [3, 4, 7, 6, 1, 2, 5],
        [4, 2, 1, 3, 6, 7, 5],
        [1, 3, 7, 6, 2, 5, 4],
    ];
    let signature = |set: &[u64]| orders.map(|order| minhash(set, |row| order[row as usize - 1]));
    let signatures = columns.map(signature);
    assert_eq!(signatures, [[2, 2, 1], [1, 1, 2], [2, 4, 1], [1, 1, 2]]);
    for (a, b, jaccard, estimate) in [(0, 2, 0.75, 2.0 / 3.0), (1, 3, 0.75, 1.0), (0, 1, 0.0, 0.0)]
    {
        assert_eq!(Overlap::of(columns[a], columns[b]).resemblance(), jaccard);
        assert_eq!(similarity(&signatures[a], &signatures[b]), estimate);
    }
}

/// The two hash functions on five rows in the course notes (`docs/sources.md`): no slot agrees, although the resemblance is 1/5.
#[test]
fn two_hash_functions_instead_of_permutations() {
    let (a, b): (&[u64], &[u64]) = (&[1, 3, 4], &[2, 3, 5]);
    let signature = |set: &[u64]| [minhash(set, |x| x % 5), minhash(set, |x| (2 * x + 1) % 5)];
    assert_eq!((signature(a), signature(b)), ([1, 2], [0, 0]));
    assert_eq!(
        (
            Overlap::of(a, b).resemblance(),
            similarity(&signature(a), &signature(b))
        ),
        (0.2, 0.0)
    );
}

/// Two examples in the course notes (`docs/sources.md`): two sets that share 3 of 8 elements, and two sets that share 2 of 5
/// rows.
#[test]
fn shared_divided_by_all() {
    assert_eq!(
        Overlap {
            shared: 3,
            a: 5,
            b: 6
        }
        .resemblance(),
        3.0 / 8.0
    );
    assert_eq!(
        Overlap {
            shared: 2,
            a: 3,
            b: 4
        }
        .resemblance(),
        0.4
    );
}

/// The survey (`docs/sources.md`): if the resemblance r and the number N of rows in all bands are fixed, more bands find more
/// pairs. Also, a document of N words has N − K + 1 windows of K words.
#[test]
fn the_surveys_monotony_and_counts() {
    for r in [0.1, 0.4, 0.8] {
        let found = [1, 2, 4, 8, 16, 32, 64].map(|bands| {
            Curve {
                bands,
                rows: 64 / bands,
            }
            .found(r)
        });
        assert!(found.is_sorted(), "{found:?}");
    }
    assert!((1..=20).all(|k| Shingling::new(k).unwrap().windows(20).count() == 20 - k + 1));
}

/// The arithmetic in the course notes (`docs/sources.md`). With 20 bands of 5 rows, at most one pair in five becomes a candidate
/// at a similarity of 40 %. At 80 %, these bands miss about one of 3,000 pairs. The middle of the curve is near (1/b)^(1/r).
#[test]
fn twenty_bands_of_five_rows() {
    let curve = Curve { bands: 20, rows: 5 };
    assert!(curve.found(0.4) <= 20.0 * 0.4f64.powi(5) && curve.found(0.4) > 0.18);
    assert_eq!((3000.0 * (1.0 - curve.found(0.8))).round(), 1.0);
    let middle = curve.midpoint();
    assert!(
        (0.4..0.7).contains(&middle) && curve.found(0.7) > 0.97 && curve.found(0.4) < 0.2,
        "{middle}"
    );
}
