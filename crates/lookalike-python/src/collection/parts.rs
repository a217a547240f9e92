//! Closed parts of a collection, for runs on several machines: `lookalike.spark` calls these functions on batches.

use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_schema::DataType;
use lookalike_engine::parts::{self, Joining, Links};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    pybacked::PyBackedBytes,
    types::{PyBytes, PyDict},
};

use super::{imported::imported, options::of_dedup, texts::Texts};
use crate::error::failed;

/// A column of nodes, and a column with the part of the collection that each node belongs to.
type Columns<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// Sketches documents, and returns the rows of their keys: one `bytes` per shard. The options are those of `dedup`.
#[pyfunction]
pub fn part_keys<'py>(
    py: Python<'py>,
    texts: (String, PyRef<'py, Texts>),
    options: &Bound<'py, PyDict>,
    shards: usize,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let mut config = of_dedup(options, false)?.run;
    config.tables = vec![texts.1.input(&texts.0)?];
    let rows = py.detach(|| parts::keys(&config, shards)).map_err(failed)?;
    Ok(rows.iter().map(|rows| PyBytes::new(py, rows)).collect())
}

/// Joins the documents that have a key in common, given all rows of a shard. Returns the nodes, and the part of the collection
/// that each node belongs to.
#[pyfunction]
pub fn part_links(py: Python<'_>, rows: Vec<PyBackedBytes>) -> PyResult<Columns<'_>> {
    let links = py
        .detach(|| parts::links(rows.iter().map(|rows| &**rows)))
        .map_err(failed)?;
    Ok(columns(py, links))
}

/// Joins the results of several shards.
#[pyclass(module = "lookalike._lookalike")]
#[derive(Default)]
pub struct PartJoin(Joining);

#[pymethods]
impl PartJoin {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds the result of a shard: nodes, and the part of each.
    fn add(
        &mut self,
        nodes: PyReadonlyArray1<'_, u64>,
        parts: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<()> {
        self.0.add(nodes.as_slice()?, parts.as_slice()?);
        Ok(())
    }

    /// Returns all joined nodes, and the part of each. The results are then forgotten.
    fn finish<'py>(&mut self, py: Python<'py>) -> Columns<'py> {
        let joining = std::mem::take(&mut self.0);
        columns(py, py.detach(|| joining.finish()))
    }
}

fn columns(py: Python<'_>, links: Links) -> Columns<'_> {
    (
        PyArray1::from_vec(py, links.nodes),
        PyArray1::from_vec(py, links.parts),
    )
}

/// Returns the node of each id of a column of strings: a number of 48 bits that represents the id.
#[pyfunction]
pub fn part_nodes<'py>(
    py: Python<'py>,
    ids: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (_, batches) = imported("the ids", ids)?;
    let mut nodes = Vec::new();
    for batch in batches {
        add_nodes(batch?.column(0), &mut nodes)?;
    }
    Ok(PyArray1::from_vec(py, nodes))
}

fn add_nodes(column: &ArrayRef, nodes: &mut Vec<u64>) -> PyResult<()> {
    if column.null_count() > 0 {
        return Err(PyValueError::new_err("an id is null"));
    }
    let node = |id: Option<&str>| {
        parts::node(&serde_json::Value::from(id.unwrap_or_default()).to_string())
    };
    match column.data_type() {
        DataType::Utf8 => nodes.extend(column.as_string::<i32>().iter().map(node)),
        DataType::LargeUtf8 => nodes.extend(column.as_string::<i64>().iter().map(node)),
        DataType::Utf8View => nodes.extend(column.as_string_view().iter().map(node)),
        other => {
            return Err(PyTypeError::new_err(format!(
                "ids must be strings, not {other}"
            )));
        }
    }
    Ok(())
}
