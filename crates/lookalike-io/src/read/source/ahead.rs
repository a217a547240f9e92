//! Objects that are fetched before their turn.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use crate::{
    lock::lock,
    store::{Object, ObjectStream},
};

/// Small objects that are on their way before their turn: one after the other they would take as many round trips.
#[derive(Default)]
pub(crate) struct Ahead(Mutex<BTreeMap<usize, ObjectStream>>);

/// Small objects that may be on their way before their turn.
const MOST: usize = 8;

impl Ahead {
    /// Forgets them: a new pass begins.
    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }

    /// The bytes of an object, by its number among the inputs, and those of the next ones on their way.
    pub(crate) fn stream<'a>(
        &self,
        number: usize,
        object: &Arc<Object>,
        nexts: impl Iterator<Item = (usize, &'a Arc<Object>)>,
    ) -> ObjectStream {
        let mut ahead = lock(&self.0);
        let stream = ahead.remove(&number).unwrap_or_else(|| object.stream());
        for (next, object) in nexts.take(MOST) {
            if ahead.contains_key(&next) {
                continue;
            }
            let Some(stream) = object.stream_ahead() else { break };
            ahead.insert(next, stream);
        }
        stream
    }
}
