//! A table over all characters, filled by pages when they are first met: a run meets few of Unicode's 4352.

use std::sync::OnceLock;

const PAGE: usize = 256;
const PAGES: usize = 0x11_0000 / PAGE;

/// A function of a character, remembered by pages of 256 characters.
pub(super) struct Paged<T: 'static> {
    pages: [OnceLock<Box<[T; PAGE]>>; PAGES],
    of: fn(char) -> T,
}

impl<T: Copy> Paged<T> {
    pub(super) const fn new(of: fn(char) -> T) -> Self {
        Self { pages: [const { OnceLock::new() }; PAGES], of }
    }

    #[inline]
    pub(super) fn get(&self, c: char) -> T {
        let at = c as usize;
        let page = self.pages[at / PAGE].get_or_init(|| {
            let first = (at / PAGE * PAGE) as u32;
            // The places of surrogates are never asked for.
            Box::new(std::array::from_fn(|i| (self.of)(char::from_u32(first + i as u32).unwrap_or(char::REPLACEMENT_CHARACTER))))
        });
        page[at % PAGE]
    }
}
