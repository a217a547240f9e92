//! Computes how many shingles of a text are lost if their ids have few bits, and how that affects the resemblance (Broder 1997,
//! section 4.1).

use clap::Args;
use lookalike::fingerprint::{self, Rabin};
use serde::Serialize;

use super::asked::{Asked, json, small};
use crate::output::{BOLD, DIM, count};

#[derive(Args)]
pub(super) struct Ids {
    /// Show what is lost when shingles become ids of L bits
    ///
    /// Other commands use such ids with --fingerprint rabin --degree L.
    #[arg(long, value_name = "L", help_heading = "Short ids")]
    pub(super) degree: Option<u32>,
    /// Number of different shingles in a text
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(requires = "degree", help_heading = "Short ids")]
    shingles: u64,
}

/// The length in bits of the strings that `collision_bound` is computed for: five words of eight bytes, like default shingles.
/// The bound is valid even if an adversary chooses the strings, without knowing the polynomial.
const STRING: u64 = 5 * 8 * 8;

#[derive(Serialize)]
struct Report {
    degree: u32,
    shingles: u64,
    /// The expected number of different ids that the given number of shingles have.
    distinct: f64,
    /// n − n(n − 1)/2ˡ⁺¹
    distinct_approx: f64,
    /// The maximum probability that two strings of 40 bytes have the same id.
    collision_bound: f64,
    resemblances: Vec<Seen>,
}

/// Two texts of N shingles each.
#[derive(Serialize)]
struct Seen {
    /// The number of shared shingles with which the resemblance of the two texts is nearest to the requested one.
    shared: u64,
    resemblance: f64,
    /// The resemblance of the sets of ids.
    seen: f64,
    /// The difference between `seen` and the true resemblance, to first order.
    bias_approx: f64,
}

impl Ids {
    pub(super) fn page(&self, degree: u32, asked: &Asked) -> anyhow::Result<String> {
        Rabin::check(degree)?;
        let n = self.shingles;
        let seen = |&r: &f64| {
            let shared = ((2.0 * n as f64 * r / (1.0 + r)).round() as u64).min(n);
            Seen {
                shared,
                resemblance: shared as f64 / (2.0 * n as f64 - shared as f64),
                seen: fingerprint::expected_resemblance(n, n, shared, degree),
                bias_approx: fingerprint::resemblance_bias_approx(n, n, shared, degree),
            }
        };
        let usual = [0.5, 0.8, 0.9];
        let resemblances = if asked.at.is_empty() {
            &usual[..]
        } else {
            &asked.at
        };
        let report = Report {
            degree,
            shingles: n,
            distinct: fingerprint::expected_distinct(n, degree),
            distinct_approx: fingerprint::expected_distinct_approx(n, degree),
            collision_bound: fingerprint::collision_bound(STRING, STRING, degree),
            resemblances: resemblances.iter().map(seen).collect(),
        };
        if asked.json {
            return json(&report);
        }
        let mut page = format!(
            "{BOLD}{} shingles are expected to have {:.3} different ids of {degree} bits{BOLD:#}\n\
             {DIM}Broder 1997, section 4.1{DIM:#}\n\
             n − n(n − 1)/2ˡ⁺¹            {:.3}  {DIM}a good approximation if there are many more ids than shingles{DIM:#}\n\
             two strings share an id      {}  {DIM}at most, with Rabin's fingerprint, if both have 5 words of 8 bytes and \
             are chosen before the seed{DIM:#}\n\n\
             {BOLD}resemblance  seen by ids  too high by about{BOLD:#}  {DIM}for two such texts{DIM:#}\n",
            count(n),
            report.distinct,
            report.distinct_approx,
            small(report.collision_bound),
        );
        for Seen {
            resemblance,
            seen,
            bias_approx,
            ..
        } in &report.resemblances
        {
            page += &format!(
                "{resemblance:>11.6}  {seen:>11.6}  {:>17}\n",
                small(*bias_approx)
            );
        }
        Ok(page)
    }
}
