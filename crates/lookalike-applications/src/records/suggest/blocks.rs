//! Chooses blocks by the number of pairs that they make.

use super::fields::is_long;
use crate::{
    error::Result,
    records::{
        blocks::{Block, NO_KEY},
        config::{BlockConfig, FieldConfig, Kind, Part, Take},
        table::Records,
    },
};

/// A block, and the number of pairs that it makes; `None` for blocks of similar values, which are not counted.
#[derive(Debug, Clone, PartialEq)]
pub struct SuggestedBlock {
    /// The block.
    pub config: BlockConfig,
    /// The number of pairs with a common value.
    pub pairs: Option<u64>,
}

/// A block may make this many pairs for each record: many if there are few records, so that blocks on one field find most matches, and
/// few if there are many records, so that a run takes seconds. A million people took 59 s with 20 pairs.
fn per_record(records: usize) -> u64 {
    (2_000_000 / records.max(1) as u64).clamp(3, 20)
}

/// A field whose blocks would make too many pairs is combined with at most this many others.
const PARTNERS: usize = 2;

/// Blocks of similar values ignore buckets with more records.
const BUCKET: u32 = 200;

/// Chooses blocks for records with these fields: the value of each field if few enough records share it; otherwise, two fields
/// together; and similar values of fields with several words. `split` is the number of the first record of the second collection, if
/// there are two. Cost: a sort of all records for each field and each pair of fields.
///
/// # Errors
/// Fails only if the fields are invalid.
pub fn blocks(
    fields: &[FieldConfig],
    records: &Records,
    split: Option<u32>,
) -> Result<Vec<SuggestedBlock>> {
    let most = (per_record(records.len()) * records.len() as u64).max(1000);
    let counted = |config: BlockConfig| -> Result<SuggestedBlock> {
        let pairs = pairs(&Block::new(&config, 1, fields)?, records, split);
        Ok(SuggestedBlock {
            config,
            pairs: Some(pairs),
        })
    };
    let is_good =
        |block: &SuggestedBlock| block.pairs.is_some_and(|pairs| pairs > 0 && pairs <= most);
    let (mut chosen, mut common) = (Vec::new(), Vec::new());
    for field in fields {
        let block = counted(BlockConfig {
            equal: vec![part(field)],
            ..BlockConfig::equal(&[])
        })?;
        match block.pairs {
            Some(0) => {}
            _ if is_good(&block) => chosen.push(block),
            _ => common.push(field),
        }
    }
    // Fields that many records share are combined, the most selective combinations first.
    let mut together = Vec::new();
    for (at, one) in common.iter().enumerate() {
        for other in &common[at + 1..] {
            let config = BlockConfig {
                equal: vec![part(one), part(other)],
                ..BlockConfig::equal(&[])
            };
            let block = counted(config)?;
            if is_good(&block) {
                together.push((block, [&one.name, &other.name]));
            }
        }
    }
    together.sort_by_key(|(block, _)| block.pairs);
    let mut partners: Vec<&String> = Vec::new();
    for (block, names) in together {
        let used = |name: &String| partners.iter().filter(|other| **other == name).count();
        if names.iter().any(|name| used(name) < PARTNERS) {
            chosen.push(block);
            partners.extend(names);
        }
    }
    // If too many records have equal values, even more have similar ones.
    let similar = fields
        .iter()
        .filter(|field| is_long(field) && !common.iter().any(|other| other.name == field.name));
    chosen.extend(similar.map(|field| {
        let config = BlockConfig {
            at_most: Some(BUCKET),
            ..BlockConfig::similar(&field.name, 0.5)
        };
        SuggestedBlock {
            config,
            pairs: None,
        }
    }));
    Ok(chosen)
}

/// Returns the part of a field by which records are compared. The words of a name can be in another order.
fn part(field: &FieldConfig) -> Part {
    let take = if field.kind == Kind::Name && field.compare.is_some() {
        Take::SortedWords
    } else {
        Take::Whole
    };
    Part {
        field: field.name.clone(),
        take,
        prefix: None,
        suffix: None,
    }
}

/// Returns the number of pairs of records with a common key.
fn pairs(block: &Block, records: &Records, split: Option<u32>) -> u64 {
    let (mut keyed, mut keys) = (Vec::new(), Vec::new());
    for record in 0..records.len() as u32 {
        keys.clear();
        block.write_keys(records, record, &mut keys);
        keyed.extend(
            keys.iter()
                .filter(|key| **key != NO_KEY)
                .map(|&key| (key, record)),
        );
    }
    keyed.sort_unstable();
    let of_bucket = |bucket: &[(u64, u32)]| {
        let all = bucket.len() as u64;
        let first = split.map(|split| bucket.partition_point(|&(_, record)| record < split) as u64);
        first.map_or_else(|| all * (all - 1) / 2, |first| first * (all - first))
    };
    keyed.chunk_by(|a, b| a.0 == b.0).map(of_bucket).sum()
}
