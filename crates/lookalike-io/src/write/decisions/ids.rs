//! Determines the common type of the ids in a column, and converts ids for outputs without types.

use std::borrow::Cow;

/// The common type of all ids of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum IdKind {
    /// Strings: written as a column of strings.
    Strings,
    /// 64-bit integers: written as a column of integers.
    Integers,
    /// Other numbers, or both numbers and strings: written as a column of JSON, so that 1 and "1" remain distinct.
    Mixed,
}

impl IdKind {
    /// Returns the type of an id, given as JSON.
    pub fn of(id: &str) -> Self {
        match id.starts_with('"') {
            true => Self::Strings,
            // -0 is the only JSON number that parses as an `i64` and would be written differently (as 0).
            false if id != "-0" && id.parse::<i64>().is_ok() => Self::Integers,
            false => Self::Mixed,
        }
    }

    /// Returns the common type of two sets of ids.
    pub fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }
}

/// Returns an id for outputs without types: a string without its quotes and escapes, or a number unchanged.
pub fn plain(id: &str) -> Cow<'_, str> {
    match id.strip_prefix('"').and_then(|id| id.strip_suffix('"')) {
        None => id.into(),
        Some(inner) if !inner.contains('\\') => inner.into(),
        // The id was read before it is written, so it is a valid string.
        Some(inner) => serde_json::from_str::<String>(id).map_or(inner.into(), Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_column_have_one_kind() {
        let kind = |ids: &[&str]| {
            ids.iter()
                .map(|id| IdKind::of(id))
                .reduce(IdKind::with)
                .unwrap()
        };
        assert_eq!(kind(&["\"a\"", "\"1\""]), IdKind::Strings);
        assert_eq!(kind(&["1", "-9223372036854775808"]), IdKind::Integers);
        for mixed in [
            &["1", "\"1\""][..],
            &["1.5"],
            &["9223372036854775808"],
            &["1", "1.0"],
            &["1e3"],
            &["-0"],
        ] {
            assert_eq!(kind(mixed), IdKind::Mixed, "{mixed:?}");
        }
    }

    #[test]
    fn ids_without_types() {
        for (id, text) in [
            ("7.50", "7.50"),
            ("\"\"", ""),
            ("\"a b\"", "a b"),
            (r#""\u00e9\n\"""#, "é\n\""),
        ] {
            assert_eq!(plain(id), text);
        }
    }
}
