//! Splits tokens into eight-byte units, and holds the constants for sliding a window of k units.

use crate::text::Tokens;

/// The constants of a sliding window of units: the values that do not change while the window slides.
///
/// With e = xˢ, where s is the shift that aligns a unit, the residue of a window with the units u₁ … u_k is Σ uᵢ·x⁶⁴⁽ᵏ⁻ⁱ⁾·e. One
/// step multiplies it by x⁶⁴, then adds u·e for the entering unit and u·x⁶⁴ᵏ·e for the leaving one (over GF(2), adding is
/// subtracting).
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Units in the window.
    pub k: usize,
    /// x⁶⁴ᵏ·e mod M: the leaving unit's multiplier, and also the term of the leading 1 bit.
    pub one: u64,
    /// The first window's residue, without the leading bit.
    pub first: u64,
    /// 64 − l: the unused lower bits of a residue.
    pub spare: u32,
}

impl Window {
    #[inline]
    pub(super) fn fingerprint(self, residue: u64) -> u64 {
        (residue ^ self.one) >> self.spare
    }
}

/// Fills `units` with the tokens, split into units of eight bytes; a unit's first byte is its highest. A shorter token is padded
/// with NULs, which no token contains; a longer one takes as many units as it needs (Broder 1997, section 4.3).
pub(super) fn fill_units(tokens: &Tokens, units: &mut Vec<u64>) {
    units.clear();
    if tokens.is_empty() {
        return;
    }
    let (text, ends, gap) = tokens.raw();
    units.reserve(ends.len());
    let mut at = 0;
    for &end in ends {
        while end - at > 8 {
            units.push(eight(text, at));
            at += 8;
        }
        units.push(eight(text, at) & u64::MAX << (64 - 8 * (end - at)));
        at = end + gap;
    }
}

#[inline]
fn eight(text: &[u8], at: usize) -> u64 {
    text[at..]
        .first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
