//! The parts of texts that are put together from several fields, or from the elements of arrays: `title,body`, `messages[].content`.

/// What is between the parts of a text.
pub(crate) const BETWEEN: &str = "\n\n";

/// The parts of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    pub(crate) parts: Vec<Part>,
}

/// A part of a text: the name of a field or, after `[]`, what is read from each element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The name, for messages.
    pub(crate) name: String,
    /// The path to the text or to an array, and then the paths inside the elements. An empty path means the element itself.
    pub(crate) paths: Vec<String>,
}

/// Returns whether a name means a text that is put together from several fields, or from the elements of arrays.
pub fn is_joined(name: &str) -> bool {
    Joined::of(name).is_some()
}

impl Joined {
    /// Returns the parts that a name means, unless it is the name of one field.
    pub(crate) fn of(name: &str) -> Option<Self> {
        if !name.contains(',') && !name.contains("[]") {
            return None;
        }
        let part = |name: &str| {
            let name = name.trim();
            let mut paths = name
                .split("[]")
                .map(|path| path.strip_prefix('.').unwrap_or(path).to_owned());
            let first = paths.next().filter(|first| !first.is_empty())?;
            Some(Part {
                name: name.into(),
                paths: std::iter::once(first).chain(paths).collect(),
            })
        };
        Some(Self {
            parts: name.split(',').map(part).collect::<Option<_>>()?,
        })
    }
}

/// Appends a part of a text. An empty part has no line break before it.
pub(crate) fn push(text: &str, into: &mut String) {
    if !into.is_empty() && !text.is_empty() {
        into.push_str(BETWEEN);
    }
    into.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        let parts = |name: &str| {
            let parts = Joined::of(name)?
                .parts
                .into_iter()
                .map(|part| (part.name, part.paths.join("|")));
            Some(
                parts
                    .map(|(name, paths)| format!("{name}={paths}"))
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        for (name, expected) in [
            ("text", None),
            ("a.b", None),
            ("title,body", Some("title=title body=body")),
            ("title, meta.body", Some("title=title meta.body=meta.body")),
            (
                "messages[].content",
                Some("messages[].content=messages|content"),
            ),
            ("a[].b[].c,d[]", Some("a[].b[].c=a|b|c d[]=d|")),
            ("a,,b", None),
            ("[].a", None),
        ] {
            assert_eq!(parts(name), expected.map(String::from), "{name}");
        }
    }
}
