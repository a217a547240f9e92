//! Tables in memory that a run is given.

#[cfg(feature = "tables")]
pub use with_tables::{InputTable, JSON};

/// A table in memory: there is none, this lookalike was built without.
#[cfg(not(feature = "tables"))]
#[derive(Debug, Clone)]
pub enum InputTable {}

#[cfg(feature = "tables")]
mod with_tables {
    use std::{fmt, sync::Arc};

    use arrow_array::RecordBatch;
    use arrow_schema::SchemaRef;

    use crate::error::{Error, ErrorKind, Result};

    /// The name in a field's metadata by which a column of strings says that its values are JSON, each a string or a number: for ids
    /// of several types, such as 1 and "1", which are two, and for numbers that no type of Arrow's holds.
    pub const JSON: &str = "lookalike:json";

    /// A table in memory, an input of a run. Cheap to clone: the batches are shared.
    #[derive(Clone)]
    pub struct InputTable(Arc<Held>);

    struct Held {
        name: String,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    }

    impl InputTable {
        /// Batches of one schema. `name` is what messages and made-up ids call it.
        ///
        /// # Errors
        /// A batch of another schema.
        pub fn new(name: &str, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
            if let Some(other) = batches.iter().position(|batch| batch.schema_ref().fields() != schema.fields()) {
                let what = format!("batch {other} has another schema than the table");
                return Err(Error::new(ErrorKind::Input, what).at(name).advise("convert them to one schema first"));
            }
            Ok(Self(Arc::new(Held { name: name.into(), schema, batches })))
        }

        /// What messages call it.
        pub fn name(&self) -> &str {
            &self.0.name
        }

        /// Of all batches.
        pub fn schema(&self) -> &SchemaRef {
            &self.0.schema
        }

        /// The rows.
        pub fn batches(&self) -> &[RecordBatch] {
            &self.0.batches
        }
    }

    impl fmt::Debug for InputTable {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("InputTable").field(&self.0.name).finish_non_exhaustive()
        }
    }
}
