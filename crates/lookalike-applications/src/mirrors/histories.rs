//! Follows pages through several crawls of the same sites.
//!
//! Each page of a crawl continues the history of one page of the crawl before, or begins a history. Pages of consecutive crawls are
//! paired one to one, so histories neither split nor merge.

use std::collections::BTreeMap;

use super::{Counterpart, Evidence};

/// What happened to a page from one crawl to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// The page is in no earlier crawl.
    Appeared,
    /// The page was not in the crawl before, but an earlier crawl has a page at the same address that had disappeared.
    Returned,
    /// The page has the same address, and the same shingles.
    Unchanged,
    /// The page has the same address, and other shingles.
    Changed,
    /// The page has another address. Its text may have changed too.
    Moved,
    /// The page is not in this crawl, and was in the crawl before.
    Disappeared,
}

/// An event in the history of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Happened {
    /// The number of the history. Histories are numbered in the order of their first crawls, then of their first pages.
    pub history: u64,
    /// What happened.
    pub event: Event,
    /// The page of this crawl, or of the crawl before if the page disappeared.
    pub page: u64,
    /// The resemblance to the page of the crawl before, and why both are taken for the same page; none if the page is not in both
    /// crawls.
    pub counterpart: Option<(f64, Evidence)>,
}

/// The histories of the pages that are known so far. Takes 8 bytes for each page of the latest crawl, and about 40 for each page
/// that disappeared.
#[derive(Debug, Default)]
pub struct Histories {
    /// The history of each page of the latest crawl.
    of: Vec<u64>,
    count: u64,
    /// The history of the last page at each address at which a page disappeared.
    gone: BTreeMap<u128, u64>,
}

impl Histories {
    /// Returns the number of histories.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns an upper bound of the memory that this takes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.of) + self.gone.len() * 2 * size_of::<(u128, u64)>()
    }

    /// Returns whether a page disappeared at this address, and no other page has been there since.
    pub fn is_gone(&self, address: u128) -> bool {
        self.gone.contains_key(&address)
    }

    /// Adds the next crawl, which has `pages` pages, and passes its events to `give`: first those of the pages of this crawl, by
    /// number, then the pages that disappeared, by number. `counterparts` has the pairs of a page of the crawl before and a page of
    /// this crawl, one to one and sorted by the first page. `before` and `now` return the address of a page of the two crawls.
    ///
    /// If several pages with the same address disappear, only the last can return.
    ///
    /// # Errors
    /// Returns the first error of `give` and stops.
    pub fn add<E>(
        &mut self,
        pages: u64,
        counterparts: &[Counterpart],
        before: impl Fn(u64) -> u128,
        now: impl Fn(u64) -> u128,
        mut give: impl FnMut(Happened) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut from: Vec<Option<&Counterpart>> = vec![None; pages as usize];
        counterparts
            .iter()
            .for_each(|pair| from[pair.b as usize] = Some(pair));
        let mut of = Vec::with_capacity(pages as usize);
        for (page, from) in (0..pages).zip(from) {
            let address = now(page);
            // Another page at this address ends the wait for the page that disappeared there.
            let gone = self.gone.remove(&address);
            let (history, event) = match from {
                Some(pair) if before(pair.a) != address => (self.of[pair.a as usize], Event::Moved),
                Some(pair) if pair.resemblance < 1.0 => (self.of[pair.a as usize], Event::Changed),
                Some(pair) => (self.of[pair.a as usize], Event::Unchanged),
                None => match gone {
                    Some(history) => (history, Event::Returned),
                    None => {
                        self.count += 1;
                        (self.count - 1, Event::Appeared)
                    }
                },
            };
            of.push(history);
            give(Happened {
                history,
                event,
                page,
                counterpart: from.map(|pair| (pair.resemblance, pair.evidence)),
            })?;
        }
        let mut paired = counterparts.iter().map(|pair| pair.a).peekable();
        for (page, history) in (0..).zip(std::mem::replace(&mut self.of, of)) {
            if paired.next_if_eq(&page).is_none() {
                self.gone.insert(before(page), history);
                give(Happened {
                    history,
                    event: Event::Disappeared,
                    page,
                    counterpart: None,
                })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The address of a page, and the page of the crawl before that it continues, with the resemblance.
    type Continued = (u128, Option<(u64, f64)>);
    type Crawl = Vec<Continued>;

    fn counterparts(crawl: &Crawl) -> Vec<Counterpart> {
        let pair = |((_, from), b): (&Continued, u64)| {
            let (a, resemblance) = (*from)?;
            Some(Counterpart {
                a,
                b,
                resemblance,
                same_path: true,
                evidence: Evidence::Match,
            })
        };
        let mut pairs: Vec<Counterpart> = crawl.iter().zip(0..).filter_map(pair).collect();
        pairs.sort_by_key(|pair| pair.a);
        pairs
    }

    fn run(crawls: &[Crawl]) -> Vec<Vec<(u64, Event, u64)>> {
        let (mut histories, mut all, mut before) = (Histories::default(), Vec::new(), Crawl::new());
        for crawl in crawls {
            let mut events = Vec::new();
            let (old, new) = (
                |page: u64| before[page as usize].0,
                |page: u64| crawl[page as usize].0,
            );
            let give = |happened: Happened| {
                events.push((happened.history, happened.event, happened.page));
                Ok::<(), ()>(())
            };
            histories
                .add(crawl.len() as u64, &counterparts(crawl), old, new, give)
                .unwrap();
            all.push(events);
            before = crawl.clone();
        }
        all
    }

    #[test]
    fn a_page_moves_changes_disappears_and_returns() {
        use Event::{Appeared, Changed, Disappeared, Moved, Returned, Unchanged};
        let crawls = [
            vec![(1, None), (2, None)],
            vec![(1, Some((0, 1.0))), (3, Some((1, 0.9)))],
            vec![(1, Some((0, 0.5)))],
            vec![(3, None), (1, Some((0, 1.0))), (4, None)],
        ];
        assert_eq!(
            run(&crawls),
            [
                vec![(0, Appeared, 0), (1, Appeared, 1)],
                vec![(0, Unchanged, 0), (1, Moved, 1)],
                vec![(0, Changed, 0), (1, Disappeared, 1)],
                vec![(1, Returned, 0), (0, Unchanged, 1), (2, Appeared, 2)],
            ]
        );
    }

    fn crawls() -> impl Strategy<Value = Vec<Crawl>> {
        // Each page continues the page of this number in the crawl before, if that page exists and no other page continues it.
        let page = (
            0u128..12,
            prop::option::of((0u64..12, prop::sample::select(vec![0.4, 1.0]))),
        );
        prop::collection::vec(prop::collection::vec(page, 0..12), 1..6).prop_map(
            |mut crawls: Vec<Crawl>| {
                let mut pages = 0;
                for crawl in &mut crawls {
                    let mut taken = vec![false; pages];
                    for (_, from) in crawl.iter_mut() {
                        *from = from.filter(|&(a, _)| {
                            taken
                                .get_mut(a as usize)
                                .is_some_and(|taken| !std::mem::replace(taken, true))
                        });
                    }
                    pages = crawl.len();
                }
                crawls
            },
        )
    }

    proptest! {
        /// Checks histories against the definition of each event, by following each history from crawl to crawl.
        #[test]
        fn every_page_is_in_one_history_and_every_event_is_what_it_says(crawls in crawls()) {
            let all = run(&crawls);
            // The page of each history in the crawl before, and all pages that it had.
            let mut present: BTreeMap<u64, u64> = BTreeMap::new();
            let mut last: BTreeMap<u64, u128> = BTreeMap::new();
            for (number, (events, crawl)) in all.iter().zip(&crawls).enumerate() {
                let mut now = BTreeMap::new();
                for &(history, event, page) in events {
                    if event == Event::Disappeared {
                        prop_assert_eq!(present.get(&history), Some(&page));
                        prop_assert!(crawl.iter().all(|(_, from)| from.is_none_or(|from| from.0 != page)));
                        continue;
                    }
                    prop_assert!(now.insert(history, page).is_none(), "a history has two pages");
                    let (address, from) = crawl[page as usize];
                    let expected = match from {
                        None if last.get(&history) == Some(&address) => Event::Returned,
                        None => Event::Appeared,
                        Some((a, _)) if crawls[number - 1][a as usize].0 != address => Event::Moved,
                        Some((_, 1.0)) => Event::Unchanged,
                        Some(_) => Event::Changed,
                    };
                    prop_assert_eq!(event, expected);
                    prop_assert_eq!(from.map(|from| from.0), present.get(&history).copied());
                    prop_assert_eq!(event == Event::Appeared, !last.contains_key(&history));
                }
                prop_assert_eq!(now.len(), crawl.len());
                let gone = events.iter().filter(|event| event.1 == Event::Disappeared).count();
                prop_assert_eq!(gone, present.keys().filter(|history| !now.contains_key(history)).count());
                last.extend(now.iter().map(|(&history, &page)| (history, crawl[page as usize].0)));
                present = now;
            }
        }
    }
}
