//! Assembles a report from the decisions, the pairs and the texts of a run.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Instant,
};

use lookalike::{Method, Reason, Scratch, Verify, lsh::Shape, verify::Measure};
use lookalike_io::{
    error::{Error, Result},
    pool::{install, par_map_init},
    read::Source,
    spill::places::Places,
    store::shown_name,
    write::{Likeness, plain},
};
use lookalike_report::{
    Aligned, AlignedPairs, Collection, Documents, Limits, Page, Pairs, Settings, Slider, Texts,
};
use rayon::ThreadPool;
use serde::Serialize;

use super::{
    ReportFigures,
    listed::Listed,
    near::Near,
    texts::{self, Found},
};
use crate::{config::RunConfig, numbers::Document, sketching::table::Table};

/// All documents are listed if there are at most this many; otherwise only those in groups and pairs.
const ALL: u64 = 200_000;

/// The number of bytes that texts may add to the file.
const TEXTS: usize = 8 << 20;

/// The maximum number of pairs whose shared parts are in the report, of bytes of texts in which they are looked for (two seconds of
/// two cores), and of bytes that they may add to the file.
const ALIGNED: usize = 50_000;
const ALIGNED_TEXTS: usize = 128 << 20;
const ALIGNED_BYTES: usize = 4 << 20;

/// The number of bytes of texts in a block.
const BLOCK: usize = 256 << 10;

/// The number of documents of a group, other than its representative, whose texts are more important than those of other groups.
const FIRST_MEMBERS: usize = 20;

/// The number of groups, and of pairs near the threshold, whose texts are the most important.
const FIRST_GROUPS: usize = 200;
const FIRST_PAIRS: usize = 1000;

/// The decision about a document that is not unique.
pub(crate) struct Row {
    pub(crate) document: Document,
    pub(crate) reason: Reason,
    pub(crate) representative: Option<Document>,
    pub(crate) likeness: Likeness,
}

/// Groups and pairs that a report does not list, because there are too many.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NotListed {
    pub(crate) groups: u64,
    pub(crate) dropped: u64,
    /// Those of the dropped documents that have the same canonical form as their representative.
    pub(crate) exact: u64,
    pub(crate) pairs: u64,
}

/// What a report is made from.
pub(crate) struct Collecting<'a> {
    pub(crate) config: &'a RunConfig,
    pub(crate) method: &'a Method,
    pub(crate) source: &'a Source,
    pub(crate) pool: &'a ThreadPool,
    pub(crate) table: &'a Table,
    pub(crate) command: &'static str,
    /// The decisions about documents that are not unique, in input order; `None` if nothing is decided.
    pub(crate) rows: Option<Vec<Row>>,
    /// The pairs that the command lists, if the report shows these and not those that reach a floor.
    pub(crate) listed: Vec<Listed>,
    pub(crate) not_listed: NotListed,
    /// For `mirrors`: the pairs of sites.
    pub(crate) sites: Vec<serde_json::Value>,
    /// The pairs that reach the floor, or why the threshold cannot be moved.
    pub(crate) near: std::result::Result<(f64, Near), &'static str>,
}

impl Collecting<'_> {
    /// Returns the HTML file.
    ///
    /// `started` is when the work on the report began, and `summary` is that of the run.
    pub(crate) fn html(
        mut self,
        started: Instant,
        summary: &impl Serialize,
    ) -> Result<(String, ReportFigures)> {
        let references = self.table.references.documents;
        let documents = self.documents();
        let groups = Groups::of(self.rows.as_deref().unwrap_or_default());
        let shown_pairs = self.shown_pairs();
        let wanted = importance(&groups, &shown_pairs, self.method.config().threshold);
        let dropped = self.dropped();
        let found = texts::read(
            self.config,
            self.source,
            &wanted,
            &documents,
            (references, dropped.as_ref()),
        )?;

        let mut page = Page::new();
        let positions: HashMap<Document, u32> = documents.iter().copied().zip(0..).collect();
        let mut blocks = Page::new();
        let texts = add_texts(&mut blocks, &found, &wanted, &positions)?;
        let (aligned, not_aligned) = self.add_aligned(
            &mut blocks,
            &found,
            &texts,
            (shown_pairs, &wanted),
            &positions,
        )?;
        let without_text = (wanted.len() - texts.documents.len()) as u64;
        let collection = Collection {
            program: env!("CARGO_PKG_VERSION"),
            command: self.command,
            inputs: names(self.source, false),
            references: names(self.source, true),
            settings: self.settings(),
            summary: without_times(summary)?,
            curve: self.method.shape().map(Shape::points).unwrap_or_default(),
            documents: self.columns(&documents, &positions, &found)?,
            counts: found.counts,
            pairs: self.pairs(&positions),
            sites: std::mem::take(&mut self.sites),
            slider: self.slider(&positions),
            texts,
            aligned,
            limits: Limits {
                all_documents: self.lists_all(),
                without_text,
                not_aligned,
                pairs: self.not_listed.pairs,
                groups: self.not_listed.groups,
                dropped: self.not_listed.dropped,
                exact: self.not_listed.exact,
            },
        };
        page.add("report", &collection).map_err(failure)?;
        page.append(blocks);
        let html = page.html(&format!(
            "{} – lookalike {}",
            collection.inputs.join(", "),
            self.command
        ));
        let figures = ReportFigures {
            bytes: html.len() as u64,
            pairs: Some(collection.pairs.a.len() as u64)
                .filter(|&pairs| pairs > 0 || collection.slider.floor.is_some()),
            floor: collection.slider.floor,
            left_out: collection.slider.left_out.len() as u64,
            without_text,
            seconds: started.elapsed().as_secs_f64(),
        };
        Ok((html, figures))
    }

    /// Returns whether the report lists all documents. That of `mirrors` lists the pages of its pairs.
    fn lists_all(&self) -> bool {
        self.table.documents <= ALL && self.command != "mirrors"
    }

    /// Returns the documents that the report lists.
    fn documents(&self) -> BTreeSet<Document> {
        let mut documents: BTreeSet<Document> = self
            .listed
            .iter()
            .flat_map(|pair| [pair.a, pair.b])
            .collect();
        if self.lists_all() {
            documents.extend((self.table.references.documents..self.table.documents).map(Document));
        }
        for row in self.rows.iter().flatten() {
            documents.insert(row.document);
            documents.extend(row.representative);
        }
        if let Ok((_, near)) = &self.near {
            documents.extend(near.pairs.iter().flat_map(|&(a, b, _)| [a, b]));
            documents.extend(
                near.first_copies
                    .iter()
                    .flat_map(|(&copy, &first)| [copy, first]),
            );
            documents.extend(&near.left_out);
        }
        documents
    }

    /// Returns the pairs that people look at, each once: dropped documents with their representatives, then pairs of first copies
    /// that reach the floor.
    fn shown_pairs(&self) -> Vec<ShownPair> {
        let measure = self.method.config().measure;
        let of_rows = self.rows.iter().flatten().filter_map(|row| {
            let similarity = row.likeness.similarity(row.reason, measure);
            Some(ShownPair {
                a: row.representative?,
                b: row.document,
                similarity: similarity.unwrap_or(0.0),
            })
        });
        let listed = self.listed.iter().map(
            |&Listed {
                 a, b, similarity, ..
             }| ShownPair { a, b, similarity },
        );
        let mut pairs: Vec<ShownPair> = of_rows.chain(listed).collect();
        let decided: BTreeSet<_> = pairs
            .iter()
            .map(|pair| (pair.a.min(pair.b), pair.a.max(pair.b)))
            .collect();
        let near = self.near.iter().flat_map(|(_, near)| &near.pairs);
        pairs.extend(
            near.filter(|&&(a, b, _)| !decided.contains(&(a.min(b), a.max(b))))
                .map(|&(a, b, overlap)| ShownPair {
                    a,
                    b,
                    similarity: measure.of_either(overlap),
                }),
        );
        pairs
    }

    fn dropped(&self) -> Option<Places> {
        let rows = self.rows.as_ref()?;
        let dropped = Places::none(self.table.documents);
        rows.iter()
            .filter(|row| row.representative.is_some())
            .for_each(|row| dropped.insert(row.document.0));
        Some(dropped)
    }

    fn settings(&self) -> Settings {
        let config = self.method.config();
        Settings {
            measure: match config.measure {
                Measure::Resemblance => "resemblance",
                Measure::Containment => "containment",
            },
            threshold: config.threshold,
            verify: match self.method.verify() {
                Verify::Exact => "exact",
                Verify::Sketch => "sketch",
                Verify::None => "none",
            },
            cluster: match config.cluster {
                lookalike::Cluster::Law => "law",
                lookalike::Cluster::Components => "components",
                lookalike::Cluster::Greedy(_) => "greedy",
            },
            shingle: config.k(),
            tokens: config.tokens,
            candidates: self.method.found_by(),
        }
    }

    /// Returns the lists with one element per document.
    fn columns(
        &self,
        documents: &BTreeSet<Document>,
        positions: &HashMap<Document, u32>,
        found: &Found,
    ) -> Result<Documents> {
        let references = self.table.references.documents;
        let position = |document: &Document| {
            positions
                .get(document)
                .map_or(-1, |&position| position as i32)
        };
        let rows: HashMap<Document, &Row> = self
            .rows
            .iter()
            .flatten()
            .map(|row| (row.document, row))
            .collect();
        let near = self.near.as_ref().ok().map(|(_, near)| near);
        let listed = self
            .listed
            .iter()
            .filter_map(|pair| Some((pair.counted?, pair)));
        let sizes: HashMap<Document, u64> = listed
            .flat_map(|([_, a, b], pair)| [(pair.a, a), (pair.b, b)])
            .collect();
        let mut columns = Documents::default();
        let (mut scratch, mut labels) = (Vec::new(), BTreeMap::new());
        for (&document, at) in documents.iter().zip(0u32..) {
            let id = self.table.ids.get(document.0, &mut scratch)?;
            if !id.starts_with('"') {
                columns.numbers.push(at);
            }
            columns.id.push(plain(id).into_owned());
            let (input, line) = self.table.record(document.0, self.source)?;
            columns.input.push(input);
            columns.line.push(line);
            let is_reference = document.0 < references;
            columns.references += u32::from(is_reference);
            let row = rows.get(&document);
            columns.reason.push(match row.map(|row| row.reason) {
                _ if is_reference => 'R',
                _ if self.rows.is_none() => '-',
                None | Some(Reason::Unique) => 'u',
                Some(Reason::Representative) => 'r',
                Some(Reason::Empty) => 'e',
                Some(Reason::Exact) => 'x',
                Some(Reason::Near) => 'n',
                Some(Reason::Contained) => 'c',
                Some(Reason::Holds) => 'h',
            });
            columns.representative.push(
                row.and_then(|row| row.representative)
                    .map_or(-1, |document| position(&document)),
            );
            let likeness = row
                .filter(|row| row.representative.is_some())
                .map(|row| row.likeness);
            let (mut shared, mut size) =
                (-1, near.and_then(|near| near.sizes.get(&document)).copied());
            match likeness {
                Some(Likeness::Counted(overlap)) => {
                    shared = overlap.shared as i64;
                    size = size.or(Some(overlap.a as u32));
                }
                Some(Likeness::Estimated(_, similarity)) => {
                    columns.estimated.push((at, similarity))
                }
                _ => {}
            }
            columns.shared.push(shared);
            let first = near.and_then(|near| near.first_copies.get(&document));
            size = size.or_else(|| near.and_then(|near| near.sizes.get(first?)).copied());
            size = size.or_else(|| sizes.get(&document).map(|&size| size as u32));
            columns.shingles.push(size.unwrap_or(0));
            columns.first_copy.push(first.map_or(-1, position));
            if self.config.label_field.is_some() {
                let label = found.labels.get(&document).map_or(-1, |label| {
                    let next = labels.len() as i32;
                    *labels.entry(label.clone()).or_insert(next)
                });
                columns.label.push(label);
            }
        }
        // The sizes of representatives that were not compared again are known from their pairs.
        for row in self.rows.iter().flatten() {
            if let (Some(representative), Likeness::Counted(overlap)) =
                (row.representative, row.likeness)
                && let Some(size) = positions
                    .get(&representative)
                    .and_then(|&at| columns.shingles.get_mut(at as usize))
            {
                *size = overlap.b as u32;
            }
        }
        let mut by_number: Vec<(i32, String)> = labels
            .into_iter()
            .map(|(label, number)| (number, label))
            .collect();
        by_number.sort_unstable();
        columns.labels = by_number.into_iter().map(|(_, label)| label).collect();
        if let Some(near) = near.filter(|near| !near.order.is_input()) {
            let mut ranked: Vec<_> = documents
                .iter()
                .map(|&document| near.order.rank(document))
                .zip(0u32..)
                .collect();
            ranked.sort_unstable();
            columns.rank = vec![0; ranked.len()];
            ranked
                .into_iter()
                .zip(0..)
                .for_each(|((_, at), rank)| columns.rank[at as usize] = rank);
        }
        Ok(columns)
    }

    fn pairs(&self, positions: &HashMap<Document, u32>) -> Pairs {
        let mut pairs = Pairs::default();
        for pair in &self.listed {
            if let (Some(&a), Some(&b)) = (positions.get(&pair.a), positions.get(&pair.b)) {
                pairs.a.push(a);
                pairs.b.push(b);
                pairs
                    .shared
                    .push(pair.counted.map_or(-1, |[shared, ..]| shared as i64));
                pairs.similarity.push(pair.similarity);
                pairs.by.extend(pair.by);
            }
        }
        for &(a, b, overlap) in self.near.iter().flat_map(|(_, near)| &near.pairs) {
            if let (Some(&a), Some(&b)) = (positions.get(&a), positions.get(&b)) {
                pairs.a.push(a);
                pairs.b.push(b);
                pairs.shared.push(overlap.shared as i64);
            }
        }
        pairs
    }

    fn slider(&self, positions: &HashMap<Document, u32>) -> Slider {
        match &self.near {
            Err(why) => Slider {
                why_not: Some(why),
                ..Slider::default()
            },
            Ok((floor, near)) => {
                let left_out = near
                    .left_out
                    .iter()
                    .filter_map(|document| positions.get(document).copied())
                    .collect();
                Slider {
                    floor: Some(*floor),
                    why_not: None,
                    left_out,
                }
            }
        }
    }

    /// Adds the shared parts of pairs whose two texts are in the report, until they are too many or too large. The pairs whose texts
    /// are the most important come first. Returns the number of the other pairs of these texts too.
    fn add_aligned(
        &self,
        blocks: &mut Page,
        found: &Found,
        texts: &Texts,
        (mut pairs, wanted): (Vec<ShownPair>, &HashMap<Document, u32>),
        positions: &HashMap<Document, u32>,
    ) -> Result<(AlignedPairs, u64)> {
        /// The number of pairs, and of bytes of their texts, in a block.
        const PAIRS: usize = 500;
        const BYTES: usize = 4 << 20;
        pairs.sort_by_cached_key(|pair| {
            [pair.a, pair.b]
                .map(|document| wanted.get(&document))
                .into_iter()
                .max()
        });
        let present: BTreeSet<u32> = texts.documents.iter().copied().collect();
        let both = |pair: &ShownPair| {
            let (a, b) = (positions.get(&pair.a)?, positions.get(&pair.b)?);
            let (text_a, text_b) = (found.texts.get(&pair.a)?, found.texts.get(&pair.b)?);
            (present.contains(a) && present.contains(b))
                .then_some(((*a, *b), [&*text_a.text, &*text_b.text]))
        };
        let both: Vec<_> = pairs.iter().filter_map(both).collect();
        let size = |texts: &[&str; 2]| texts[0].len() + texts[1].len();
        let mut columns = AlignedPairs::default();
        let (mut read, limit) = (0, blocks.size() + ALIGNED_BYTES);
        while columns.a.len() < both.len().min(ALIGNED)
            && read < ALIGNED_TEXTS
            && blocks.size() < limit
        {
            let (rest, mut bytes) = (&both[columns.a.len()..both.len().min(ALIGNED)], 0);
            let fits = |(_, texts): &&(_, [&str; 2])| {
                let first = bytes == 0;
                bytes += size(texts);
                first || bytes <= BYTES
            };
            let pairs = &rest[..rest.iter().take(PAIRS).take_while(fits).count()];
            let one = |scratch: &mut Scratch, &(_, texts): &(_, [&str; 2])| {
                Aligned::of(self.method, texts, scratch)
            };
            let block = install(self.pool, || par_map_init(pairs, Scratch::default, one));
            blocks
                .add(&format!("aligned-{}", columns.counts.len()), &block)
                .map_err(failure)?;
            read += pairs.iter().map(|(_, texts)| size(texts)).sum::<usize>();
            columns.counts.push(block.len() as u32);
            columns.a.extend(pairs.iter().map(|((a, _), _)| a));
            columns.b.extend(pairs.iter().map(|((_, b), _)| b));
        }
        let not_aligned = (both.len() - columns.a.len()) as u64;
        Ok((columns, not_aligned))
    }
}

/// Returns the names of the inputs, or of the references, as messages show them.
pub(crate) fn names(source: &Source, of_references: bool) -> Vec<String> {
    let references = source.references();
    let names = source
        .inputs()
        .iter()
        .map(|input| shown_name(&input.name()));
    if of_references {
        names.take(references).collect()
    } else {
        names.skip(references).collect()
    }
}

/// Returns a summary without what differs between two runs, so that two reports about the same data are equal.
pub(crate) fn without_times(summary: &impl Serialize) -> Result<serde_json::Value> {
    let mut summary = serde_json::to_value(summary).map_err(failure)?;
    if let Some(fields) = summary.as_object_mut() {
        fields
            .retain(|name, _| !["seconds", "peak_memory", "resumed", "report"].contains(&&**name));
    }
    Ok(summary)
}

/// Two documents that people look at.
struct ShownPair {
    a: Document,
    b: Document,
    similarity: f64,
}

/// Groups: a representative and its dropped documents. The largest group comes first.
struct Groups(Vec<(Document, Vec<Document>)>);

impl Groups {
    fn of(rows: &[Row]) -> Self {
        let mut members: BTreeMap<Document, Vec<Document>> = BTreeMap::new();
        for row in rows {
            if let Some(representative) = row.representative {
                members
                    .entry(representative)
                    .or_default()
                    .push(row.document);
            }
        }
        let mut groups: Vec<_> = members.into_iter().collect();
        groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
        Self(groups)
    }
}

/// Numbers the documents whose texts are wanted, the most important first: the largest groups, then pairs near the threshold, then
/// a few documents of every group, then everything else in groups and pairs.
fn importance(groups: &Groups, pairs: &[ShownPair], threshold: f64) -> HashMap<Document, u32> {
    let mut order: Vec<Document> = Vec::new();
    let first = |(representative, members): &(Document, Vec<Document>),
                 most: usize,
                 order: &mut Vec<Document>| {
        order.push(*representative);
        order.extend(members.iter().take(most));
    };
    groups
        .0
        .iter()
        .take(FIRST_GROUPS)
        .for_each(|group| first(group, FIRST_MEMBERS, &mut order));
    let mut near: Vec<&ShownPair> = pairs.iter().collect();
    near.sort_by(|x, y| {
        (x.similarity - threshold)
            .abs()
            .total_cmp(&(y.similarity - threshold).abs())
    });
    near.iter()
        .take(FIRST_PAIRS)
        .for_each(|pair| order.extend([pair.a, pair.b]));
    // Groups of the same size are in input order, so take them in an order that does not prefer the beginning of the inputs.
    let mut spread: Vec<&(Document, Vec<Document>)> = groups.0.iter().collect();
    spread.sort_by_key(|(representative, _)| lookalike::fingerprint::finish(representative.0));
    spread.iter().for_each(|group| first(group, 3, &mut order));
    groups
        .0
        .iter()
        .for_each(|group| first(group, usize::MAX, &mut order));
    near.iter().for_each(|pair| order.extend([pair.a, pair.b]));
    let mut numbers = HashMap::new();
    for document in order {
        let next = numbers.len() as u32;
        numbers.entry(document).or_insert(next);
    }
    numbers
}

/// Adds texts in the order of their importance, until they are too large.
fn add_texts(
    blocks: &mut Page,
    found: &Found,
    wanted: &HashMap<Document, u32>,
    positions: &HashMap<Document, u32>,
) -> Result<Texts> {
    let mut order: Vec<(u32, Document)> = found
        .texts
        .keys()
        .filter_map(|document| Some((*wanted.get(document)?, *document)))
        .collect();
    order.sort_unstable();
    let mut columns = Texts::default();
    let mut block: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for (at, (_, document)) in order.iter().enumerate() {
        let (Some(shown), Some(&position)) = (found.texts.get(document), positions.get(document))
        else {
            continue;
        };
        block.push(&shown.text);
        bytes += shown.text.len();
        columns.documents.push(position);
        columns
            .cut
            .extend(shown.whole.map(|whole| (position, whole)));
        if bytes >= BLOCK || at + 1 == order.len() {
            blocks
                .add(&format!("texts-{}", columns.counts.len()), &block)
                .map_err(failure)?;
            columns.counts.push(block.len() as u32);
            block.clear();
            bytes = 0;
            if blocks.size() > TEXTS {
                break;
            }
        }
    }
    Ok(columns)
}

pub(crate) fn failure(error: serde_json::Error) -> Error {
    Error::failure(error.to_string())
}
