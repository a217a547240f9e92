//! Tables in memory as inputs of a run.

#[cfg(feature = "tables")]
pub use with_tables::{InputTable, JSON};

/// A table in memory. This type has no values in a build without tables.
#[cfg(not(feature = "tables"))]
#[derive(Debug, Clone)]
pub enum InputTable {}

#[cfg(not(feature = "tables"))]
impl InputTable {
    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        match *self {}
    }
}

#[cfg(feature = "tables")]
mod with_tables {
    use std::{fmt, sync::Arc};

    use arrow_array::RecordBatch;
    use arrow_schema::SchemaRef;

    use crate::error::{Error, ErrorKind, Result};

    /// The metadata key of a field whose string values are JSON. Each value is a string or a number. The key is used for ids of
    /// mixed types (1 and "1" are different ids), and for numbers that no Arrow type can represent.
    pub const JSON: &str = "lookalike:json";

    /// A table in memory that is an input of a run. It is cheap to clone: the batches are shared.
    #[derive(Clone)]
    pub struct InputTable(Arc<Held>);

    struct Held {
        name: String,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    }

    impl InputTable {
        /// Creates a table from batches of one schema. `name` is used in messages and in generated ids.
        ///
        /// # Errors
        /// Fails if a batch has a different schema.
        pub fn new(name: &str, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
            if let Some(other) = batches
                .iter()
                .position(|batch| batch.schema_ref().fields() != schema.fields())
            {
                let what = format!("batch {other} has a different schema from the table");
                return Err(Error::new(ErrorKind::Input, what)
                    .at(name)
                    .advise("convert them to one schema first"));
            }
            Ok(Self(Arc::new(Held {
                name: name.into(),
                schema,
                batches,
            })))
        }

        /// Returns the name used in messages.
        pub fn name(&self) -> &str {
            &self.0.name
        }

        /// Returns the schema of all batches.
        pub fn schema(&self) -> &SchemaRef {
            &self.0.schema
        }

        /// Returns the rows.
        pub fn batches(&self) -> &[RecordBatch] {
            &self.0.batches
        }
    }

    impl fmt::Debug for InputTable {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("InputTable")
                .field(&self.0.name)
                .finish_non_exhaustive()
        }
    }
}
