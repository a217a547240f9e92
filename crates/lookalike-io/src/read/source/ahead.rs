//! Requests objects in stores before it is their turn to be read.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use crate::{
    lock::lock,
    store::{Object, ObjectStream},
};

/// Small objects that are requested before their turn. If each were requested only in its turn, the run would wait a round trip
/// for each of them.
#[derive(Default)]
pub(crate) struct Ahead(Mutex<BTreeMap<usize, ObjectStream>>);

/// The maximum number of small objects that are requested before their turn.
const MOST: usize = 8;

impl Ahead {
    /// Discards all objects that were requested before their turn, because a new pass begins.
    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }

    /// Returns the bytes of an object, given its number among the inputs, and requests the objects that follow it.
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
            let Some(stream) = object.stream_ahead() else {
                break;
            };
            ahead.insert(next, stream);
        }
        stream
    }
}
