//! Labels of rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, StringArray};
use arrow_schema::{DataType, Field, FieldRef};

use super::{
    super::{
        added::{AddedNames, Kind},
        labels::Label,
    },
    ids::{id_type, ids},
    with_columns,
};
use crate::{
    error::Result,
    read::{RecordBatch, Source, table::Rows},
    write::decisions::plain,
};

/// Labels of rows. They are added as four columns after the columns of the rows.
#[derive(Debug, Clone)]
pub struct RowLabels {
    fields: Vec<FieldRef>,
    clusters: Vec<String>,
    verdicts: Vec<&'static str>,
    representatives: Vec<Option<String>>,
    similarities: Vec<Option<f64>>,
}

impl RowLabels {
    /// Returns empty labels, if labels are added to records.
    pub fn wanted(names: &AddedNames, source: &Source) -> Option<Self> {
        (names.kind() == Kind::Labels).then(|| Self::new(names, source))
    }

    /// Creates empty labels.
    pub(super) fn new(names: &AddedNames, source: &Source) -> Self {
        let ids = id_type(source);
        let types = [
            (ids.clone(), false),
            (DataType::Utf8, false),
            (ids, true),
            (DataType::Float64, true),
        ];
        let fields = names
            .all()
            .iter()
            .zip(types)
            .map(|(name, (kind, nullable))| Arc::new(Field::new(name, kind, nullable)));
        let (clusters, verdicts, representatives, similarities) = Default::default();
        Self {
            fields: fields.collect(),
            clusters,
            verdicts,
            representatives,
            similarities,
        }
    }

    pub(super) fn fields(&self) -> &[FieldRef] {
        &self.fields
    }

    /// Adds the label of the next row.
    pub fn push(&mut self, label: &Label) {
        self.clusters.push(plain(label.cluster).into());
        self.verdicts.push(label.verdict());
        self.representatives
            .push(label.representative.map(|id| plain(id).into()));
        self.similarities.push(label.similarity);
    }

    /// Returns the rows with these numbers, together with their labels; each row must have a label.
    pub fn onto(&mut self, rows: &Rows, records: &[usize]) -> Result<RecordBatch> {
        let mut mask = vec![false; rows.len()];
        records.iter().for_each(|&at| mask[at] = true);
        let batch = rows.masked(&mask)?;
        let (clusters, representatives) = (
            self.clusters.iter().map(|id| Some(&**id)),
            self.representatives.iter(),
        );
        let labels: [ArrayRef; 4] = [
            ids(self.fields[0].data_type(), clusters)?,
            Arc::new(StringArray::from_iter_values(self.verdicts.drain(..))),
            ids(
                self.fields[2].data_type(),
                representatives.map(Option::as_deref),
            )?,
            Arc::new(Float64Array::from_iter(self.similarities.drain(..))),
        ];
        self.clusters.clear();
        self.representatives.clear();
        with_columns(&batch, &self.fields, &labels)
    }
}
