//! Decides whether a collection seems to contain duplicates.

use std::ops::Range;

use lookalike::fingerprint::DigestBy;

use super::table::Records;

/// The largest share of the records of a collection that may repeat an earlier one, if the collection has no duplicates.
const REPEATED: f64 = 0.05;

/// Fields identify a record if at most this number of other records is expected to share its values by chance.
const CHANCE: f64 = 0.01;

/// A field identifies records only if so many of them have it.
const PRESENT: f64 = 0.5;

/// Returns whether few records of a collection repeat an earlier one. Records are compared by the fields that together identify a record,
/// such as a title, or a name with a date; and then again without the first of these fields, which may be wrong in one of the two. Returns
/// `false` if all fields together do not identify a record. `range` has the records of the collection. Cost: a sort for each field.
pub fn has_no_duplicates(records: &Records, range: Range<u32>) -> bool {
    let mut fields: Vec<(f64, usize)> = (0..records.fields())
        .filter_map(|field| Some((chance(records, range.clone(), field)?, field)))
        .collect();
    fields.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let most = REPEATED * range.len() as f64;
    let is_clean = |fields: &[usize]| repeated(records, range.clone(), fields) as f64 <= most;
    match identifying(&fields, range.len()) {
        None => range.len() < 2,
        Some(first) => {
            let others = fields
                .get(1..)
                .and_then(|others| identifying(others, range.len()));
            is_clean(&first) && others.is_none_or(|others| is_clean(&others))
        }
    }
}

/// Returns the first fields that together identify one of `count` records. `fields` have the probability that two records share a value by
/// chance, the lowest first.
fn identifying(fields: &[(f64, usize)], count: usize) -> Option<Vec<usize>> {
    let (mut together, mut chosen) = (count as f64 / 2.0, Vec::new());
    for &(chance, field) in fields {
        together *= chance;
        chosen.push(field);
        if together <= CHANCE {
            return Some(chosen);
        }
    }
    None
}

/// Returns the probability that two records have the same value in a field; `None` if many records lack the field.
fn chance(records: &Records, range: Range<u32>, field: usize) -> Option<f64> {
    let all = range.len();
    let digests = digests(records, range, &[field]);
    if (digests.len() as f64) < PRESENT * all as f64 || digests.len() < 2 {
        return None;
    }
    let pairs = |count: usize| count as f64 * (count as f64 - 1.0) / 2.0;
    let same: f64 = digests
        .chunk_by(|a, b| a == b)
        .map(|same| pairs(same.len()))
        .sum();
    Some(same / pairs(digests.len()))
}

/// Returns the number of records that have the values of an earlier one in some fields.
fn repeated(records: &Records, range: Range<u32>, fields: &[usize]) -> usize {
    digests(records, range, fields)
        .chunk_by(|a, b| a == b)
        .map(|same| same.len() - 1)
        .sum()
}

/// Returns the digests of the values of the records that have all of these fields, in order.
fn digests(records: &Records, range: Range<u32>, fields: &[usize]) -> Vec<u64> {
    let mut value = String::new();
    let of_record = |record| {
        value.clear();
        for &field in fields {
            let part = records.get(record, field);
            if part.is_empty() {
                return None;
            }
            value.extend([part, "\n"]);
        }
        Some(DigestBy::Xxh3.digest(value.as_bytes()) as u64)
    };
    let mut digests: Vec<u64> = range.filter_map(of_record).collect();
    digests.sort_unstable();
    digests
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(count: u32, of: impl Fn(u32) -> [String; 3]) -> Records {
        let mut records = Records::new(3);
        (0..count).for_each(|record| records.push(of(record).iter().map(String::as_str)));
        records
    }

    #[test]
    fn a_repeated_title_and_a_repeated_person_are_duplicates() {
        // Titles of papers: every tenth is there twice, as in a library that collects from several sources.
        let title = |record: u32| [format!("title {record}"), "1998".into(), "proc".into()];
        assert!(has_no_duplicates(&collection(1000, title), 0..1000));
        assert!(!has_no_duplicates(
            &collection(1000, |record| title(record - record % 10 / 9)),
            0..1000
        ));
        // People: 50 names and 300 days, so that one field does not identify a person.
        let person = |record: u32| {
            [
                format!("name {}", record % 50),
                format!("day {}", record % 307),
                format!("town {}", record % 7),
            ]
        };
        assert!(has_no_duplicates(&collection(1000, person), 0..1000));
        assert!(!has_no_duplicates(
            &collection(1000, |record| person(record - record % 10 / 9)),
            0..1000
        ));
        // One of two records of a person has another name, because of a typing error.
        let misspelled = |record: u32| {
            let who = record - record % 10 / 9;
            [
                format!("name {record}"),
                format!("phone {who}"),
                format!("town {}", who % 91),
            ]
        };
        assert!(!has_no_duplicates(&collection(1000, misspelled), 0..1000));
        // The duplicates of the first collection do not count in the second.
        let both = collection(1000, |record| {
            title(if record < 500 {
                record - record % 2
            } else {
                record
            })
        });
        assert!(!has_no_duplicates(&both, 0..500) && has_no_duplicates(&both, 500..1000));
    }

    #[test]
    fn fields_that_do_not_identify_a_record_prove_nothing() {
        let town = |record: u32| [format!("town {}", record % 7), String::new(), String::new()];
        assert!(!has_no_duplicates(&collection(1000, town), 0..1000));
        assert!(
            has_no_duplicates(&collection(1, town), 0..1),
            "a single record"
        );
    }
}
