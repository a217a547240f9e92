//! Every match of a collection, from candidates or, exactly, from an all-pairs join.

mod nearest;

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use lookalike::{Cluster, Config, Method, Verify, verify::Overlap};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    read::LeftOut,
    words,
    write::{Output, finish},
};
use serde::Serialize;
use serde_json::value::RawValue;

use self::nearest::{Groups, Nearest};
use crate::{
    config::{Observer, RunConfig},
    deciding::all_matches::{AllMatches, PairFigures, Verified, verified},
    matching::{finding::Finding, sets::Sets},
    numbers::{Contender, Document, Rank},
    pairing::Pairing,
    pass::open::{Means, Opened, Sources, open},
    sketching::{self, Beside, ids::raw, references::References, table::Table},
};

/// A line of the output; `a` comes before `b` in the input, or is the reference document. Where the nearest documents are asked
/// for, `b` is one of the nearest of `a`, whichever comes first.
#[derive(Debug, Serialize)]
pub struct Pair<'a> {
    /// The first document's id.
    pub a: &'a RawValue,
    /// The second document's id.
    pub b: &'a RawValue,
    /// How alike they are.
    #[serde(flatten)]
    pub figures: PairFigures,
}

/// What was looked at and found.
#[derive(Debug, Clone, Serialize)]
pub struct PairsSummary {
    /// Documents read; references' not among them.
    pub documents: u64,
    /// Documents of references; none where no reference was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<u64>,
    /// Pairs written.
    pub pairs: u64,
    /// The most pairs of a document, where only its nearest were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NonZeroUsize>,
    /// How candidates were found.
    #[serde(flatten)]
    pub finding: Finding,
    /// Lines set aside as no records.
    pub bad_lines: u64,
    /// The first of them, told.
    pub bad_examples: Vec<Error>,
    /// Files of folders that were not read; none where all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// Writes every pair of similar documents, sorted by their places in the input. Empty texts match nothing. Where there are
/// references, these are the pairs of a reference document and one of the inputs.
///
/// With [`nearest`](RunConfig::nearest) each document is listed with its most similar matches only: as many lines, the most similar
/// first, equally similar ones in input order. Where there are references, they are the neighbours.
///
/// Similar is what reaches the threshold by exact count, unless the configuration says otherwise: what the sketches take for
/// similar, or every candidate. Only exact figures are counted.
///
/// # Errors
/// As [`dedup`](crate::jobs::dedup::dedup).
pub fn pairs(config: &RunConfig, output: Option<&Path>, observer: Observer) -> Result<PairsSummary> {
    let stdout = PathBuf::from("-");
    without_panic(|| all_passes(config, Wanted::Written(output.unwrap_or(&stdout)), observer))
}

/// The same, and every pair is told instead of written.
///
/// # Errors
/// As [`pairs`], and what `tell` gives.
pub fn pairs_told(config: &RunConfig, tell: &mut TellPair, observer: Observer) -> Result<PairsSummary> {
    without_panic(|| all_passes(config, Wanted::Told(tell), observer))
}

/// Is told each pair, and the numbers of its two documents in the input; a failure of its own ends the run.
pub type TellPair<'a> = dyn FnMut(&Pair, [u64; 2]) -> Result<()> + Send + 'a;

/// Where pairs go.
enum Wanted<'a, 'b> {
    Written(&'a Path),
    Told(&'a mut TellPair<'b>),
}

fn all_passes(config: &RunConfig, wanted: Wanted, observer: Observer) -> Result<PairsSummary> {
    // A list of pairs is there for its figures: they are counted whatever way candidates are found, unless asked otherwise.
    // Pairs are not grouped.
    let (verify, cluster) = (config.method.verify.or(Some(Verify::Exact)), Cluster::Law);
    let method = Method::new(Config { verify, cluster, ..config.method.clone() })?;
    if config.nearest.is_some() && method.verify() == Verify::None {
        let what =
            words![Setting::Nearest, " sorts pairs by their similarity, and ", (Setting::Verify, "none"), " measures none"];
        return Err(Error::new(ErrorKind::Config, what).advise("leave out one of the two"));
    }
    let path = match wanted {
        Wanted::Written(path) => Some(path),
        Wanted::Told(_) => None,
    };
    let Opened { sources, outputs: [mut output], mut bad, means: Means { pool, budget } } = open(config, [path], "pairs")?;
    let Sources { source, references, left_out } = sources;
    let beside = Beside { bad: bad.as_mut(), ..Beside::default() };
    let mut table = sketching::sketch(config, &method, &source, &budget, &pool, beside, observer)?;
    // Inputs' copies of a reference document are its own: whatever is like it is like them.
    table.references = References { only: references > 0, among: true, held: false, ..table.references };
    let (all, nearest) = (|_: &Pairing| Ok(AllMatches::new()), config.nearest);
    let (listed, finding) = match nearest {
        None => {
            let verified = verified((config, &method), &source, &mut table, &pool, |_| Ok(None), all, observer)?;
            let Verified { pairing, sets, matches, finding } = verified;
            let listing = Listing { table: &table, pairing: &pairing, sets: &sets, method: &method };
            (to(wanted, output.as_mut(), |tell| listing.each(&Copies::of(&pairing), matches, tell))?, finding)
        }
        Some(most) => {
            let measure = method.config().measure;
            let lists = |pairing: &Pairing| {
                let groups = Groups::new(pairing, pairing.numbers()?);
                Ok(Nearest::new(most.get(), measure, groups, &budget))
            };
            let verified = verified((config, &method), &source, &mut table, &pool, |_| Ok(None), lists, observer)?;
            let Verified { pairing, sets, matches, finding } = verified;
            let listing = Listing { table: &table, pairing: &pairing, sets: &sets, method: &method };
            (to(wanted, output.as_mut(), |tell| listing.nearest(&matches.sorted(), tell))?, finding)
        }
    };
    finish([bad, output])?;
    Ok(PairsSummary {
        documents: table.documents - table.references.documents,
        references: (references > 0).then_some(table.references.documents),
        pairs: listed,
        nearest,
        finding,
        bad_lines: table.counts.bad_lines,
        bad_examples: table.counts.bad_examples.clone(),
        left_out,
    })
}

/// Each leader's copies.
struct Copies {
    /// (leader, copy), sorted.
    rows: Vec<(Contender, Rank)>,
}

impl Copies {
    fn of(pairing: &Pairing) -> Self {
        let mut rows: Vec<(Contender, Rank)> = pairing.copies_of_contenders().map(|(copy, leader)| (leader, copy)).collect();
        rows.sort_unstable();
        Self { rows }
    }

    /// A contender's copies.
    fn of_leader(&self, leader: Contender) -> impl Iterator<Item = Rank> {
        let start = self.rows.partition_point(|row| row.0 < leader);
        self.rows[start..].iter().take_while(move |row| row.0 == leader).map(|row| row.1)
    }
}

/// Writes the pairs of all documents from those of their leaders.
struct Listing<'a> {
    table: &'a Table,
    pairing: &'a Pairing,
    sets: &'a Sets,
    method: &'a Method,
}

impl Listing<'_> {
    /// What is shown of a document and its copy.
    fn same(&self, leader: Contender) -> PairFigures {
        match self.method.verify() {
            Verify::Exact => {
                let size = self.sets.len(leader.0) as u64;
                PairFigures::Counted(Overlap { shared: size, a: size, b: size }.into())
            }
            Verify::Sketch => PairFigures::estimated(self.method.config().measure, 1.0, 1.0),
            Verify::None => PairFigures::Unknown {},
        }
    }

    /// Whether a pair of documents, in order, is listed: of a reference and another, where there are references.
    fn wanted(&self, a: Document, b: Document) -> bool {
        let references = self.pairing.references;
        !references.only || references.contains(a) && !references.contains(b)
    }

    /// A contender and its copies.
    fn group(&self, copies: &Copies, leader: Contender) -> impl Iterator<Item = Document> {
        [self.pairing.document(leader)].into_iter().chain(copies.of_leader(leader).map(|rank| self.pairing.order.document(rank)))
    }

    /// Goes through the documents in input order, so that only the leaders' matches are held, however many copies there are.
    /// Gives the number of pairs.
    fn each(&self, copies: &Copies, of_leaders: AllMatches, tell: &mut TellPair) -> Result<u64> {
        let both = |(a, b, figures): (u32, u32, PairFigures)| {
            [(Contender(a), Contender(b), figures), (Contender(b), Contender(a), figures.swapped())]
        };
        let mut matches: Vec<_> = of_leaders.into_iter().flat_map(both).collect();
        matches.sort_unstable_by_key(|&(a, b, _)| (a, b));
        self.listed(Document(0), tell, |(leader, a), partners| {
            let (same, start) = (self.same(leader), matches.partition_point(|m| m.0 < leader));
            let others = matches[start..].iter().take_while(|m| m.0 == leader);
            partners.extend(self.group(copies, leader).map(|b| (b, same)));
            partners.extend(others.flat_map(|m| self.group(copies, m.1).map(|b| (b, m.2))));
            partners.retain(|&(b, _)| b > a && self.wanted(a, b));
            partners.sort_unstable_by_key(|&(b, _)| b);
        })
    }

    /// Goes through the documents in input order: each with its nearest, the most similar first. Gives the number of pairs.
    fn nearest(&self, nearest: &Nearest, tell: &mut TellPair) -> Result<u64> {
        let references = self.pairing.references;
        // References are neighbours only, and have no list of their own.
        let first = Document(if references.only { references.documents } else { 0 });
        self.listed(first, tell, |(leader, a), partners| nearest.of((leader, a), self.same(leader), partners))
    }

    /// Reports the pairs of the documents from `first` on, in input order. `into` puts a document's partners, in their order, into an
    /// empty list; it gets the number of the contender that the document is a copy of, and the document. Gives the number of pairs.
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
            let leader = self.pairing.leader(rank).unwrap_or(rank);
            let Some(leader) = self.pairing.number(leader) else { continue };
            partners.clear();
            into((leader, a), &mut partners);
            count += partners.len() as u64;
            if partners.is_empty() {
                continue;
            }
            let id = raw(self.table.ids.get(a.0, &mut id_a)?)?;
            for &(b, figures) in &partners {
                tell(&Pair { a: id, b: raw(self.table.ids.get(b.0, &mut id_b)?)?, figures }, [a.0, b.0])?;
            }
        }
        Ok(count)
    }
}

/// Has pairs told or written, each as a line. Gives their number.
fn to(wanted: Wanted, output: Option<&mut Output>, list: impl FnOnce(&mut TellPair) -> Result<u64>) -> Result<u64> {
    const PIECE: usize = 1 << 20;
    let output = match (output, wanted) {
        (None, Wanted::Told(tell)) => return list(tell),
        (None, Wanted::Written(_)) => return Ok(0),
        (Some(output), _) => output,
    };
    let mut lines = Vec::new();
    let count = list(&mut |pair, _| {
        serde_json::to_writer(&mut lines, pair).map_err(|error| Error::failure(error.to_string()))?;
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
