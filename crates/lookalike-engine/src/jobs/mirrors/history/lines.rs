//! Writes histories: one line for each page, with its events in all crawls.

use lookalike_applications::mirrors::{Event, Evidence, Happened};
use lookalike_io::{
    error::{Error, Result},
    write::Output,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::crawls::Crawls;
use crate::{
    jobs::mirrors::lines::word,
    sketching::{ids::raw, table::Table},
};

/// An event as a row of numbers, which sorts by history and crawl: the history; the crawl, the event and the evidence; the page;
/// the bits of the resemblance.
pub(super) type Row = [u64; 4];

const EVENTS: [Event; 6] = [
    Event::Appeared,
    Event::Returned,
    Event::Unchanged,
    Event::Changed,
    Event::Moved,
    Event::Disappeared,
];
const EVIDENCE: [Evidence; 3] = [Evidence::Match, Evidence::Similarity, Evidence::Path];

/// Returns the row of an event in a crawl.
pub(super) fn row(crawl: usize, happened: Happened) -> Row {
    let event = EVENTS
        .iter()
        .position(|&event| event == happened.event)
        .unwrap_or(0) as u64;
    let evidence = happened
        .counterpart
        .and_then(|own| EVIDENCE.iter().position(|&evidence| evidence == own.1));
    let evidence = evidence.map_or(0, |evidence| 1 + evidence as u64);
    let resemblance = happened.counterpart.map_or(0, |own| own.0.to_bits());
    [
        happened.history,
        (crawl as u64) << 16 | event << 8 | evidence,
        happened.page,
        resemblance,
    ]
}

/// A line of the output.
#[derive(Serialize)]
struct Line<'a> {
    /// The page's id in the last crawl that has the page.
    id: &'a RawValue,
    /// The first and the last crawl that have the page, from 1.
    first: usize,
    last: usize,
    events: Vec<EventLine<'a>>,
}

/// An event of a line.
#[derive(Serialize)]
struct EventLine<'a> {
    /// The crawl, from 1.
    crawl: usize,
    event: &'static str,
    /// The page's id in this crawl; none if it is not in this crawl.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    /// The resemblance to the page in the crawl before, if it is in both crawls.
    #[serde(skip_serializing_if = "Option::is_none")]
    resemblance: Option<f64>,
    /// Why the page and the page in the crawl before are the same page.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
}

/// Returns the word for an event.
fn event_word(event: Event) -> &'static str {
    match event {
        Event::Appeared => "appeared",
        Event::Returned => "returned",
        Event::Unchanged => "unchanged",
        Event::Changed => "changed",
        Event::Moved => "moved",
        Event::Disappeared => "disappeared",
    }
}

/// Writes lines and counts them.
pub(super) struct Lines<'a> {
    table: &'a Table,
    crawls: usize,
    /// Lines written.
    pub(super) count: u64,
    /// Pages that are in all crawls.
    pub(super) in_all: u64,
    /// Pages that are in all crawls, with the same address and text.
    pub(super) unchanged: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(table: &'a Table, crawls: &Crawls) -> Self {
        Self {
            table,
            crawls: crawls.len(),
            count: 0,
            in_all: 0,
            unchanged: 0,
        }
    }

    /// Writes the histories of all rows, which are sorted.
    pub(super) fn write(
        &mut self,
        rows: impl Iterator<Item = Result<Row>>,
        output: Option<&mut Output>,
    ) -> Result<()> {
        let mut history: Vec<Row> = Vec::new();
        let Some(output) = output else { return Ok(()) };
        for row in rows {
            let row = row?;
            if history.last().is_some_and(|last| last[0] != row[0]) {
                self.line(&history, output)?;
                history.clear();
            }
            history.push(row);
        }
        if history.is_empty() {
            Ok(())
        } else {
            self.line(&history, output)
        }
    }

    fn line(&mut self, history: &[Row], output: &mut Output) -> Result<()> {
        let is_there = |row: &&Row| event_of(row) != Event::Disappeared;
        let mut ids: Vec<Box<RawValue>> = Vec::with_capacity(history.len());
        let mut scratch = Vec::new();
        for row in history {
            ids.push(raw(self.table.ids.get(row[2], &mut scratch)?)?.to_owned());
        }
        let events = history.iter().zip(&ids).map(|(row, id)| {
            let evidence = EVIDENCE
                .get(((row[1] & 0xff) as usize).wrapping_sub(1))
                .copied();
            let event = event_of(row);
            EventLine {
                crawl: crawl_of(row),
                event: event_word(event),
                id: (event != Event::Disappeared).then_some(&**id),
                resemblance: evidence.map(|_| f64::from_bits(row[3])),
                by: evidence.map(word),
            }
        });
        let present: Vec<&Row> = history.iter().filter(is_there).collect();
        let (Some(first), Some(last), Some(id)) = (present.first(), present.last(), ids.last())
        else {
            return Ok(());
        };
        let line = Line {
            id,
            first: crawl_of(first),
            last: crawl_of(last),
            events: events.collect(),
        };
        self.count += 1;
        self.in_all += u64::from(present.len() == self.crawls);
        let unchanged = history
            .iter()
            .filter(|row| event_of(row) == Event::Unchanged)
            .count();
        self.unchanged += u64::from(unchanged + 1 == self.crawls);
        let mut bytes =
            serde_json::to_vec(&line).map_err(|error| Error::failure(error.to_string()))?;
        bytes.push(b'\n');
        output.write(&bytes)
    }
}

fn event_of(row: &Row) -> Event {
    EVENTS
        .get((row[1] >> 8 & 0xff) as usize)
        .copied()
        .unwrap_or(Event::Appeared)
}

/// Returns the crawl of a row, from 1.
fn crawl_of(row: &Row) -> usize {
    (row[1] >> 16) as usize + 1
}
