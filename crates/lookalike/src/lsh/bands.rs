//! Converts a signature to one key per band.

use super::Curve;

/// The multiplier of the band keys: a random odd number.
const M: u64 = 0xd3a1_7b5c_94e6_2f8d;

/// Yields the key of each band: the upper 32 bits of x₁·Mʳ + … + xᵣ·M modulo 2⁶⁴, where x₁ … xᵣ are the band's rows. The rows are
/// minima, which are random numbers themselves, so two bands with different rows have the same key with probability 2⁻³². Like
/// the fingerprints, the keys are the same in every release and on every machine. Cost: one multiplication per row. An earlier
/// version mixed each row fully, which accounted for a quarter of the time that it took to sketch a short text.
///
/// The number of the band is not mixed into its key, because keys are only ever compared within a band. Two texts share a band's
/// key by chance with probability 2⁻³². In a collection of 10⁹ texts, each text then has a quarter of a false candidate per band
/// on average, which the b-bit sketch rules out in nanoseconds. In return, keys take half the memory of 64-bit keys.
#[inline]
pub fn band_keys(slots: &[u32], curve: Curve) -> impl Iterator<Item = u32> {
    slots
        .chunks_exact(curve.rows)
        .take(curve.bands)
        .map(|rows| {
            (rows.iter().fold(0u64, |key, &row| {
                key.wrapping_add(row.into()).wrapping_mul(M)
            }) >> 32) as u32
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_frozen_and_depend_on_each_row() {
        let curve = Curve { bands: 2, rows: 3 };
        let keys = |slots: [u32; 6]| band_keys(&slots, curve).collect::<Vec<_>>();
        let base = keys([1, 2, 3, 4, 5, 6]);
        assert_eq!(base, [2678272746, 662307738]);
        assert_ne!(keys([1, 2, 9, 4, 5, 6])[0], base[0]);
        assert_ne!(keys([2, 1, 3, 4, 5, 6])[0], base[0]);
        assert_eq!(keys([1, 2, 9, 4, 5, 6])[1], base[1]);
    }
}
