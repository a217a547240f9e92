//! Checks the names of fields that are added to records.

use lookalike_io::{
    error::{ErrorKind, Result},
    read::{Blocks, Columns, Source, Start, each_block},
    write::{AddedNames, refuse_table_names},
};

/// Returns an error if the name of an added field is already a field of the records. Only the fields that are known before the work are
/// checked: the columns of CSV and tables, and the fields of the first records of the first input. A conflict in a later record
/// is reported when that record is written.
pub(crate) fn refuse_names(names: &AddedNames, source: &Source) -> Result<()> {
    refuse_table_names(names, source)?;
    let first = source.reference_parts();
    for part in first..source.parts().len() {
        let taken = |columns: &Columns| {
            names
                .refuse_columns(columns)
                .map_err(|why| why.at_place(source.place(part, 1)))
        };
        source
            .columns(part)?
            .map_or(Ok(()), |columns| taken(&columns))?;
    }
    // An input that can be read only once is not checked.
    if !source.is_regular(first) {
        return Ok(());
    }
    let looked = each_block(
        Blocks::after(source, Start::at(first)),
        |block, first_line| {
            for at in 0..block.len() {
                let looked = block
                    .object(at)
                    .map_or(Ok(()), |object| names.refuse_object(object));
                looked.map_err(|why| {
                    why.at_place(source.place(block.part, first_line + at as u64))
                })?;
            }
            Ok(false)
        },
    );
    // Only errors about a record are returned. All other errors are ignored here, because the first pass reports unreadable
    // inputs in more detail.
    looked.or_else(|error| {
        if error.kind() == ErrorKind::Record {
            Err(error)
        } else {
            Ok(())
        }
    })
}
