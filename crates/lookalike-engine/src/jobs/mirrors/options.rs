//! The options of `mirrors`, and its plan.

use std::{path::PathBuf, str::FromStr};

use lookalike::{Config, Verify};
use lookalike_applications::mirrors::ShareOf;
use lookalike_io::error::{Error, ErrorKind, Result};
use lookalike_options::{
    Execution, Finding, Given, Inputs, Page, Parsed, Records, Shingling, choice, options,
};

use super::{
    lines::Mirroring,
    sites::{SiteBy, SitesBy},
};
use crate::config::{ReportConfig, RunConfig};

options! {
/// The options of `mirrors`.
pub struct MirrorsOptions {
    /// Write pairs of sites to FILE instead of standard output
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write pairs of corresponding pages to FILE
    #[arg(long, value_name = "FILE")]
    pub pages: Option<PathBuf>,
    /// Write pages without a counterpart to FILE
    ///
    /// The fields are "id", "of" (a or b), "site", "mirror" (null if the site has none) and "alike" (whether the mirror has a
    /// page that is similar to this page but is the counterpart of a different page).
    #[arg(long, value_name = "FILE")]
    pub unmatched: Option<PathBuf>,
    /// With --pages: write all pairs of matching pages, not only counterparts
    #[arg(long)]
    pub all_pairs: bool,
    /// How pages are grouped into sites: host, folder or field:NAME
    ///
    /// [default: host for pages whose id is a URL, such as those of WARC files; folder for others]. Pages are identified by their
    /// ids, and files of a folder by their paths in it.
    #[arg(long, value_name = "WHAT", help_heading = "Sites")]
    pub by: Option<Parsed<SiteBy>>,
    /// Number of outermost folders that identify a site [default: 1]
    ///
    /// With 2, everything below guide/start is one site. With 0, a site is a whole collection or a whole host.
    #[arg(long, value_name = "N", help_heading = "Sites")]
    pub depth: Option<usize>,
    /// Treat www.example.com and example.com as one host
    #[arg(long, help_heading = "Sites")]
    pub fold_www: bool,
    /// Minimum share of a site's pages that have a match [default: 0.5]
    #[arg(long, value_name = "S", allow_negative_numbers = true, help_heading = "Sites")]
    pub share: Option<f64>,
    /// Which of the two sites must reach --share [default: both]
    #[arg(long, value_parser = choice::<ShareOf>(), help_heading = "Sites")]
    pub share_of: Option<ShareOf>,
    /// Second round: also pair pages that changed a lot [T defaults to 0.3]
    ///
    /// Pages of a pair of sites that have no counterpart are paired if their resemblance is at least T, or if they have the same
    /// path. With --pages, each pair then has the field "by": match (the pages match), similarity (second round, resemblance at
    /// least T) or path (second round, only the path is the same). The pairs of the second round are counted as "changed".
    #[arg(long, value_name = "T", num_args = 0..=1, require_equals = true, default_missing_value = "0.3", allow_negative_numbers = true, help_heading = "Sites")]
    pub changed: Option<f64>,
    /// Ignore pages with matches on more than N sites [default: no limit]
    ///
    /// Examples are a registrar's default page and an error page. Such pages are not used to find pairs of sites, but they are
    /// counted in pairs that are found through other pages. Without a limit, n sites with the same pages make n² / 2 pairs of
    /// sites, and each pair takes 24 bytes.
    #[arg(long, value_name = "N", help_heading = "Sites")]
    pub common_sites: Option<usize>,
    /// Minimum similarity of matching pages [default: 0.8]
    ///
    /// Pages match if their resemblance reaches T or, with --measure containment, if the containment of either page in the other
    /// reaches T. A --preset may set another default.
    #[arg(long, short, value_name = "T", allow_negative_numbers = true, help_heading = "Comparison")]
    pub threshold: Option<f64>,
    #[command(flatten)]
    pub records: Records,
    #[command(flatten)]
    pub finding: Finding,
    #[command(flatten)]
    pub shingling: Shingling,
    #[command(flatten)]
    pub page: Page,
    #[command(flatten)]
    pub execution: Execution,
}
}

impl FromStr for SiteBy {
    type Err = &'static str;

    fn from_str(given: &str) -> std::result::Result<Self, Self::Err> {
        match (given, given.strip_prefix("field:")) {
            ("host", _) => Ok(Self::Host),
            ("folder", _) => Ok(Self::Folder),
            (_, Some(field)) if !field.is_empty() => Ok(Self::Field(field.into())),
            _ => Err("give host, folder, or field:NAME"),
        }
    }
}

/// The share of a site's pages that have a match.
const SHARE: f64 = 0.5;

impl MirrorsOptions {
    /// Returns the run that these options describe, without its inputs, and how mirrors are found. `two` says whether there are two
    /// collections.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(&self, given: &Given, two: bool) -> Result<(RunConfig, Mirroring)> {
        given.check()?;
        if !two && matches!(self.share_of, Some(ShareOf::A | ShareOf::B)) {
            let what = "$share_of a and b only work with two collections; name a second one, or choose both or either";
            return Err(Error::new(ErrorKind::Config, what));
        }
        let method = self.finding.config(&self.shingling)?;
        let method = self.records.fields.of_sets(Config {
            threshold: self.threshold.unwrap_or(method.threshold),
            verify: Some(Verify::Exact),
            ..method
        })?;
        let inputs = Inputs {
            records: self.records.clone(),
            ..Inputs::default()
        };
        let run = RunConfig {
            report: ReportConfig::at(&self.page),
            ..RunConfig::of(&inputs, &self.execution, method)
        };
        let usual = SitesBy::default();
        let mirroring = Mirroring {
            sites: SitesBy {
                by: self.by.clone().map_or(usual.by, |Parsed(by)| by),
                depth: self.depth.unwrap_or(usual.depth),
                fold_www: self.fold_www,
            },
            share: self.share.unwrap_or(SHARE),
            common_sites: self.common_sites,
            of: self.share_of.unwrap_or_default(),
            all_pairs: self.all_pairs,
            changed: self.changed,
        };
        Ok((run, mirroring))
    }
}
