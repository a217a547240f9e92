//! Lists every match of a collection. The matches come from candidates or, if no match may be missed, from a join of all sets.

mod nearest;

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
    error::{Error, ErrorKind, Result, Setting, without_panic},
    read::{LeftOut, Reading},
    words,
    write::{Output, finish},
};
use serde::Serialize;
use serde_json::value::RawValue;

use self::nearest::{Groups, Nearest};
use crate::{
    config::{Observer, RunConfig},
    deciding::all_matches::{AllMatches, PairFigures, Verified, verified},
    jobs::sketch::{figures::SketchFigures, table},
    matching::{finding::Finding, sets::Sets},
    numbers::{Contender, Document, Rank},
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
    /// Lines that are not records and were skipped.
    pub bad_lines: u64,
    /// The error messages of the first bad lines.
    pub bad_examples: Vec<Error>,
    /// Files that were skipped when folders were read, although no setting excludes them; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
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
        let what = words![
            Setting::Nearest,
            " sorts pairs by their similarity, and ",
            (Setting::Verify, "none"),
            " measures none"
        ];
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
    let Sources {
        source,
        references,
        left_out,
    } = sources;
    // An input document that is a copy of a reference document is treated like the reference document itself: every document that
    // matches the reference matches the copy too.
    table.references = References {
        only: references > 0,
        among: true,
        held: false,
        ..table.references
    };
    let (all, nearest) = (|_: &Pairing| Ok(AllMatches::new()), config.nearest);
    let measure = method.config().measure;
    let mut in_report = report.is_some().then(ListedPairs::default);
    let wanted = (wanted, output.as_mut());
    let (listed, finding) = match nearest {
        None => {
            let verified = verified(
                (config, method),
                &source,
                &mut table,
                &pool,
                |_, _| Ok(None),
                all,
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
            let listed = to(wanted, (&mut in_report, measure), |tell| {
                listing.each(&Copies::of(&pairing), matches, tell)
            })?;
            (listed, finding)
        }
        Some(most) => {
            let lists = |pairing: &Pairing| {
                let groups = Groups::new(pairing, pairing.numbers()?);
                Ok(Nearest::new(most.get(), measure, groups, &budget))
            };
            let verified = verified(
                (config, method),
                &source,
                &mut table,
                &pool,
                |_, _| Ok(None),
                lists,
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
            (
                to(wanted, (&mut in_report, measure), |tell| {
                    listing.nearest(&matches.sorted(), tell)
                })?,
                finding,
            )
        }
    };
    let mut summary = PairsSummary {
        documents: table.documents - table.references.documents,
        references: (references > 0).then_some(table.references.documents),
        pairs: listed,
        nearest,
        finding,
        sketches: None,
        report: None,
        bad_lines: table.counts.bad_lines,
        bad_examples: table.counts.bad_examples.clone(),
        left_out,
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

/// The copies of each first copy (the first of several identical documents).
struct Copies {
    /// Rows (first copy, copy), sorted.
    rows: Vec<(Contender, Rank)>,
}

impl Copies {
    fn of(pairing: &Pairing) -> Self {
        let mut rows: Vec<(Contender, Rank)> = pairing
            .copies_of_contenders()
            .map(|(copy, first_copy)| (first_copy, copy))
            .collect();
        rows.sort_unstable();
        Self { rows }
    }

    /// Returns the copies of a contender (a document that had to be compared).
    fn of_first_copy(&self, first_copy: Contender) -> impl Iterator<Item = Rank> {
        let start = self.rows.partition_point(|row| row.0 < first_copy);
        self.rows[start..]
            .iter()
            .take_while(move |row| row.0 == first_copy)
            .map(|row| row.1)
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
        match self.method.verify() {
            Verify::Exact => {
                let size = self.sets.len(first_copy.0) as u64;
                PairFigures::Counted(
                    Overlap {
                        shared: size,
                        a: size,
                        b: size,
                    }
                    .into(),
                )
            }
            Verify::Sketch => PairFigures::estimated(self.method.config().measure, 1.0, 1.0),
            Verify::None => PairFigures::Unknown {},
        }
    }

    /// Returns whether the pair of `a` and `b` is listed; `a` comes before `b` in input order. If there are references, `a` must
    /// be a reference document and `b` must not be one.
    fn wanted(&self, a: Document, b: Document) -> bool {
        let references = self.pairing.references;
        !references.only || references.contains(a) && !references.contains(b)
    }

    /// Returns a contender and its copies.
    fn group(&self, copies: &Copies, first_copy: Contender) -> impl Iterator<Item = Document> {
        [self.pairing.document(first_copy)].into_iter().chain(
            copies
                .of_first_copy(first_copy)
                .map(|rank| self.pairing.order.document(rank)),
        )
    }

    /// Lists the pairs of all documents in input order. Only the matches of first copies are in memory, however many copies there
    /// are. Returns the number of pairs.
    fn each(
        &self,
        copies: &Copies,
        of_first_copies: AllMatches,
        tell: &mut TellPair,
    ) -> Result<u64> {
        let both = |(a, b, figures): (u32, u32, PairFigures)| {
            [
                (Contender(a), Contender(b), figures),
                (Contender(b), Contender(a), figures.swapped()),
            ]
        };
        let mut matches: Vec<_> = of_first_copies.into_iter().flat_map(both).collect();
        matches.sort_unstable_by_key(|&(a, b, _)| (a, b));
        self.listed(Document(0), tell, |(first_copy, a), partners| {
            let (same, start) = (
                self.same(first_copy),
                matches.partition_point(|m| m.0 < first_copy),
            );
            let others = matches[start..].iter().take_while(|m| m.0 == first_copy);
            partners.extend(self.group(copies, first_copy).map(|b| (b, same)));
            partners.extend(others.flat_map(|m| self.group(copies, m.1).map(|b| (b, m.2))));
            partners.retain(|&(b, _)| b > a && self.wanted(a, b));
            partners.sort_unstable_by_key(|&(b, _)| b);
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
            nearest.of((first_copy, a), self.same(first_copy), partners)
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
        mut into: impl FnMut((Contender, Document), &mut Vec<(Document, PairFigures)>),
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
            into((first_copy, a), &mut partners);
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
