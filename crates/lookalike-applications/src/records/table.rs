//! The normalised values of many records, stored contiguously.

/// The values of records by record and field. Takes up the bytes of the text, plus 4 bytes for each field of a record and 8 for
/// each record. An empty value is a missing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    fields: usize,
    text: String,
    /// The position in the text at which each record's values begin.
    starts: Vec<u64>,
    /// The end of each value, relative to its record's start.
    ends: Vec<u32>,
}

impl Records {
    /// Creates an empty table of records with `fields` fields.
    pub fn new(fields: usize) -> Self {
        Self {
            fields,
            text: String::new(),
            starts: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the number of fields of a record.
    pub fn fields(&self) -> usize {
        self.fields
    }

    /// Appends a record's values, one per field.
    ///
    /// # Panics
    /// Panics if the number of values is wrong, or if the values have more than 4 GiB of characters.
    #[expect(
        clippy::panic,
        reason = "records are read in lines of up to 2 GiB, and normalising at most doubles their length"
    )]
    pub fn push<'a>(&mut self, values: impl IntoIterator<Item = &'a str>) {
        let (start, before) = (self.text.len(), self.ends.len());
        self.starts.push(start as u64);
        for value in values {
            self.text.push_str(value);
            let Ok(end) = u32::try_from(self.text.len() - start) else {
                panic!("a record has more than 4 GiB of text")
            };
            self.ends.push(end);
        }
        assert_eq!(
            self.ends.len() - before,
            self.fields,
            "a record must have one value per field"
        );
    }

    /// Appends other records after these.
    ///
    /// # Panics
    /// Panics if the other records have a different number of fields.
    pub fn append(&mut self, others: &Self) {
        assert_eq!(
            self.fields, others.fields,
            "the records must have the same fields"
        );
        let start = self.text.len() as u64;
        self.text.push_str(&others.text);
        self.starts
            .extend(others.starts.iter().map(|other| start + other));
        self.ends.extend_from_slice(&others.ends);
    }

    /// Returns a value; a missing value is an empty string.
    #[inline]
    pub fn get(&self, record: u32, field: usize) -> &str {
        let first = record as usize * self.fields;
        let start = self.starts[record as usize] as usize;
        let from = if field == 0 {
            0
        } else {
            self.ends[first + field - 1] as usize
        };
        &self.text[start + from..start + self.ends[first + field] as usize]
    }

    /// Returns the size of the records in bytes.
    pub fn size(&self) -> usize {
        self.text.len() + 8 * self.starts.len() + 4 * self.ends.len()
    }
}
