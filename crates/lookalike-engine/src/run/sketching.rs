//! First pass: every text to its sketch.

use std::{num::NonZeroU128, sync::Arc};

use lookalike::{Method, Scratch, cluster::Keep};
use rayon::ThreadPool;

use super::{
    estimating::Estimating,
    ids::hash_name,
    parallel::in_order_placed,
    table::{Sketched, Table},
};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    error::{Error, ErrorKind, Result},
    read::{Block, Blocks, Fields, Record, Source, is_blank, push_line},
    spill::Budget,
    write::Output,
};

/// A worker's buffers.
#[derive(Default)]
struct Worker {
    room: String,
    scratch: Scratch,
}

/// The fields that a run reads.
pub(crate) fn fields(config: &RunConfig) -> Result<Fields> {
    if config.text_field == config.id_field {
        let message =
            format!("field {:?} cannot be both the text and the id; see --text-field and --id-field", config.text_field);
        return Err(Error::new(ErrorKind::Config, message));
    }
    let keep = config.keep();
    if keep.field() == Some(&config.text_field) {
        let message = format!("--keep {keep}: the text cannot be the field that decides; name another field");
        return Err(Error::new(ErrorKind::Config, message));
    }
    if config.label_field.as_ref() == Some(&config.text_field) {
        let message = format!("--labels {}: the text cannot be the label; name another field", config.text_field);
        return Err(Error::new(ErrorKind::Config, message));
    }
    let (text, id, label) = (config.text_field.clone(), config.id_field.clone(), config.label_field.clone());
    Ok(Fields { text, id, keep, label })
}

/// Reads the whole source. Bad lines go to `bad`, or stop the run.
pub(crate) fn sketch(
    config: &RunConfig,
    method: &Method,
    source: &Source,
    budget: &Arc<Budget>,
    pool: &ThreadPool,
    mut bad: Option<&mut Output>,
    observer: Observer,
) -> Result<Table> {
    let fields = fields(config)?;
    let names: Vec<String> = source.inputs().iter().map(|input| input.name()).collect();
    let mut table = Table::new(method, budget);
    let pass = Pass { method, fields: &fields, skip_bad: config.skip_bad.is_some() };
    let mut estimating = Estimating::new();
    in_order_placed(
        pool,
        Blocks::new(source),
        |block, worker: &mut Worker| pass.block(block, worker),
        |place, mut sketched| {
            sketched.stand(place);
            if let Some(output) = &mut bad {
                output.write(&sketched.bad_lines)?;
            }
            table.add(sketched, !config.allow_repeated_ids)?;
            let (done, total) = (source.read(), source.total());
            let estimate = estimating.estimate(&table, done, total);
            observer(Progress { estimate, ..Progress::new(Stage::Sketching, done, total) });
            Ok(())
        },
    )?;
    if table.documents == 0 {
        let why = match (table.counts.bad_lines, table.counts.blank_lines == 0) {
            (0, true) => "is empty",
            (0, false) => "has only blank lines",
            _ => "has only bad lines",
        };
        let message = format!("{}: no documents: the input {why}; each line must be one JSON object", names.join(", "));
        return Err(Error::new(ErrorKind::Input, message));
    }
    if !config.allow_repeated_ids {
        refuse_repeated_ids(&mut table, &names, pool)?;
    }
    Ok(table)
}

fn refuse_repeated_ids(table: &mut Table, names: &[String], pool: &ThreadPool) -> Result<()> {
    let budget = table.budget.clone();
    let Some((first, document)) = table.ids.first_repeated(&budget, pool)? else { return Ok(()) };
    let mut id = Vec::new();
    let id = table.ids.get(document, &mut id)?;
    let (here, there) = (table.place(document, names), table.place(first, names));
    let message =
        format!("{here}: id {id} was already used at {there}; make ids unique, or let them pass with --allow-repeated-ids");
    Err(Error::new(ErrorKind::Record, message))
}

struct Pass<'a> {
    method: &'a Method,
    fields: &'a Fields,
    skip_bad: bool,
}

impl Pass<'_> {
    fn block(&self, block: &Block, worker: &mut Worker) -> Result<Sketched> {
        let Worker { room, scratch } = worker;
        let mut out = Sketched::new(self.method);
        out.info.input = block.input;
        for (line, number) in block.lines().zip(0u32..) {
            if is_blank(line) {
                out.info.skipped.push(number);
                continue;
            }
            let record = match Record::read(line, self.fields, room) {
                Ok(record) => record,
                Err(fault) => {
                    if !self.skip_bad {
                        return Err(Error::on_line(ErrorKind::Record, number.into(), fault.to_string()));
                    }
                    out.info.skipped.push(number);
                    push_line(&mut out.bad_lines, line);
                    out.bad_messages.push((number, fault.to_string()));
                    continue;
                }
            };
            out.line_bytes += line.len() as u64;
            out.without_id += u64::from(record.id.is_empty());
            self.method.sketch(record.text, scratch);
            out.digests.push(scratch.digest);
            out.bits.extend_from_slice(&scratch.bits);
            out.columns.iter_mut().zip(&scratch.keys).for_each(|(column, &key)| column.push(key));
            if self.method.lists() {
                out.lists.push(&scratch.elements, scratch.level);
            }
            if self.fields.keep != Keep::First {
                out.keys.push(record.key);
            }
            if self.fields.label.is_some() {
                out.labels.push(NonZeroU128::new(hash_name(record.label)).filter(|_| !record.label.is_empty()));
            }
            out.ids.push(record.id);
        }
        out.info.count = out.digests.len() as u32;
        Ok(out)
    }
}
