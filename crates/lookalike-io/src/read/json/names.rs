//! Checks whether a record has a field with one of several names.

use super::{
    grammar::{name_end, skip_space, value_end},
    parse::names,
};

/// Returns the name of a JSON object's first field that has one of these names. It skips through the object as fast as records
/// are read. An unusual object, such as one with an escape in a name, is parsed.
pub fn field_of<'a>(object: &[u8], wanted: &'a [String]) -> Option<&'a str> {
    let of = |name: &[u8]| {
        wanted
            .iter()
            .find(|wanted| wanted.as_bytes() == name)
            .map(String::as_str)
    };
    match each_name(object, of) {
        Some(found) => found,
        None => std::str::from_utf8(object)
            .ok()
            .and_then(|object| names(object).iter().find_map(|name| of(name.as_bytes()))),
    }
}

/// Calls `of` with the name of each of the object's fields, until `of` returns a value, and returns this value. The outer option
/// is none if this code cannot read the object, which must then be parsed.
fn each_name<T>(object: &[u8], of: impl Fn(&[u8]) -> Option<T>) -> Option<Option<T>> {
    let mut at = skip_space(object, 0);
    if *object.get(at)? != b'{' {
        return None;
    }
    loop {
        at = skip_space(object, at + 1);
        if *object.get(at)? != b'"' {
            return None;
        }
        let end = name_end(object, at + 1)?;
        if let Some(found) = of(&object[at + 1..end]) {
            return Some(Some(found));
        }
        at = skip_space(object, end + 1);
        if *object.get(at)? != b':' {
            return None;
        }
        at = skip_space(object, value_end(object, skip_space(object, at + 1))?);
        match object.get(at)? {
            b',' => {}
            b'}' => return Some(None),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_spelling_and_only_at_the_top_level() {
        let wanted = ["cluster".to_string(), "a/\"é".to_string()];
        for (object, found) in [
            (
                r#"{"text":"\"cluster\":1","more":{"cluster":[{"cluster":2}]}}"#,
                None,
            ),
            (r#"{"text":"x","cluster":null}"#, Some(0)),
            (" { \"text\" : [1, {}] , \"cluster\"\t: -1.5e3 } ", Some(0)),
            (r#"{"text":"x","cl\u0075ster":null}"#, Some(0)),
            (r#"{"te\u0078t":"x","more":{"cluster":1}}"#, None),
            (r#"{"a\/\"\u00e9":1}"#, Some(1)),
            (r#"{"text":"\ud83d","cluster":1}"#, Some(0)),
            ("{}", None),
            ("{ }", None),
            ("no record", None),
            ("[{\"cluster\":1}]", None),
        ] {
            assert_eq!(
                field_of(object.as_bytes(), &wanted),
                found.map(|at: usize| &*wanted[at]),
                "{object}"
            );
        }
    }
}
