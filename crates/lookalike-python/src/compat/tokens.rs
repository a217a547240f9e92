//! Tokens of many documents, copied out of Python: nothing of Python's is looked at while it is not held.

use super::borrow;
use pyo3::{
    prelude::*,
    types::{PyBytes, PyIterator, PyList},
};

/// Tokens that are taken at a time: some documents. What is made of them stays in a core's own cache.
const AT_A_TIME: usize = 1 << 14;

/// Some documents' tokens, one after the other.
#[derive(Default)]
pub struct Documents {
    bytes: Vec<u8>,
    /// Where each token ends in `bytes`.
    ends: Vec<usize>,
    /// How many tokens there are up to each document's end.
    documents: Vec<usize>,
}

impl Documents {
    /// Takes the next documents in place of those that are here; false when there are none.
    pub fn take(&mut self, left: &mut Bound<'_, PyIterator>) -> PyResult<bool> {
        self.bytes.clear();
        self.ends.clear();
        self.documents.clear();
        while self.ends.len() < AT_A_TIME {
            let Some(document) = left.next() else { break };
            self.push(&document?)?;
        }
        Ok(!self.documents.is_empty())
    }

    fn push(&mut self, document: &Bound<'_, PyAny>) -> PyResult<()> {
        match document.cast_exact::<PyList>() {
            Ok(tokens) => {
                for number in 0..tokens.len() {
                    // Only what is no bytes can run Python code, and that may cut the list.
                    if !borrow::append(tokens, number, &mut self.bytes) {
                        let Ok(token) = tokens.get_item(number) else { break };
                        self.buffer(&token)?;
                    }
                    self.ends.push(self.bytes.len());
                }
            }
            Err(_) => document.try_iter()?.try_for_each(|token| self.token(&token?))?,
        }
        self.documents.push(self.ends.len());
        Ok(())
    }

    #[inline]
    fn token(&mut self, token: &Bound<'_, PyAny>) -> PyResult<()> {
        match token.cast_exact::<PyBytes>() {
            Ok(token) => self.bytes.extend_from_slice(token.as_bytes()),
            Err(_) => self.buffer(token)?,
        }
        self.ends.push(self.bytes.len());
        Ok(())
    }

    /// Any other object with a buffer, as `hashlib` takes them.
    #[cold]
    fn buffer(&mut self, token: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = token.py();
        // What it does not take, it refuses in its own words.
        py.import("hashlib")?.call_method1("sha1", (token,))?;
        let bytes = py.import("builtins")?.getattr("memoryview")?.call1((token,))?.call_method0("tobytes")?;
        self.bytes.extend_from_slice(bytes.cast::<PyBytes>()?.as_bytes());
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a document's tokens start in the bytes, and where each ends.
    pub fn document(&self, number: usize) -> (usize, &[usize]) {
        let from = if number == 0 { 0 } else { self.documents[number - 1] };
        let start = if from == 0 { 0 } else { self.ends[from - 1] };
        (start, &self.ends[from..self.documents[number]])
    }
}
