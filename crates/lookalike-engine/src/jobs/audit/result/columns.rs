//! Recognises what the rows of a result are by the names of their fields.

use std::collections::BTreeSet;

use lookalike::shown::{cut, quoted};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    words,
};

use crate::jobs::audit::asked::{AuditedResult, ResultKind};

// Names are compared without upper case and without underscores at their ends, so that `__CLUSTER__` is `cluster`.
const IDS: &[&str] = &[
    "id",
    "curator_dedup_id",
    "doc_id",
    "document_id",
    "docid",
    "uid",
    "uuid",
];
const POSITIONS: &[&str] = &["index", "position", "row", "row_number", "row_id", "idx"];
const CLUSTERS: &[&str] = &[
    "cluster",
    "cluster_id",
    "duplicate_group_id",
    "group",
    "group_id",
    "component",
    "component_id",
    "dup_cluster",
    "minhash_cluster_id",
];
const VERDICTS: &[&str] = &["verdict"];
const KEPT: &[&str] = &["kept", "keep", "is_kept", "is_representative"];
const REMOVED: &[&str] = &[
    "removed",
    "is_removed",
    "dropped",
    "is_dropped",
    "duplicate",
    "is_duplicate",
];
const REPRESENTATIVES: &[&str] = &[
    "representative",
    "representative_id",
    "duplicate_of",
    "duplicate_of_id",
    "dup_of",
];

/// The fields that are read from each row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    pub(super) kind: ResultKind,
    /// Whether documents are named by their positions.
    pub(super) by_position: bool,
    /// The document; with pairs, the first document.
    pub(super) id: String,
    /// With pairs, the second document.
    pub(super) other: Option<String>,
    pub(super) cluster: Option<String>,
    pub(super) verdict: Option<Verdict>,
    pub(super) representative: Option<String>,
    /// The field with the reference document for which a document was dropped, in decisions of our own.
    pub(super) reference: Option<String>,
}

/// The field that says whether a document was kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// `kept`, `cut` or `dropped`.
    Words(String),
    /// True if the document was kept.
    Kept(String),
    /// True if the document was removed.
    Removed(String),
}

impl Verdict {
    pub(super) fn field(&self) -> &str {
        match self {
            Self::Words(field) | Self::Kept(field) | Self::Removed(field) => field,
        }
    }
}

impl Columns {
    fn new(kind: ResultKind, by_position: bool, id: String) -> Self {
        Self {
            kind,
            by_position,
            id,
            other: None,
            cluster: None,
            verdict: None,
            representative: None,
            reference: None,
        }
    }

    /// Returns what a list of ids without fields is, or a result without rows.
    pub(super) fn of_list(asked: &AuditedResult, name: &str, has_rows: bool) -> Result<Self> {
        let kind = asked.kind.unwrap_or(ResultKind::Removed);
        if has_rows && !matches!(kind, ResultKind::Removed | ResultKind::Kept) {
            let what = Error::new(
                ErrorKind::Input,
                "a list of ids names no clusters, pairs or verdicts",
            )
            .at(name.to_owned());
            return Err(what.advise("give $result=removed or $result=kept"));
        }
        Ok(Self::new(kind, asked.by_position, String::new()))
    }

    /// Recognises the fields of rows. `fields` has the names of all fields of all rows, and `name` is the name of the result. The field
    /// `id` of the inputs is preferred to others, and records with the field `text` are not taken for a list of ids.
    pub(super) fn recognise(
        fields: &BTreeSet<String>,
        asked: &AuditedResult,
        (id, text): (&str, &str),
        name: &str,
    ) -> Result<Self> {
        let find = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| fields.iter().find(|field| plain(field) == *name))
                .cloned()
        };
        let verdict = match &asked.kept_field {
            Some(field) => Some(Verdict::Kept(field.clone())),
            None => find(VERDICTS)
                .map(Verdict::Words)
                .or_else(|| find(KEPT).map(Verdict::Kept))
                .or_else(|| find(REMOVED).map(Verdict::Removed)),
        };
        let cluster = asked.cluster_field.clone().or_else(|| find(CLUSTERS));
        let representative = asked
            .representative_field
            .clone()
            .or_else(|| find(REPRESENTATIVES));
        let own = || fields.get(id).cloned();
        // Some programs number documents by position, and have a column for that which no program uses for anything else.
        let (named, by_position) = match (asked.by_position, &asked.id_field) {
            (by_position, Some(field)) => (Some(field.clone()), by_position),
            (true, None) => (find(POSITIONS).or_else(own).or_else(|| find(IDS)), true),
            (false, None) => match own().or_else(|| find(IDS)) {
                Some(field) => (Some(field), false),
                None => (find(POSITIONS), true),
            },
        };
        let pair = [find(&["a"]), find(&["b"])];
        let kind =
            asked
                .kind
                .unwrap_or(match (&verdict, &representative, &cluster, &named, &pair) {
                    (None, None, None, None, [Some(_), Some(_)]) => ResultKind::Pairs,
                    (Some(_), ..) | (_, Some(_), ..) => ResultKind::Decisions,
                    (_, _, Some(_), ..) => ResultKind::Clusters,
                    _ => ResultKind::Removed,
                });
        let wrong = |what: &str| Error::new(ErrorKind::Input, what.to_string()).at(name.to_owned());
        let listed = || match fields.len() {
            0 => "the rows have no fields".to_string(),
            _ => format!(
                "the fields are {}",
                fields
                    .iter()
                    .take(12)
                    .map(|field| quoted(field))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        if kind == ResultKind::Pairs {
            let [Some(a), Some(b)] = pair else {
                return Err(
                    wrong("the rows are no pairs: they have no fields a and b").advise(listed())
                );
            };
            return Ok(Self {
                other: Some(b),
                ..Self::new(kind, asked.by_position, a)
            });
        }
        let Some(named) = named else {
            return Err(wrong("no field has the ids of documents")
                .advise(words!["name the field with $result_id; ", listed()]));
        };
        if asked.kind.is_none() && kind == ResultKind::Removed && fields.contains(text) {
            let what = format!(
                "the records have the field {}, and nothing says whether they were kept or removed",
                quoted(text)
            );
            return Err(wrong(&what).advise("give $result=kept or $result=removed"));
        }
        let columns = Self::new(kind, by_position, named);
        match kind {
            ResultKind::Clusters if cluster.is_none() => Err(wrong("no field has the clusters")
                .advise(words!["name the field with $cluster_field; ", listed()])),
            ResultKind::Clusters => Ok(Self { cluster, ..columns }),
            ResultKind::Decisions if verdict.is_none() && representative.is_none() => {
                let advice = words![
                    "name a field with $kept_field or $duplicate_of_field; ",
                    listed()
                ];
                Err(wrong("no field says which documents were kept").advise(advice))
            }
            ResultKind::Decisions => {
                let own = matches!(verdict, Some(Verdict::Words(_)));
                let reference = own.then(|| find(&["reference"])).flatten();
                Ok(Self {
                    cluster,
                    verdict,
                    representative,
                    reference,
                    ..columns
                })
            }
            ResultKind::Removed | ResultKind::Kept | ResultKind::Pairs => Ok(columns),
        }
    }

    /// Returns the names of all fields that are read.
    pub(super) fn names(&self) -> Vec<String> {
        let verdict = self
            .verdict
            .as_ref()
            .map(|verdict| verdict.field().to_string());
        let (cluster, representative) = (self.cluster.clone(), self.representative.clone());
        let names = [
            Some(self.id.clone()),
            self.other.clone(),
            cluster,
            verdict,
            representative,
            self.reference.clone(),
        ];
        names.into_iter().flatten().collect()
    }
}

fn plain(field: &str) -> String {
    field.trim_matches('_').to_lowercase()
}

/// Returns the error for a row without a field.
pub(super) fn lacks(field: &str) -> Error {
    Error::record(format!("the row has no {}", cut(field))).in_field(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fields: &[&str], asked: &AuditedResult) -> std::result::Result<Columns, String> {
        let fields = fields.iter().map(|field| (*field).to_string()).collect();
        Columns::recognise(&fields, asked, ("id", "text"), "result")
            .map_err(|error| error.to_string())
    }

    #[test]
    fn results_of_other_programs_are_recognised() {
        let usual = AuditedResult::default();
        for (fields, kind, id, by_position) in [
            (&["id"][..], ResultKind::Removed, "id", false),
            (
                &["_curator_dedup_id"],
                ResultKind::Removed,
                "_curator_dedup_id",
                false,
            ),
            (
                &["__index__", "__cluster__"],
                ResultKind::Clusters,
                "__index__",
                true,
            ),
            (
                &["__INDEX__", "__CLUSTER__", "text"],
                ResultKind::Clusters,
                "__INDEX__",
                true,
            ),
            (
                &["_curator_dedup_id", "_duplicate_group_id"],
                ResultKind::Clusters,
                "_curator_dedup_id",
                false,
            ),
            (&["group", "id"], ResultKind::Clusters, "id", false),
            (
                &["id", "verdict", "representative"],
                ResultKind::Decisions,
                "id",
                false,
            ),
            (&["id", "duplicate_of"], ResultKind::Decisions, "id", false),
            (
                &["id", "cluster", "kept"],
                ResultKind::Decisions,
                "id",
                false,
            ),
            (&["a", "b", "similarity"], ResultKind::Pairs, "a", false),
        ] {
            let columns = of(fields, &usual).unwrap();
            assert_eq!(
                (columns.kind, columns.id.as_str(), columns.by_position),
                (kind, id, by_position),
                "{fields:?}"
            );
        }
    }

    #[test]
    fn ambiguous_results_are_refused() {
        let usual = AuditedResult::default();
        assert!(
            of(&["id", "text"], &usual)
                .unwrap_err()
                .contains("kept or removed")
        );
        assert!(
            of(&["name"], &usual)
                .unwrap_err()
                .contains("no field has the ids")
        );
        let kept = AuditedResult {
            kind: Some(ResultKind::Kept),
            ..usual.clone()
        };
        assert_eq!(of(&["id", "text", "cluster"], &kept).unwrap().cluster, None);
        let clusters = AuditedResult {
            kind: Some(ResultKind::Clusters),
            ..usual
        };
        assert!(
            of(&["id"], &clusters)
                .unwrap_err()
                .contains("no field has the clusters")
        );
        assert!(
            Columns::of_list(&clusters, "x", true).is_err()
                && Columns::of_list(&clusters, "x", false).is_ok()
        );
    }
}
