//! Compares the results of the module with those of a naive reference implementation, which compares every page with every other.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Counterpart, Evidence, Likes, Mirrors, Page, ShareOf, Side, SitePair};

/// Pages of a side as (group, site, path). Pages of group [`GROUPS`] match no other page.
type Pages = Vec<(u32, u32, u64)>;

const GROUPS: u32 = 8;
const SITES: u32 = 4;

fn pages(given: &Pages) -> Vec<Page> {
    given
        .iter()
        .zip(0..)
        .map(|(&(group, site, path), page)| Page {
            group,
            site,
            page,
            path,
        })
        .collect()
}

fn side(given: &Pages) -> Side {
    let mut sites = vec![0; SITES as usize];
    given
        .iter()
        .for_each(|&(_, site, _)| sites[site as usize] += 1);
    let all = pages(given);
    // Add the pages in a different order from that of their numbers.
    Side::new(
        GROUPS,
        all.into_iter()
            .rev()
            .filter(|page| page.group < GROUPS)
            .collect(),
        sites,
    )
}

/// Accepts each pair, in order, if both of its pages are free.
fn one_to_one(mut all: Vec<Counterpart>) -> Vec<Counterpart> {
    let (mut of_a, mut of_b) = (BTreeSet::new(), BTreeSet::new());
    all.retain(|pair| {
        let free = !of_a.contains(&pair.a) && !of_b.contains(&pair.b);
        if free {
            of_a.insert(pair.a);
            of_b.insert(pair.b);
        }
        free
    });
    all.sort_by_key(|pair| pair.a);
    all
}

struct Twin {
    a: Vec<Page>,
    b: Vec<Page>,
    within: bool,
    likes: BTreeMap<(u32, u32), f64>,
}

impl Twin {
    fn resemblance(&self, a: &Page, b: &Page) -> Option<f64> {
        match (a.group < GROUPS && b.group < GROUPS, a.group == b.group) {
            (false, _) => None,
            (true, true) => Some(1.0),
            (true, false) => self
                .likes
                .get(&(a.group.min(b.group), a.group.max(b.group)))
                .copied(),
        }
    }

    fn all(&self, a: u32, b: u32) -> Vec<Counterpart> {
        let mut all = Vec::new();
        for p in self.a.iter().filter(|page| page.site == a) {
            for q in self.b.iter().filter(|page| page.site == b) {
                if let Some(resemblance) = self.resemblance(p, q) {
                    all.push(Counterpart {
                        a: p.page,
                        b: q.page,
                        resemblance,
                        same_path: p.path == q.path,
                        evidence: Evidence::Match,
                    });
                }
            }
        }
        all
    }

    fn counterparts(&self, a: u32, b: u32) -> Vec<Counterpart> {
        let mut all = self.all(a, b);
        all.sort_by(|p, q| {
            let alike = q.resemblance.total_cmp(&p.resemblance);
            q.same_path
                .cmp(&p.same_path)
                .then(alike)
                .then((p.a, p.b).cmp(&(q.a, q.b)))
        });
        one_to_one(all)
    }

    fn successors(&self) -> Vec<Counterpart> {
        let of = |pages: &[Page], page: u64| pages[page as usize];
        let mut all: Vec<Counterpart> = (0..SITES)
            .flat_map(|a| (0..SITES).flat_map(move |b| self.all(a, b)))
            .collect();
        all.sort_by(|p, q| {
            let same_site =
                |pair: &Counterpart| of(&self.a, pair.a).site == of(&self.b, pair.b).site;
            let rank = |pair: &Counterpart| (same_site(pair), pair.same_path);
            rank(q)
                .cmp(&rank(p))
                .then(q.resemblance.total_cmp(&p.resemblance))
                .then((p.a, p.b).cmp(&(q.a, q.b)))
        });
        one_to_one(all)
    }

    fn site_pair(&self, a: u32, b: u32) -> SitePair {
        let pages =
            |pages: &[Page], site| pages.iter().filter(|page| page.site == site).count() as u64;
        let all = self.all(a, b);
        SitePair {
            a,
            b,
            pages_a: pages(&self.a, a),
            pages_b: pages(&self.b, b),
            matched_a: all.iter().map(|pair| pair.a).collect::<BTreeSet<_>>().len() as u64,
            matched_b: all.iter().map(|pair| pair.b).collect::<BTreeSet<_>>().len() as u64,
        }
    }

    /// Returns whether some page of the first site generates this pair of sites. Such a page has a match on the second site, and
    /// has matches on at most `common` sites.
    fn makes(
        &self,
        (side, site): (&[Page], u32),
        (others, other): (&[Page], u32),
        common: Option<usize>,
    ) -> bool {
        side.iter().filter(|page| page.site == site).any(|page| {
            let like = others
                .iter()
                .filter(|like| self.resemblance(page, like).is_some());
            let sites: BTreeSet<u32> = like.map(|like| like.site).collect();
            sites.contains(&other) && common.is_none_or(|common| sites.len() <= common)
        })
    }

    fn site_pairs(&self, share: f64, of: ShareOf, common: Option<usize>) -> Vec<SitePair> {
        let all = (0..SITES).flat_map(|a| (0..SITES).map(move |b| (a, b)));
        let pairs = all
            .filter(|(a, b)| !self.within || a < b)
            .map(|(a, b)| self.site_pair(a, b));
        let reaches = |pair: &SitePair| {
            let (a, b) = (pair.share_a() >= share, pair.share_b() >= share);
            let (of_a, of_b) = ((&*self.a, pair.a), (&*self.b, pair.b));
            let (by_a, by_b) = (
                self.makes(of_a, of_b, common),
                self.makes(of_b, of_a, common),
            );
            match of {
                ShareOf::Both => a && b && by_a,
                ShareOf::Either => a && by_a || b && by_b,
                ShareOf::A => a && by_a,
                ShareOf::B => b && by_b,
            }
        };
        let mut pairs: Vec<SitePair> = pairs.filter(reaches).collect();
        pairs.sort_by_key(|pair| (pair.a, pair.b));
        pairs
    }
}

proptest! {
    #[test]
    fn the_closest_pair_has_the_largest_share_of_all(
        a in some_pages(),
        b in prop::option::of(some_pages()),
        likes in some_likes(),
        of in prop::sample::select(vec![ShareOf::Both, ShareOf::Either, ShareOf::A, ShareOf::B]),
    ) {
        let pairs: Vec<(u32, u32, f64)> = likes.iter().map(|(&(a, b), &resemblance)| (a, b, resemblance)).collect();
        let mirrors = Mirrors::new(side(&a), b.as_ref().map(side), Likes::new(GROUPS, &pairs));
        let twin = Twin { a: pages(&a), b: pages(b.as_ref().unwrap_or(&a)), within: b.is_none(), likes };
        let share = |pair: &SitePair| match of {
            ShareOf::Both => pair.lesser(),
            ShareOf::Either => pair.share_a().max(pair.share_b()),
            ShareOf::A => pair.share_a(),
            ShareOf::B => pair.share_b(),
        };
        let all = twin.site_pairs(0.0, ShareOf::Both, None).into_iter().filter(|pair| pair.matched_a > 0);
        let best = all.map(|pair| share(&pair)).max_by(f64::total_cmp);
        let found = mirrors.closest(of, usize::MAX);
        prop_assert_eq!(found.as_ref().map(share), best);
        prop_assert!(found.is_none_or(|pair| twin.site_pair(pair.a, pair.b) == pair));
    }
}

fn some_pages() -> impl Strategy<Value = Pages> {
    // Groups below `GROUPS` can occur on every site; pages of group `GROUPS` match no other page.
    prop::collection::vec((0..=GROUPS, 0..SITES, 0u64..6), 0..40)
}

fn some_likes() -> impl Strategy<Value = BTreeMap<(u32, u32), f64>> {
    let pair = (0..GROUPS, 0..GROUPS).prop_filter("itself", |(a, b)| a < b);
    prop::collection::btree_map(pair, prop::sample::select(vec![0.8, 0.85, 0.9, 1.0]), 0..20)
}

proptest! {
    #[test]
    fn sites_and_counterparts_match_a_comparison_of_all_pages(
        a in some_pages(),
        b in prop::option::of(some_pages()),
        likes in some_likes(),
        share in prop::sample::select(vec![0.0, 0.01, 0.25, 1.0 / 3.0, 0.5, 0.7, 1.0]),
        of in prop::sample::select(vec![ShareOf::Both, ShareOf::Either, ShareOf::A, ShareOf::B]),
        common in prop::option::of(0usize..5),
    ) {
        let of = if b.is_none() && of != ShareOf::Either { ShareOf::Both } else { of };
        let pairs: Vec<(u32, u32, f64)> = likes.iter().map(|(&(a, b), &resemblance)| (a, b, resemblance)).collect();
        let mirrors = Mirrors::new(side(&a), b.as_ref().map(side), Likes::new(GROUPS, &pairs));
        let within = b.is_none();
        let twin = Twin { a: pages(&a), b: pages(b.as_ref().unwrap_or(&a)), within, likes };
        let found: Vec<SitePair> = mirrors.site_pairs(share, of, common).iter().collect();
        prop_assert!(found.is_sorted_by(|p, q| (p.lesser(), p.matched_a + p.matched_b) >= (q.lesser(), q.matched_a + q.matched_b)));
        let mut sorted = found.clone();
        sorted.sort_by_key(|pair| (pair.a, pair.b));
        prop_assert_eq!(&sorted, &twin.site_pairs(share, of, common));
        for SitePair { a, b, .. } in found {
            prop_assert_eq!(mirrors.counterparts(a, b), twin.counterparts(a, b));
            let mut all = Vec::new();
            mirrors.each_match(a, b, |pair| { all.push(pair); Ok::<(), ()>(()) }).unwrap();
            all.sort_by_key(|pair| (pair.a, pair.b));
            let mut expected = twin.all(a, b);
            expected.sort_by_key(|pair| (pair.a, pair.b));
            prop_assert_eq!(&all, &expected);
            let mut alike = [all.iter().map(|pair| pair.a).collect::<Vec<_>>(), all.iter().map(|pair| pair.b).collect()];
            alike.iter_mut().for_each(|pages| { pages.sort_unstable(); pages.dedup() });
            prop_assert_eq!(mirrors.alike(a, b), alike);
        }
    }

    #[test]
    fn successors_match_a_comparison_of_all_pages(a in some_pages(), b in some_pages(), likes in some_likes()) {
        let pairs: Vec<(u32, u32, f64)> = likes.iter().map(|(&(a, b), &resemblance)| (a, b, resemblance)).collect();
        let mirrors = Mirrors::new(side(&a), Some(side(&b)), Likes::new(GROUPS, &pairs));
        let twin = Twin { a: pages(&a), b: pages(&b), within: false, likes };
        prop_assert_eq!(mirrors.successors(), twin.successors());
    }

    /// Checks that no page is in two pairs, and that no two matching pages are both left over. No pair may be rejected in favour
    /// of worse ones.
    #[test]
    fn counterparts_are_a_stable_matching(a in some_pages(), b in some_pages(), likes in some_likes()) {
        let pairs: Vec<(u32, u32, f64)> = likes.iter().map(|(&(a, b), &resemblance)| (a, b, resemblance)).collect();
        let mirrors = Mirrors::new(side(&a), Some(side(&b)), Likes::new(GROUPS, &pairs));
        let found = mirrors.counterparts(0, 0);
        let of_a: BTreeMap<u64, Counterpart> = found.iter().map(|pair| (pair.a, *pair)).collect();
        let of_b: BTreeMap<u64, Counterpart> = found.iter().map(|pair| (pair.b, *pair)).collect();
        prop_assert_eq!((of_a.len(), of_b.len()), (found.len(), found.len()));
        mirrors.each_match(0, 0, |pair| {
            let worse = |other: Option<&Counterpart>| {
                other.is_none_or(|other| (other.same_path, other.resemblance) < (pair.same_path, pair.resemblance))
            };
            if worse(of_a.get(&pair.a)) && worse(of_b.get(&pair.b)) { Err(pair) } else { Ok(()) }
        }).unwrap();
    }
}

/// Checks that a page that occurs on every host does not pair hosts that have nothing else in common, and adds no cost.
#[test]
fn pages_on_all_sites_do_not_make_mirrors() {
    let sites = 2000;
    let page = |group, site, page| Page {
        group,
        site,
        page,
        path: 0,
    };
    let all = (0..sites).flat_map(|site| {
        [
            page(0, site, 2 * u64::from(site)),
            page(1 + site / 2, site, 2 * u64::from(site) + 1),
        ]
    });
    // Sites 2n and 2n + 1 have the same second page. Each site also has a third page, which matches no other page.
    let side = Side::new(sites, all.collect(), vec![3; sites as usize]);
    let mirrors = Mirrors::new(side, None, Likes::new(sites, &[]));
    let pairs = mirrors.site_pairs(0.5, ShareOf::Both, None);
    assert_eq!(
        (pairs.len() as u32, pairs.bytes()),
        (sites / 2, 24 * pairs.len())
    );
    let found: Vec<SitePair> = pairs.iter().collect();
    assert!(
        found
            .iter()
            .all(|pair| pair.b == pair.a + 1 && (pair.matched_a, pair.matched_b) == (2, 2))
    );
}

/// Checks that hosts with only a registrar's page all mirror each other, unless that page is too common.
#[test]
fn common_pages_make_no_site_pair_and_are_reported() {
    let page = |group, site, page| Page {
        group,
        site,
        page,
        path: 0,
    };
    let parked = (0..100).map(|site| page(0, site, site.into()));
    let side = Side::new(
        2,
        parked
            .chain([page(1, 100, 100), page(1, 101, 101)])
            .collect(),
        vec![1; 102],
    );
    let mirrors = Mirrors::new(side, None, Likes::new(2, &[]));
    for (common, pairs, aside) in [
        (None, 4951, 0),
        (Some(100), 4951, 0),
        (Some(99), 1, 100),
        (Some(1), 0, 102),
    ] {
        let found = mirrors.site_pairs(0.5, ShareOf::Both, common);
        assert_eq!(
            (found.len(), found.excluded(), found.is_empty()),
            (pairs, aside, pairs == 0),
            "{common:?}"
        );
    }
}
