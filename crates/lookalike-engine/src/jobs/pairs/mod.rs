//! Lists every match of a collection. The matches come from candidates or, if no match may be missed, from a join of all sets.

pub(crate) mod options;

mod groups;

mod nearest;

mod sorted;

mod sketched;

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Instant,
};

use lookalike::{
    Cluster, Config, Method, Verify,
    verify::{Measure, Overlap},
};
use lookalike_io::{
    error::{Error, ErrorKind, Result, without_panic},
    read::{Reading, Unread},
    spill::Sorter,
    write::{Output, finish},
};
use serde::Serialize;
use serde_json::value::RawValue;

use self::{groups::Groups, nearest::Nearest, sorted::SortedMatches};
use crate::{
    config::{Observer, RunConfig},
    deciding::all_matches::{Matches, PairFigures, Verified, verified},
    jobs::sketch::{figures::SketchFigures, table},
    matching::{finding::Finding, sets::Sets},
    numbers::{Contender, Document},
    pairing::Pairing,
    pass::open::{Means, Opened, Sources, create, open, open_read},
    reporting::{
        ReportFigures,
        collecting::{Collecting, NotListed},
        listed::{Listed, ListedPairs},
    },
    sketching::{self, Beside, ids::raw, references::References, table::Table},
};

/// A line of the output. `a` comes before `b` in the input, or is the reference document. If the nearest documents are requested,
/// `b` is one of the nearest documents of `a`, and may come before or after `a`.
#[derive(Debug, Serialize)]
pub struct Pair<'a> {
    /// The first document's id.
    pub a: &'a RawValue,
    /// The second document's id.
    pub b: &'a RawValue,
    /// How similar the two documents are.
    #[serde(flatten)]
    pub figures: PairFigures,
}

/// The number of documents compared, and the results.
#[derive(Debug, Clone, Serialize)]
pub struct PairsSummary {
    /// Documents read; documents of references are not included.
    pub documents: u64,
    /// Documents of references; `None` if no reference was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<u64>,
    /// Pairs written.
    pub pairs: u64,
    /// The maximum number of pairs per document; `None` if all pairs were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NonZeroUsize>,
    /// How candidates were found.
    #[serde(flatten)]
    pub finding: Finding,
    /// The accuracy of the similarities, if they are estimated from files of sketches; otherwise `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sketches: Option<SketchFigures>,
    /// The report; `None` if no report was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportFigures>,
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
}

/// Writes every pair of similar documents, sorted by their positions in the input. Empty texts match nothing. If there are
/// references, each pair has one reference document and one document of the inputs.
///
/// With [`nearest`](RunConfig::nearest), each document is listed with at most this number of matches: the most similar ones. The
/// most similar match comes first, and equally similar matches are in input order. If there are references, the listed matches
/// are reference documents.
///
/// Documents are similar if their exact similarity reaches the threshold, unless the configuration lets the sketches decide or
/// accepts every candidate. In these two cases the reported similarity is estimated or unknown; otherwise it is counted exactly.
///
/// The inputs may also be files of sketches, which [`sketch`](crate::sketch()) writes. Then all similarities are estimated from the
/// sketches, and every setting that concerns texts is refused.
///
/// # Errors
/// Fails for the same reasons as [`dedup`](crate::jobs::dedup::dedup).
pub fn pairs(
    config: &RunConfig,
    output: Option<&Path>,
    observer: Observer,
) -> Result<PairsSummary> {
    let stdout = PathBuf::from("-");
    without_panic(|| all_passes(config, Wanted::Written(output.unwrap_or(&stdout)), observer))
}

/// Does the same as [`pairs`], but passes each pair to `tell` instead of writing it.
///
/// # Errors
/// Fails for the same reasons as [`pairs`], and with any error that `tell` returns.
pub fn pairs_reporting(
    config: &RunConfig,
    tell: &mut TellPair,
    observer: Observer,
) -> Result<PairsSummary> {
    without_panic(|| all_passes(config, Wanted::Reported(tell), observer))
}

/// A callback that receives each pair, and the numbers of its two documents in the input. An error that it returns ends the run.
pub type TellPair<'a> = dyn FnMut(&Pair, [u64; 2]) -> Result<()> + Send + 'a;

/// The destination of the pairs.
enum Wanted<'a, 'b> {
    Written(&'a Path),
    Reported(&'a mut TellPair<'b>),
}

impl Wanted<'_, '_> {
    /// Returns the path of the output, if pairs are written.
    fn path(&self) -> Option<&Path> {
        match self {
            Self::Written(path) => Some(path),
            Self::Reported(_) => None,
        }
    }
}

fn all_passes(config: &RunConfig, wanted: Wanted, observer: Observer) -> Result<PairsSummary> {
    if let Some(parameters) = sketched::parameters(config)? {
        let method = sketched::method(config, &parameters)?;
        let opened = open_read(config, [wanted.path()], "pairs", || Ok(Reading::sketches()))?;
        let Means { pool, budget } = &opened.means;
        let table = table::read(
            config,
            &method,
            &opened.sources.source,
            budget,
            pool,
            observer,
        )?;
        let figures = SketchFigures::of(&parameters, &method)?;
        let summary = listed(config, &method, (table, opened, None), wanted, observer)?;
        // A pair is found only if its estimate reaches the threshold, too.
        let finding = Finding {
            found_at_threshold: figures.listed_at_threshold,
            ..summary.finding
        };
        return Ok(PairsSummary {
            sketches: Some(figures),
            finding,
            ..summary
        });
    }
    // Pairs are listed because users want to see their similarities. So the similarities are counted exactly, however candidates
    // are found, unless the configuration asks for something else. Pairs are not grouped.
    let (verify, cluster) = (config.method.verify.or(Some(Verify::Exact)), Cluster::Law);
    let method = Method::new(Config {
        verify,
        cluster,
        ..config.method.clone()
    })?;
    if config.nearest.is_some() && method.verify() == Verify::None {
        let what = "$nearest sorts pairs by their similarity, and $verify=none measures none";
        return Err(Error::new(ErrorKind::Config, what).advise("leave out one of the two"));
    }
    let mut opened = open(config, [wanted.path()], "pairs")?;
    let [report] = create(
        config,
        [config.report.as_ref().map(|report| report.path.as_path())],
    )?;
    let Means { pool, budget } = &opened.means;
    let beside = Beside {
        bad: opened.bad.as_mut(),
        ..Beside::default()
    };
    let table = sketching::sketch(
        config,
        &method,
        &opened.sources.source,
        budget,
        pool,
        beside,
        observer,
    )?;
    listed(config, &method, (table, opened, report), wanted, observer)
}

/// The part of the free memory that rows of matches take: one in so many. The other parts are for indexes of large buckets.
const SHARE: usize = 4;

/// Lists the pairs of the documents in a table.
fn listed(
    config: &RunConfig,
    method: &Method,
    (mut table, opened, mut report): (Table, Opened<1>, Option<Output>),
    wanted: Wanted,
    observer: Observer,
) -> Result<PairsSummary> {
    let Opened {
        sources,
        outputs: [mut output],
        bad,
        means: Means { pool, budget },
    } = opened;
    let Sources { source, references } = sources;
    // An input document that is a copy of a reference document is treated like the reference document itself: every document that
    // matches the reference matches the copy too.
    table.references = References {
        only: references > 0,
        among: true,
        held: false,
        ..table.references
    };
    let (nearest, measure) = (config.nearest, method.config().measure);
    let mut in_report = report.is_some().then(ListedPairs::default);
    let wanted = (wanted, output.as_mut());
    let into = |pairing: &Pairing| {
        // If documents are compared with references only, documents of the inputs cannot be neighbours.
        let references = pairing.references;
        let is_in =
            |document| nearest.is_none() || !references.only || references.contains(document);
        let groups = Groups::new(pairing, is_in)?;
        budget.hold(size_of_val(&*groups.documents) + size_of_val(&*groups.starts));
        Ok(match nearest {
            None => Collector::All(SortedMatches {
                groups,
                rows: Sorter::new(&budget, SHARE, &pool),
            }),
            Some(most) => Collector::Nearest(Nearest::new(most.get(), measure, groups, &budget)),
        })
    };
    let verified = verified(
        (config, method),
        &source,
        &mut table,
        &pool,
        |_, _| Ok(None),
        into,
        observer,
    )?;
    let Verified {
        pairing,
        sets,
        matches,
        finding,
    } = verified;
    let listing = Listing {
        table: &table,
        pairing: &pairing,
        sets: &sets,
        method,
    };
    let listed = to(wanted, (&mut in_report, measure), |tell| match matches {
        Collector::All(matches) => listing.each(matches, tell),
        Collector::Nearest(nearest) => listing.nearest(&nearest.sorted(), tell),
    })?;
    let mut summary = PairsSummary {
        documents: table.documents - table.references.documents,
        references: (references > 0).then_some(table.references.documents),
        pairs: listed,
        nearest,
        finding,
        sketches: None,
        report: None,
        unread: table.counts.unread.clone(),
    };
    if let (Some(output), Some(pairs)) = (&mut report, in_report) {
        let started = Instant::now();
        let (listed, left_out) = pairs.finish();
        let collecting = Collecting {
            config,
            method,
            source: &source,
            pool: &pool,
            table: &table,
            command: "pairs",
            rows: None,
            near: Err("pairs"),
            listed,
            sites: Vec::new(),
            not_listed: NotListed {
                pairs: left_out,
                ..NotListed::default()
            },
        };
        let (html, figures) = collecting.html(started, &summary)?;
        output.write(html.as_bytes())?;
        summary.report = Some(figures);
    }
    finish([bad, report, output])?;
    Ok(summary)
}

/// The matches that are listed.
enum Collector<'a> {
    All(SortedMatches<'a>),
    Nearest(Nearest),
}

impl Matches for Collector<'_> {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) -> Result<()> {
        match self {
            Self::All(all) => all.take(a, b, figures),
            Self::Nearest(nearest) => nearest.take(a, b, figures),
        }
    }
}

/// Lists the pairs of all documents, given the pairs of their first copies.
struct Listing<'a> {
    table: &'a Table,
    pairing: &'a Pairing,
    sets: &'a Sets,
    method: &'a Method,
}

impl Listing<'_> {
    /// Returns the figures that are shown for the pair of a document and its copy.
    fn same(&self, first_copy: Contender) -> PairFigures {
        let all = match self.method.verify() {
            Verify::Exact => self.sets.len(first_copy.0) as u64,
            Verify::Sketch | Verify::None => 1f64.to_bits(),
        };
        self.figures(first_copy, first_copy, [all, all])
    }

    /// Returns the figures that are shown for a pair, given those of a row.
    fn figures(&self, a: Contender, b: Contender, [x, y]: [u64; 2]) -> PairFigures {
        match self.method.verify() {
            Verify::Exact => {
                let [a, b] = [a, b].map(|number| self.sets.len(number.0) as u64);
                PairFigures::Counted(Overlap { shared: x, a, b }.into())
            }
            Verify::Sketch if x | y > 0 => PairFigures::estimated(
                self.method.config().measure,
                f64::from_bits(x),
                f64::from_bits(y),
            ),
            Verify::Sketch | Verify::None => PairFigures::Unknown {},
        }
    }

    /// Returns whether the pair of `a` and `b` is listed; `a` comes before `b` in input order. If there are references, `a` must
    /// be a reference document and `b` must not be one.
    fn wanted(&self, a: Document, b: Document) -> bool {
        let references = self.pairing.references;
        !references.only || references.contains(a) && !references.contains(b)
    }

    /// Lists the pairs of all documents in input order. Returns the number of pairs.
    fn each(&self, matches: SortedMatches, tell: &mut TellPair) -> Result<u64> {
        let (groups, mut rows) = (matches.groups, matches.rows.sorted()?.peekable());
        self.listed(Document(0), tell, |(first_copy, a), partners| {
            let own = groups.of(first_copy);
            partners.extend(own.iter().map(|&b| (b, self.same(first_copy))));
            while let Some(row) = rows.next_if(|row| !row.as_ref().is_ok_and(|row| row[0] != a.0)) {
                let [_, b, x, y] = row?;
                let b = Contender(b as u32);
                let figures = self.figures(first_copy, b, [x, y]);
                partners.extend(groups.of(b).iter().map(|&b| (b, figures)));
            }
            partners.retain(|&(b, _)| b > a && self.wanted(a, b));
            partners.sort_unstable_by_key(|&(b, _)| b);
            Ok(())
        })
    }

    /// Lists all documents in input order, each with its nearest documents. The most similar one comes first. Returns the number
    /// of pairs.
    fn nearest(&self, nearest: &Nearest, tell: &mut TellPair) -> Result<u64> {
        let references = self.pairing.references;
        // References only occur as neighbours, and have no list of their own.
        let first = Document(if references.only {
            references.documents
        } else {
            0
        });
        self.listed(first, tell, |(first_copy, a), partners| {
            nearest.of((first_copy, a), self.same(first_copy), partners);
            Ok(())
        })
    }

    /// Reports the pairs of all documents numbered `first` or higher, in input order. For each document, `into` is called with
    /// the document's contender (the document itself or its first copy), the document, and an empty list. The closure fills the
    /// list with the documents that are paired with this document, in the order in which the pairs are reported. Returns the
    /// number of pairs.
    fn listed(
        &self,
        first: Document,
        tell: &mut TellPair,
        mut into: impl FnMut((Contender, Document), &mut Vec<(Document, PairFigures)>) -> Result<()>,
    ) -> Result<u64> {
        let (mut id_a, mut id_b) = (Vec::new(), Vec::new());
        let (mut partners, mut count) = (Vec::new(), 0);
        for a in (first.0..self.table.documents).map(Document) {
            let rank = self.pairing.order.rank(a);
            let first_copy = self.pairing.first_copy(rank).unwrap_or(rank);
            let Some(first_copy) = self.pairing.number(first_copy) else {
                continue;
            };
            partners.clear();
            into((first_copy, a), &mut partners)?;
            count += partners.len() as u64;
            if partners.is_empty() {
                continue;
            }
            let id = raw(self.table.ids.get(a.0, &mut id_a)?)?;
            for &(b, figures) in &partners {
                tell(
                    &Pair {
                        a: id,
                        b: raw(self.table.ids.get(b.0, &mut id_b)?)?,
                        figures,
                    },
                    [a.0, b.0],
                )?;
            }
        }
        Ok(count)
    }
}

/// Reports pairs, or writes each as a line, and collects those of the report. Returns their number.
fn to(
    (wanted, output): (Wanted, Option<&mut Output>),
    (in_report, measure): (&mut Option<ListedPairs>, Measure),
    list: impl FnOnce(&mut TellPair) -> Result<u64>,
) -> Result<u64> {
    const PIECE: usize = 1 << 20;
    let mut collect = |pair: &Pair, [a, b]: [u64; 2]| {
        let listed = in_report.as_mut();
        listed.into_iter().for_each(|pairs| {
            pairs.take(Listed::new(
                (Document(a), Document(b)),
                pair.figures,
                measure,
            ))
        });
    };
    let output = match (output, wanted) {
        (None, Wanted::Reported(tell)) => {
            return list(&mut |pair, documents| {
                collect(pair, documents);
                tell(pair, documents)
            });
        }
        (None, Wanted::Written(_)) => return Ok(0),
        (Some(output), _) => output,
    };
    let mut lines = Vec::new();
    let count = list(&mut |pair, documents| {
        collect(pair, documents);
        serde_json::to_writer(&mut lines, pair)
            .map_err(|error| Error::failure(error.to_string()))?;
        lines.push(b'\n');
        if lines.len() > PIECE {
            output.write(&lines)?;
            lines.clear();
        }
        Ok(())
    })?;
    output.write(&lines)?;
    Ok(count)
}
