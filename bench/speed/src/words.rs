//! Synthetic words: 16 million, each of two syllables out of 4,096.

/// The number of syllables.
pub const SYLLABLES: usize = 4096;

/// Returns a syllable, half a word, with its length in the last byte. It has two consonants, each followed by a vowel, and in one
/// case of four a third consonant.
pub fn syllable(number: u64) -> [u8; 8] {
    const CONSONANTS: &[u8; 16] = b"bcdfghklmnprstvz";
    const VOWELS: &[u8; 4] = b"aeio";
    // No two syllables are equal, because the mapping from numbers to syllables is one to one. It uses 4 + 2 + 4 + 2 bits of the
    // number.
    let of = |shift: u32| (number >> shift) as usize;
    let mut out = [
        CONSONANTS[of(0) % 16],
        VOWELS[of(4) % 4],
        CONSONANTS[of(6) % 16],
        VOWELS[of(10) % 4],
        b'n',
        b' ',
        b' ',
        4,
    ];
    out[7] += u8::from(of(0) % 4 == 3);
    out
}

/// Appends the word for a random number, and a space.
pub fn push(random: u64, out: &mut Vec<u8>) {
    for half in [random, random >> 32] {
        let syllable = syllable(half % SYLLABLES as u64);
        out.extend_from_slice(&syllable[..usize::from(syllable[7])]);
    }
    out.push(b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_words_are_all_different() {
        let halves: std::collections::BTreeSet<_> = (0..SYLLABLES as u64).map(syllable).collect();
        assert_eq!(halves.len(), SYLLABLES);
    }
}
