//! Tokens of many documents, copied out of Python, so that no Python object is read while the interpreter is released.

use pyo3::{
    prelude::*,
    types::{PyBytes, PyIterator, PyList},
};

use super::borrow;
use crate::items::sound;

/// The number of tokens taken at a time, from one or more documents. The data derived from them stays in a core's own cache.
const AT_A_TIME: usize = 1 << 14;

/// The tokens of some documents, concatenated.
#[derive(Default)]
pub struct Documents {
    bytes: Vec<u8>,
    /// The end of each token in `bytes`.
    ends: Vec<usize>,
    /// The number of tokens up to the end of each document.
    documents: Vec<usize>,
}

impl Documents {
    /// Replaces the current documents with the next ones. Returns false if no documents are left.
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
                    // Reading an item that is not a bytes object can run Python code, and that code may shorten the list.
                    if !borrow::append(tokens, number, &mut self.bytes) {
                        let Ok(token) = tokens.get_item(number) else {
                            break;
                        };
                        self.buffer(&token)?;
                    }
                    self.ends.push(self.bytes.len());
                }
            }
            Err(_) => sound("tokens", document)?
                .try_iter()?
                .try_for_each(|token| self.token(&token?))?,
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

    /// Appends the bytes of a token that is not a plain bytes object. The token must have a buffer, and `hashlib` must accept it.
    #[cold]
    fn buffer(&mut self, token: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = token.py();
        // `hashlib` refuses unsuitable objects with its own message.
        py.import("hashlib")?.call_method1("sha1", (token,))?;
        let bytes = py
            .import("builtins")?
            .getattr("memoryview")?
            .call1((token,))?
            .call_method0("tobytes")?;
        self.bytes
            .extend_from_slice(bytes.cast::<PyBytes>()?.as_bytes());
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the start of a document's tokens in the bytes, and the end of each token.
    pub fn document(&self, number: usize) -> (usize, &[usize]) {
        let from = if number == 0 {
            0
        } else {
            self.documents[number - 1]
        };
        let start = if from == 0 { 0 } else { self.ends[from - 1] };
        (start, &self.ends[from..self.documents[number]])
    }
}
