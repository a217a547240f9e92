//! Datasets on the Hugging Face Hub, which are not read.

use super::shown_name;
use crate::error::{Error, ErrorKind, Result};

/// Fails for the URL of files on the Hugging Face Hub, and says how to read them.
///
/// # Errors
/// Fails for `hf://`.
pub fn refuse_hub(url: &str) -> Result<()> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return Ok(());
    };
    if !scheme.eq_ignore_ascii_case("hf") {
        return Ok(());
    }
    let what = "files on the Hugging Face Hub are not read from there";
    let refused = Error::new(ErrorKind::Input, what).at(shown_name(url));
    Err(match Dataset::of(rest) {
        Some(Dataset {
            name,
            revision,
            inside,
        }) => {
            let folder = name.rsplit('/').next().unwrap_or(name);
            let revision = revision.map_or(String::new(), |revision| {
                format!(" --revision {}", quoted(revision))
            });
            let include = if inside.is_empty() {
                String::new()
            } else {
                format!(" --include {}", quoted(inside))
            };
            let download = format!(
                "hf download {} --repo-type dataset{revision}{include} --local-dir {}",
                quoted(name),
                quoted(folder)
            );
            let load = format!("lookalike.dedup(datasets.load_dataset({name:?}, split=\"train\"))");
            refused
                .advise(format!(
                    "download them with `{download}`, and name the folder"
                ))
                .advise(format!("or pass the dataset in Python: {load}"))
        }
        None => refused.advise("download them with `hf download`, and name the folder"),
    })
}

/// What a URL names.
struct Dataset<'a> {
    name: &'a str,
    revision: Option<&'a str>,
    /// The files in it, as a pattern; empty for all.
    inside: &'a str,
}

impl<'a> Dataset<'a> {
    /// Reads `datasets/user/name@revision/files`.
    fn of(rest: &'a str) -> Option<Self> {
        let rest = rest.strip_prefix("datasets/")?;
        let user = rest.find('/')?;
        let end = rest[user + 1..]
            .find('/')
            .map_or(rest.len(), |slash| user + 1 + slash);
        let (name, inside) = (&rest[..end], rest[end..].trim_matches('/'));
        let (name, revision) = name
            .split_once('@')
            .map_or((name, None), |(name, revision)| (name, Some(revision)));
        (user > 0 && name.len() > user + 1).then_some(Self {
            name,
            revision,
            inside,
        })
    }
}

/// Quotes a name for a POSIX shell, if it needs quotes.
fn quoted(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/@".contains(&byte);
    if name.bytes().all(is_plain) {
        name.into()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_in_a_table() {
        for (url, advice) in [
            (
                "hf://datasets/user/name",
                "download them with `hf download user/name --repo-type dataset --local-dir name`, and name the folder; or pass the \
                 dataset in Python: lookalike.dedup(datasets.load_dataset(\"user/name\", split=\"train\"))",
            ),
            (
                "HF://datasets/user/name@v1/data/train-*.parquet",
                "`hf download user/name --repo-type dataset --revision v1 --include 'data/train-*.parquet' --local-dir name`",
            ),
            (
                "hf://datasets/user/name/",
                "`hf download user/name --repo-type dataset --local-dir name`",
            ),
            (
                "hf://spaces/user/name",
                "download them with `hf download`, and name the folder",
            ),
            ("hf://datasets/name", "download them with `hf download`"),
        ] {
            let error = refuse_hub(url).unwrap_err().to_string();
            assert!(error.contains(advice), "{error}");
        }
        assert!(refuse_hub("s3://bucket/hf").is_ok() && refuse_hub("hf").is_ok());
    }
}
