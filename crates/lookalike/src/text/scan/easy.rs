//! Finds the *easy* characters outside ASCII by comparing bytes. (The module `scan` defines them: frequent characters that do not
//! depend on their neighbours.) One vector has the characters' first bytes, another their second bytes, and a third their third
//! bytes.
//!
//! A test checks each easy character against the table of characters. Rare characters are left out, so that the scan treats them
//! as hard.

use super::lanes::Lanes;

/// First bytes of easy characters outside ASCII, by their length in bytes.
pub(super) struct Easy {
    /// Letters of words.
    pub(super) letters2: u64,
    pub(super) letters3: u64,
    /// Characters that are tokens of their own.
    pub(super) solos: u64,
    /// Separators.
    pub(super) gaps2: u64,
    pub(super) gaps3: u64,
}

impl Easy {
    #[inline(always)]
    pub(super) fn of<L: Lanes>(
        lanes: L,
        first: L::Bytes,
        second: L::Bytes,
        third: L::Bytes,
    ) -> Self {
        // These are macros and not closures, because closures would not be compiled again for each processor.
        macro_rules! within {
            ($bytes:expr, $low:literal..=$high:literal) => {
                lanes.within($bytes, $low, $high)
            };
            ($bytes:expr, $($low:literal..=$high:literal),+) => {
                or!($(lanes.within($bytes, $low, $high)),+)
            };
        }
        macro_rules! or {
            ($one:expr $(, $other:expr)*) => {{
                let any = $one;
                $(let any = lanes.or(any, $other);)*
                any
            }};
        }
        macro_rules! and {
            ($one:expr, $other:expr) => {
                lanes.and($one, $other)
            };
        }
        macro_rules! is {
            ($byte:literal) => {
                lanes.within(first, $byte, $byte)
            };
        }
        macro_rules! then {
            ($byte:literal) => {
                lanes.within(second, $byte, $byte)
            };
        }

        let mut easy = Self {
            letters2: 0,
            letters3: 0,
            solos: 0,
            gaps2: 0,
            gaps3: 0,
        };
        let asian = lanes.within(first, 0xe3, 0xef);
        if lanes.bits(asian) != 0 {
            // U+3040–30FF without the voicing marks and the ligatures, and U+3400–3FFF.
            let hiragana = or!(
                and!(then!(0x81), within!(third, 0x81..=0xbf)),
                and!(then!(0x82), within!(third, 0x80..=0x96, 0xa1..=0xbf))
            );
            let katakana = and!(then!(0x83), within!(third, 0x80..=0xba, 0xbc..=0xbc));
            let of_e3 = or!(or!(hiragana, katakana), within!(second, 0x90..=0xbf));
            // U+4000–9FFF without the hexagrams U+4DC0–4DFF.
            let of_e4 = and!(is!(0xe4), within!(second, 0x80..=0xb6, 0xb8..=0xbf));
            easy.solos = lanes.bits(or!(
                or!(and!(is!(0xe3), of_e3), of_e4),
                within!(first, 0xe5..=0xe9)
            ));

            // U+AC00–D77F.
            let of_ea = and!(is!(0xea), within!(second, 0xb0..=0xbf));
            let of_ed = and!(is!(0xed), within!(second, 0x80..=0x9d));
            easy.letters3 = lanes.bits(or!(or!(of_ea, of_ed), within!(first, 0xeb..=0xec)));

            // U+3000–3004, 3008–3020, 30FB; U+FF01–FF0F, FF1A–FF20, FF3B–FF40, FF5B–FF65.
            let of_e3 = or!(
                and!(then!(0x80), within!(third, 0x80..=0x84, 0x88..=0xa0)),
                and!(then!(0x83), within!(third, 0xbb..=0xbb))
            );
            let of_bc = and!(
                then!(0xbc),
                or!(
                    within!(third, 0x81..=0x8f, 0x9a..=0xa0),
                    within!(third, 0xbb..=0xbf)
                )
            );
            let of_bd = and!(then!(0xbd), within!(third, 0x80..=0x80, 0x9b..=0xa5));
            easy.gaps3 = lanes.bits(or!(
                and!(is!(0xe3), of_e3),
                and!(is!(0xef), or!(of_bc, of_bd))
            ));
        }
        let western = lanes.within(first, 0xc2, 0xe2);
        if lanes.bits(western) != 0 {
            // U+2010–2027 without the double low line, 202F–203D; U+2500–25FF.
            let of_80 = and!(
                then!(0x80),
                or!(
                    within!(third, 0x90..=0x96, 0x98..=0xa7),
                    within!(third, 0xaf..=0xbd)
                )
            );
            easy.gaps3 |= lanes.bits(and!(is!(0xe2), or!(of_80, within!(second, 0x94..=0x97))));
            // U+00A0–00A7, 00AB, 00AE, 00B7, 00BB.
            let of_c2 = or!(
                within!(second, 0xa0..=0xa7, 0xab..=0xab),
                within!(second, 0xae..=0xae, 0xb7..=0xb7)
            );
            easy.gaps2 = lanes.bits(and!(is!(0xc2), or!(of_c2, then!(0xbb))));
            // U+00E0–00FF without the division sign; U+0430–045F.
            let of_c3 = and!(is!(0xc3), within!(second, 0xa0..=0xb6, 0xb8..=0xbf));
            let of_d0 = and!(is!(0xd0), within!(second, 0xb0..=0xbf));
            let of_d1 = and!(is!(0xd1), within!(second, 0x80..=0x9f));
            easy.letters2 = lanes.bits(or!(or!(of_c3, of_d0), of_d1));
        }
        easy
    }
}
