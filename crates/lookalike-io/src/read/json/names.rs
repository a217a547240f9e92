//! Whether a record has a field of one of some names.

use super::{
    grammar::{name_end, skip_space, value_end},
    parse::names,
};

/// The first of these names that a JSON object has a field of. Passes over the object as fast as records are read; one out of the
/// ordinary, with an escape in a name, goes through the parser.
pub fn field_of<'a>(object: &[u8], wanted: &'a [String]) -> Option<&'a str> {
    let of = |name: &[u8]| wanted.iter().find(|wanted| wanted.as_bytes() == name).map(String::as_str);
    match each_name(object, of) {
        Some(found) => found,
        None => std::str::from_utf8(object).ok().and_then(|object| names(object).iter().find_map(|name| of(name.as_bytes()))),
    }
}

/// What `of` gives first for a name of the object's fields; none at all for an object that the parser has to look at.
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
    fn names_are_found_however_they_are_written_and_only_at_the_top() {
        let wanted = ["cluster".to_string(), "a/\"é".to_string()];
        for (object, found) in [
            (r#"{"text":"\"cluster\":1","more":{"cluster":[{"cluster":2}]}}"#, None),
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
            assert_eq!(field_of(object.as_bytes(), &wanted), found.map(|at: usize| &*wanted[at]), "{object}");
        }
    }
}
