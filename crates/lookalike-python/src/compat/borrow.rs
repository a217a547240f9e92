//! A list's bytes without a reference to each.

#![allow(unsafe_code)]

use std::{ptr, slice};

use pyo3::{Bound, ffi, types::PyList};

/// Appends the bytes object at a place of a list; false when there is none, or something else. Runs no Python code.
///
/// Two calls into Python instead of six: half of the time that is spent holding the interpreter.
#[inline]
pub fn append(list: &Bound<'_, PyList>, number: usize, into: &mut Vec<u8>) -> bool {
    // SAFETY: the list is one and the interpreter is held, so the item that it lends stays alive while nothing else of Python runs,
    // which is until the return. The bytes belong to the item and are copied. A place that is not there sets an error, which is
    // taken away.
    unsafe {
        let item = ffi::PyList_GetItem(list.as_ptr(), number as ffi::Py_ssize_t);
        if item.is_null() {
            ffi::PyErr_Clear();
            return false;
        }
        let (mut data, mut size) = (ptr::null_mut(), 0);
        if ffi::PyBytes_CheckExact(item) == 0 || ffi::PyBytes_AsStringAndSize(item, &raw mut data, &raw mut size) != 0 {
            return false;
        }
        into.extend_from_slice(slice::from_raw_parts(data.cast::<u8>(), size as usize));
    }
    true
}
