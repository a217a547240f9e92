//! Normalised values of many records, one behind the other.

/// The values of records by record and field: their characters, 4 bytes a field and 8 a record. An empty value is a missing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    fields: usize,
    text: String,
    /// Where each record's values begin in the text.
    starts: Vec<u64>,
    /// Where each value ends, counted from its record's start.
    ends: Vec<u32>,
}

impl Records {
    /// No records, of so many fields.
    pub fn new(fields: usize) -> Self {
        Self { fields, text: String::new(), starts: Vec::new(), ends: Vec::new() }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The number of fields of a record.
    pub fn fields(&self) -> usize {
        self.fields
    }

    /// A record's values, as many as there are fields.
    ///
    /// # Panics
    /// When there are more or fewer of them, or more than 4 GiB of characters.
    #[expect(clippy::panic, reason = "records are read in lines of at most 2 GiB, which normalising at most doubles")]
    pub fn push<'a>(&mut self, values: impl IntoIterator<Item = &'a str>) {
        let (start, before) = (self.text.len(), self.ends.len());
        self.starts.push(start as u64);
        for value in values {
            self.text.push_str(value);
            let Ok(end) = u32::try_from(self.text.len() - start) else { panic!("a record of more than 4 GiB") };
            self.ends.push(end);
        }
        assert_eq!(self.ends.len() - before, self.fields, "a record has one value a field");
    }

    /// Puts others behind these.
    ///
    /// # Panics
    /// When they have another number of fields.
    pub fn append(&mut self, others: &Self) {
        assert_eq!(self.fields, others.fields, "records of the same fields");
        let start = self.text.len() as u64;
        self.text.push_str(&others.text);
        self.starts.extend(others.starts.iter().map(|other| start + other));
        self.ends.extend_from_slice(&others.ends);
    }

    /// A value; empty where it is missing.
    #[inline]
    pub fn get(&self, record: u32, field: usize) -> &str {
        let first = record as usize * self.fields;
        let start = self.starts[record as usize] as usize;
        let from = if field == 0 { 0 } else { self.ends[first + field - 1] as usize };
        &self.text[start + from..start + self.ends[first + field] as usize]
    }

    /// Bytes that they take.
    pub fn size(&self) -> usize {
        self.text.len() + 8 * self.starts.len() + 4 * self.ends.len()
    }
}
