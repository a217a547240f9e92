//! The signature matrix of a given characteristic matrix, with given permutations or hash functions.

use std::{fmt::Write, path::PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use lookalike::{
    shown::cut,
    sketch::{SignatureMatrix, linear_hash},
};
use lookalike_engine::{refuse_url, shown_path};
use serde::Serialize;

use crate::{
    output::{BOLD, DIM, counted},
    report::Report as Header,
};

#[derive(Args)]
pub(super) struct Matrix {
    /// Show the MinHash signatures of the sets in FILE
    ///
    /// FILE has one line per element, with a 1 for each set that contains it and a 0 for each other set. The first line may name
    /// the sets.
    #[arg(long, value_name = "FILE", help_heading = "Signature matrix")]
    matrix: Option<PathBuf>,
    /// Permutation of the rows: the position of each, such as 3,1,2
    ///
    /// The flag can be repeated.
    #[arg(
        long,
        value_name = "PLACES",
        requires = "matrix",
        help_heading = "Signature matrix"
    )]
    permutation: Vec<String>,
    /// Hash function of the row number x, such as '2x+1 mod 5'
    ///
    /// The flag can be repeated.
    #[arg(
        long,
        value_name = "FUNCTION",
        requires = "matrix",
        help_heading = "Signature matrix"
    )]
    hash: Vec<String>,
    /// With --hash: number of the first row
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "matrix",
        help_heading = "Signature matrix"
    )]
    first_row: u64,
    /// Also show the signatures after each row
    #[arg(long, requires = "matrix", help_heading = "Signature matrix")]
    steps: bool,
}

/// The maximum number of rows or sets. The command is meant only for small examples.
const MOST: usize = 10_000;

#[derive(Serialize)]
struct Report {
    sets: Vec<String>,
    rows: Vec<Row>,
    functions: Vec<String>,
    /// For each function and each set, the smallest number that the function gives to an element of the set; null for the empty
    /// set.
    signatures: Vec<Vec<Option<u64>>>,
    pairs: Vec<Pair>,
}

/// A row of the characteristic matrix: an element.
#[derive(Serialize)]
struct Row {
    row: u64,
    /// For each set, 1 if it contains the element.
    members: Vec<u8>,
    /// The number that each function gives to the element.
    numbers: Vec<u64>,
    /// The signatures after this row.
    #[serde(skip_serializing_if = "Option::is_none")]
    signatures: Option<Vec<Vec<Option<u64>>>>,
}

#[derive(Serialize)]
struct Pair {
    a: String,
    b: String,
    resemblance: f64,
    signatures: f64,
}

impl Matrix {
    pub(super) fn is_asked(&self) -> bool {
        self.matrix.is_some()
    }

    pub(super) fn page(&self, as_json: bool) -> anyhow::Result<String> {
        let report = self.report()?;
        let file = self.matrix.iter().map(|path| path.display().to_string());
        if as_json {
            Header::new("curve").inputs("matrix", file).json(&report)
        } else {
            Ok(page(&report))
        }
    }

    fn report(&self) -> anyhow::Result<Report> {
        let (sets, rows) = self.read()?;
        let (functions, numbers) = self.functions(rows.len())?;
        let mut matrix = SignatureMatrix::new(functions.len(), sets.len());
        let signatures = |matrix: &SignatureMatrix| {
            (0..functions.len())
                .map(|f| (0..sets.len()).map(|set| matrix.get(f, set)).collect())
                .collect()
        };
        let mut shown = Vec::new();
        for (at, members) in rows.iter().enumerate() {
            let numbers: Vec<u64> = numbers.iter().map(|numbers| numbers[at]).collect();
            matrix.take(&numbers, members);
            let signatures = self.steps.then(|| signatures(&matrix));
            let members = members
                .iter()
                .map(|&is_member| u8::from(is_member))
                .collect();
            shown.push(Row {
                row: self.first_row + at as u64,
                members,
                numbers,
                signatures,
            });
        }
        let mut pairs = Vec::new();
        for (a, b) in (0..sets.len()).flat_map(|a| (a + 1..sets.len()).map(move |b| (a, b))) {
            let shared = rows.iter().filter(|row| row[a] && row[b]).count();
            let either = rows.iter().filter(|row| row[a] || row[b]).count();
            let resemblance = shared as f64 / either.max(1) as f64;
            pairs.push(Pair {
                a: sets[a].clone(),
                b: sets[b].clone(),
                resemblance,
                signatures: matrix.similarity(a, b),
            });
        }
        let signatures = signatures(&matrix);
        Ok(Report {
            sets,
            rows: shown,
            functions,
            signatures,
            pairs,
        })
    }

    /// Reads the rows and the names of the sets.
    fn read(&self) -> anyhow::Result<(Vec<String>, Vec<Vec<bool>>)> {
        let path = self
            .matrix
            .as_deref()
            .unwrap_or_else(|| std::path::Path::new("-"));
        refuse_url("--matrix", "file", path)?;
        let name = shown_path(path);
        let text = if path.as_os_str() == "-" {
            std::io::read_to_string(std::io::stdin())
        } else {
            std::fs::read_to_string(path)
        };
        let text = text.with_context(|| {
            format!("{name}: cannot be read; give a text file of zeros and ones")
        })?;
        let (mut sets, mut rows): (Vec<String>, Vec<Vec<bool>>) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            let cells: Vec<&str> = line
                .split([',', ';', '|', ' ', '\t'])
                .filter(|cell| !cell.is_empty())
                .collect();
            let is_row = cells.iter().all(|cell| matches!(*cell, "0" | "1"));
            match cells.len() {
                0 => continue,
                _ if !is_row && sets.is_empty() && rows.is_empty() => {
                    sets = cells.into_iter().map(Into::into).collect();
                    continue;
                }
                _ if !is_row => bail!(
                    "{name}:{number}: a row must have a 0 or a 1 for each set; correct the line"
                ),
                _ => rows.push(cells.iter().map(|cell| *cell == "1").collect()),
            }
            let wanted = if sets.is_empty() {
                rows[0].len()
            } else {
                sets.len()
            };
            let found = rows.last().map_or(0, Vec::len);
            if found != wanted {
                bail!(
                    "{name}:{number}: {} for {}; give each row a 0 or a 1 for each set",
                    counted(found as u64, "value"),
                    counted(wanted as u64, "set")
                );
            }
        }
        let columns = rows.first().map_or(0, Vec::len);
        if columns == 0 {
            bail!("{name}: no rows; give one line per element, with a 0 or a 1 for each set");
        }
        if rows.len().max(columns) > MOST {
            bail!(
                "{name}: more than {MOST} rows or sets; --matrix is only for small examples; use dedup or compare"
            );
        }
        if sets.is_empty() {
            sets = (1..=columns).map(|set| format!("C{set}")).collect();
        }
        Ok((sets, rows))
    }

    /// Returns the names of the functions, and the numbers that they give to the rows.
    fn functions(&self, rows: usize) -> anyhow::Result<(Vec<String>, Vec<Vec<u64>>)> {
        let (mut names, mut numbers) = (Vec::new(), Vec::new());
        for (number, places) in (1..).zip(&self.permutation) {
            names.push(format!("π{number}"));
            numbers.push(
                permutation(places, rows)
                    .with_context(|| format!("--permutation {}", cut(places)))?,
            );
        }
        for function in &self.hash {
            let parsed = linear(function).with_context(|| format!("--hash {}", cut(function)))?;
            names.push(function.clone());
            let end = self
                .first_row
                .checked_add(rows as u64)
                .context("--first-row is too large; give a smaller number")?;
            numbers.push(linear_hash(parsed, self.first_row..end));
        }
        if names.is_empty() {
            bail!("--matrix: no function; give at least one --permutation or --hash");
        }
        Ok((names, numbers))
    }
}

fn permutation(places: &str, rows: usize) -> anyhow::Result<Vec<u64>> {
    let parsed: Result<Vec<u64>, _> = places
        .split(',')
        .map(|place| place.trim().parse())
        .collect();
    let parsed = parsed
        .ok()
        .context("not a list of numbers; give the position of each row, comma-separated")?;
    let mut sorted = parsed.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(1..=rows as u64) {
        bail!("not a permutation of {rows} rows; give each of the positions 1 to {rows} once");
    }
    Ok(parsed)
}

/// Parses a function: `2x+1 mod 5` → [2, 1, 5].
fn linear(function: &str) -> anyhow::Result<[u64; 3]> {
    let plain: String = function
        .chars()
        .filter(|c| !c.is_whitespace() && !"()*·".contains(*c))
        .collect();
    let parse = || {
        let (sum, n) = plain.split_once("mod").or_else(|| plain.split_once('%'))?;
        let (a, b) = sum.split_once('x')?;
        let number = |digits: &str, empty| {
            if digits.is_empty() {
                Some(empty)
            } else {
                digits.parse::<u64>().ok()
            }
        };
        let b = if b.is_empty() {
            b
        } else {
            b.strip_prefix('+')?
        };
        Some([
            number(a, 1)?,
            number(b, 0)?,
            n.parse().ok().filter(|&n| n > 0)?,
        ])
    };
    parse().context("not a function ax+b mod n; write it as '2x+1 mod 5'")
}

fn page(r: &Report) -> String {
    let (sets, rows) = (
        counted(r.sets.len() as u64, "set"),
        counted(r.rows.len() as u64, "row"),
    );
    let functions = counted(r.functions.len() as u64, "function");
    let value = |value: &Option<u64>| value.map_or("∞".into(), |value| value.to_string());
    let mut page = format!(
        "{BOLD}{rows} × {sets}, {functions}{BOLD:#}  {DIM}Mining of Massive Datasets, section 3.3{DIM:#}\n\n"
    );
    let mut characteristic =
        vec![[vec!["row".to_string()], r.sets.clone(), r.functions.clone()].concat()];
    for row in &r.rows {
        let members = row.members.iter().map(u8::to_string);
        characteristic.push(
            [row.row.to_string()]
                .into_iter()
                .chain(members)
                .chain(row.numbers.iter().map(u64::to_string))
                .collect(),
        );
    }
    page += &columns(&characteristic);
    let signed = |signatures: &[Vec<Option<u64>>], title: String| {
        let mut lines = vec![[vec![title], r.sets.clone()].concat()];
        for (name, minima) in r.functions.iter().zip(signatures) {
            lines.push(
                [name.clone()]
                    .into_iter()
                    .chain(minima.iter().map(value))
                    .collect(),
            );
        }
        columns(&lines)
    };
    for row in &r.rows {
        if let Some(signatures) = &row.signatures {
            let _ = write!(
                page,
                "\n{}",
                signed(signatures, format!("after row {}", row.row))
            );
        }
    }
    let _ = write!(page, "\n{}", signed(&r.signatures, "signatures".into()));
    let mut pairs = vec![
        ["pair", "resemblance", "signatures"]
            .map(String::from)
            .to_vec(),
    ];
    for Pair {
        a,
        b,
        resemblance,
        signatures,
    } in &r.pairs
    {
        pairs.push(vec![
            format!("{a} {b}"),
            format!("{resemblance:.4}"),
            format!("{signatures:.4}"),
        ]);
    }
    if r.pairs.is_empty() {
        page
    } else {
        page + "\n" + &columns(&pairs)
    }
}

/// Formats lines of cells as columns. The first line is bold, and the first cell of each line is aligned to the left.
fn columns(lines: &[Vec<String>]) -> String {
    let wide = |words: &str| words.chars().count();
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|at| lines.iter().map(|line| wide(&line[at])).max().unwrap_or(0))
        .collect();
    let mut page = String::new();
    for (number, line) in lines.iter().enumerate() {
        let first = &line[0];
        let mut words = format!("{first}{}", " ".repeat(widths[0] - wide(first)));
        line.iter()
            .zip(&widths)
            .skip(1)
            .for_each(|(cell, width)| words += &format!("  {cell:>width$}"));
        match number {
            0 => _ = writeln!(page, "{BOLD}{words}{BOLD:#}"),
            _ => _ = writeln!(page, "{words}"),
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_in_a_table() {
        for (words, parsed) in [
            ("x mod 5", [1, 0, 5]),
            ("2x+1 mod 5", [2, 1, 5]),
            ("(3*x + 7) % 11", [3, 7, 11]),
            ("x+4mod9", [1, 4, 9]),
        ] {
            assert_eq!(linear(words).unwrap(), parsed, "{words}");
        }
        for words in [
            "",
            "x",
            "x mod 0",
            "y mod 5",
            "2x-1 mod 5",
            "x mod",
            "xx mod 5",
        ] {
            assert!(linear(words).is_err(), "{words}");
        }
        assert_eq!(permutation("2, 3,1", 3).unwrap(), [2, 3, 1]);
        assert!(
            permutation("1,2", 3).is_err()
                && permutation("0,1,2", 3).is_err()
                && permutation("a", 1).is_err()
        );
    }
}
