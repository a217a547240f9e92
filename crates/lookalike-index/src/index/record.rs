//! A record of the log: one change of an index.

use lookalike::{Method, Scratch, fingerprint::Digest};
use lookalike_io::pool::par_map_init;

use crate::{
    apart::apart,
    change::{Applied, Change},
    error::Result,
    files::{Decoder, Encoder},
    law::{Content, Verdict},
    segment::Shape,
    state::{Sketched, State, Store},
};

/// Fewer documents are sketched by one thread.
const MANY: usize = 16;

/// A record that is being written.
pub(super) struct Record(Encoder);

impl Record {
    /// Begins a record of what is removed and added. If texts are stored, no sketches are written: making
    /// them again is faster.
    pub(super) fn new(store: Store, removed: &[u64], added: &[Sketched]) -> Self {
        let mut out = Encoder::default();
        out.number(removed.len() as u64);
        removed.iter().for_each(|&number| out.number(number));
        out.number(added.len() as u64);
        for new in added {
            out.bytes(&new.id.to_bytes());
            out.number(new.key);
            out.bytes(&new.payload);
            if store != Store::Texts {
                out.0.extend(new.digest.to_le_bytes());
                out.0.push(new.empty.into());
                out.bytes(
                    &new.keys
                        .iter()
                        .flat_map(|key| key.to_le_bytes())
                        .collect::<Vec<u8>>(),
                );
                out.bytes(&new.bits);
            }
        }
        Self(out)
    }

    /// Completes the record with what changed. `first` is the number of the first change in the feed.
    pub(super) fn finish(mut self, applied: &Applied, first: u64) -> Vec<u8> {
        let out = &mut self.0;
        out.number(applied.verdicts.len() as u64);
        for (place, verdict) in &applied.verdicts {
            out.number(place.number);
            out.verdict(*verdict);
        }
        out.number(first);
        out.number(applied.changes.len() as u64);
        applied.changes.iter().for_each(|change| out.change(change));
        self.0.0
    }
}

/// A document of a record. If texts are stored, the rest is computed from the text.
enum Added<'a> {
    Text(crate::id::Id, u64, &'a str),
    Sketched(Sketched),
}

/// A record that was read.
pub(super) struct Replayed<'a> {
    removed: Vec<u64>,
    added: Vec<Added<'a>>,
    verdicts: Vec<(u64, Verdict)>,
    /// The number of the first change.
    pub(super) first: u64,
    pub(super) changes: Vec<Change>,
}

impl<'a> Replayed<'a> {
    /// Reads a record; none if it is invalid.
    pub(super) fn read(store: Store, shape: Shape, record: &'a [u8]) -> Option<Self> {
        let mut read = Decoder(record);
        let removed = read.list(Decoder::number)?;
        let added = read.list(|read| {
            let (id, key, payload) = (read.id()?, read.number()?, read.bytes()?);
            if store == Store::Texts {
                return Some(Added::Text(id, key, str::from_utf8(payload).ok()?));
            }
            let digest = Digest::from_le_bytes(read.take()?);
            let [empty] = read.take()?;
            let keys = read.bytes()?.as_chunks().0;
            let keys: Vec<u32> = keys.iter().map(|key| u32::from_le_bytes(*key)).collect();
            let bits = read.bytes()?.to_vec();
            if (keys.len(), bits.len()) != (shape.bands, shape.stride) {
                return None;
            }
            Some(Added::Sketched(Sketched {
                id,
                key,
                digest,
                empty: empty != 0,
                keys,
                bits,
                payload: payload.to_vec(),
            }))
        })?;
        let verdicts = read.list(|read| Some((read.number()?, read.verdict()?)))?;
        let first = read.number()?;
        let changes = read.list(Decoder::change)?;
        read.0.is_empty().then_some(Self {
            removed,
            added,
            verdicts,
            first,
            changes,
        })
    }

    /// Changes a state as it was changed when the record was written. Returns the changes.
    pub(super) fn apply(self, state: &mut State) -> Result<Vec<Change>> {
        state.remove(&self.removed)?;
        let (method, store) = (state.method.clone(), state.store);
        let added = self.added;
        let sketch = |scratch: &mut Scratch, added| sketched(&method, store, added, scratch);
        let sketched: Vec<Sketched> = if added.len() < MANY {
            let mut scratch = Scratch::default();
            added
                .into_iter()
                .map(|added| sketch(&mut scratch, added))
                .collect()
        } else {
            apart(|| par_map_init(added, Scratch::default, sketch))
        };
        for new in sketched {
            state.insert(new)?;
        }
        for (number, verdict) in self.verdicts {
            let place = state.place(number)?;
            state.decide(place, verdict)?;
        }
        Ok(self.changes)
    }
}

fn sketched(method: &Method, store: Store, added: Added, scratch: &mut Scratch) -> Sketched {
    match added {
        Added::Text(id, key, text) => Sketched::new(method, store, id, key, text, scratch),
        Added::Sketched(sketched) => sketched,
    }
}
