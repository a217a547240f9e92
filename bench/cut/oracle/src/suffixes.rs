//! Suffix arrays of several texts, made by libsais.

use libsais::SuffixArrayConstruction;

/// No class: the window occurs only once.
pub const ALONE: u32 = u32::MAX;

/// Texts that are joined, with a symbol after each that occurs nowhere else. So no repeated run crosses the end of a text.
#[derive(Debug, Default)]
pub struct Joined {
    symbols: Vec<i32>,
    /// The text of each place.
    pub text: Vec<u32>,
    /// The start of each text.
    pub starts: Vec<usize>,
}

/// A suffix array, with the length of the prefix that each suffix shares with the one before it.
#[derive(Debug)]
pub struct Suffixes {
    pub array: Vec<i32>,
    pub shared: Vec<i32>,
}

impl Joined {
    /// Joins texts of numbered tokens.
    pub fn new<'a>(texts: impl Iterator<Item = &'a [u32]> + Clone) -> Self {
        let count = texts.clone().count();
        let mut joined = Self::default();
        for (number, text) in texts.enumerate() {
            joined.starts.push(joined.symbols.len());
            joined
                .symbols
                .extend(text.iter().map(|&token| (count as u32 + token) as i32));
            joined.symbols.push(number as i32);
            joined.text.resize(joined.symbols.len(), number as u32);
        }
        joined
    }

    /// Makes the suffix array. Cost: about 0.2 µs and 20 bytes per token.
    pub fn suffixes(&mut self) -> Suffixes {
        if self.symbols.is_empty() {
            return Suffixes {
                array: Vec::new(),
                shared: Vec::new(),
            };
        }
        let made = SuffixArrayConstruction::for_text_mut(&mut self.symbols)
            .in_owned_buffer32()
            .single_threaded()
            .run();
        let array = made.expect("the array fits into memory").into_vec();
        let shared = self.shared(&array);
        Suffixes { array, shared }
    }

    /// Returns how many symbols each suffix shares with the one before it in the array (Kasai et al. 2001).
    fn shared(&self, array: &[i32]) -> Vec<i32> {
        let mut before = vec![-1_i32; array.len()];
        for pair in array.windows(2) {
            before[pair[1] as usize] = pair[0];
        }
        let mut by_place = vec![0_i32; array.len()];
        let mut length = 0_usize;
        for place in 0..array.len() {
            let Ok(other) = usize::try_from(before[place]) else {
                length = 0;
                continue;
            };
            // The symbol at the end of a text occurs once, so this stops before the end.
            while self.symbols[place + length] == self.symbols[other + length] {
                length += 1;
            }
            by_place[place] = length as i32;
            length = length.saturating_sub(1);
        }
        array
            .iter()
            .map(|&place| by_place[place as usize])
            .collect()
    }
}

impl Suffixes {
    /// Returns for each place the class of the window of n tokens that starts there, and the number of classes. Equal windows have
    /// the same class.
    pub fn classes(&self, window: usize) -> (Vec<u32>, usize) {
        let mut classes = vec![ALONE; self.array.len()];
        let mut count = 0_u32;
        for at in 1..self.array.len() {
            if (self.shared[at] as usize) < window {
                continue;
            }
            let before = self.array[at - 1] as usize;
            if classes[before] == ALONE {
                classes[before] = count;
                count += 1;
            }
            classes[self.array[at] as usize] = classes[before];
        }
        (classes, count as usize)
    }

    /// Returns for each place the longest run that starts there and also starts at another place for which `is_other` holds.
    pub fn longest(&self, is_other: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut longest = vec![0_u32; self.array.len()];
        let mut sweep = |order: &mut dyn Iterator<Item = usize>,
                         shared_with_last: &dyn Fn(usize) -> i32| {
            // The length that the current suffix shares with the last one for which `is_other` holds.
            let mut length = 0;
            for at in order {
                length = length.min(shared_with_last(at));
                let place = self.array[at] as usize;
                longest[place] = longest[place].max(length as u32);
                if is_other(place) {
                    length = i32::MAX;
                }
            }
        };
        sweep(&mut (0..self.array.len()), &|at| self.shared[at]);
        sweep(&mut (0..self.array.len()).rev(), &|at| {
            self.shared.get(at + 1).copied().unwrap_or(0)
        });
        longest
    }
}
