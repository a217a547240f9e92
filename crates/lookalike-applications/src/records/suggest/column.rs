//! A column of records.

/// The values of a column in a sample of the records, those of the first collection first.
#[derive(Debug, Clone, Default)]
pub struct Column {
    /// The path in a record, such as `address.city`.
    pub path: String,
    /// A value for each record of the sample; empty if it is missing.
    pub values: Vec<String>,
    /// Whether a value is a list or an object, which cannot be compared.
    pub is_nested: bool,
}

/// Words that mean that a value is missing.
const NOTHING: [&str; 14] = [
    "n/a",
    "na",
    "#n/a",
    "none",
    "null",
    "nan",
    "nil",
    "unknown",
    "not available",
    "missing",
    "?",
    "-",
    "--",
    ".",
];

/// The smallest share of values that are 0 in a column of decimal numbers, if 0 means that the number is missing.
const NOUGHTS: f64 = 0.05;

impl Column {
    /// Returns the values that mean that one is missing, as they are written in the records.
    pub(super) fn nothing(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let (mut noughts, mut decimals, mut present) = (0, 0, 0);
        for value in &self.values {
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            present += 1;
            decimals += usize::from(value.contains('.') && value.parse::<f64>().is_ok());
            noughts += usize::from(is_nought(value));
            if NOTHING.contains(&&*value.to_lowercase())
                && !found.iter().any(|other| other == value)
            {
                found.push(value.into());
            }
        }
        if 2 * decimals > present && noughts as f64 >= NOUGHTS * present as f64 {
            let mut written: Vec<&str> = self
                .values
                .iter()
                .map(|value| value.trim())
                .filter(|value| is_nought(value))
                .collect();
            written.sort_unstable();
            written.dedup();
            found.extend(written.into_iter().map(String::from));
        }
        found.sort_unstable();
        found
    }
}

fn is_nought(value: &str) -> bool {
    value.parse::<f64>().is_ok_and(|number| number == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str]) -> Column {
        Column {
            path: "x".into(),
            values: values.iter().map(|value| (*value).into()).collect(),
            is_nested: false,
        }
    }

    #[test]
    fn values_that_mean_nothing() {
        assert_eq!(
            column(&["Kiel", "N/A", "unknown", "N/A", ""]).nothing(),
            ["N/A", "unknown"]
        );
        assert_eq!(
            column(&["12.50", "0.0", "0", "3.99", "8.00"]).nothing(),
            ["0", "0.0"],
            "a price of 0"
        );
        assert_eq!(
            column(&["0", "1", "0", "2"]).nothing(),
            Vec::<String>::new(),
            "a count of 0"
        );
    }
}
