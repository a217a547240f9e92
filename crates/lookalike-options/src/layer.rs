//! Structs of options.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Options from one place, some of which are given: a struct of options, or one option.
pub trait Layer: Default {
    /// Returns these options and, where none is given, those of `base`.
    #[must_use]
    fn over(self, base: Self) -> Self;

    /// Adds the names of the options that are given. `own` is the name of this field.
    fn given(&self, own: &'static str, names: &mut Vec<&'static str>);

    /// Sets the option with this name, if there is one, and returns whether there is one.
    ///
    /// # Errors
    /// Fails with the reason if the option cannot have the value.
    fn put(&mut self, own: &str, name: &str, value: &Value) -> Result<bool, String>;
}

impl<T: DeserializeOwned> Layer for Option<T> {
    fn over(self, base: Self) -> Self {
        self.or(base)
    }

    fn given(&self, own: &'static str, names: &mut Vec<&'static str>) {
        names.extend(self.as_ref().map(|_| own));
    }

    fn put(&mut self, own: &str, name: &str, value: &Value) -> Result<bool, String> {
        if own == name {
            *self = Some(read(value)?);
        }
        Ok(own == name)
    }
}

impl<T: DeserializeOwned> Layer for Vec<T> {
    fn over(self, base: Self) -> Self {
        if self.is_empty() { base } else { self }
    }

    fn given(&self, own: &'static str, names: &mut Vec<&'static str>) {
        if !self.is_empty() {
            names.push(own);
        }
    }

    fn put(&mut self, own: &str, name: &str, value: &Value) -> Result<bool, String> {
        if own == name {
            *self = match value {
                Value::String(one) => match read(value) {
                    Ok(one) => vec![one],
                    // Several values, separated by commas as after a flag. A text is always one value.
                    Err(_) => {
                        let several = one.split(',').map(|one| read(&one.into()));
                        several.collect::<Result<_, _>>()?
                    }
                },
                several => read(several)?,
            };
        }
        Ok(own == name)
    }
}

impl Layer for bool {
    fn over(self, base: Self) -> Self {
        self || base
    }

    fn given(&self, own: &'static str, names: &mut Vec<&'static str>) {
        if *self {
            names.push(own);
        }
    }

    fn put(&mut self, own: &str, name: &str, value: &Value) -> Result<bool, String> {
        if own == name {
            *self = read(value)?;
        }
        Ok(own == name)
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| words(&error.to_string()))
}

/// Returns what to give instead of a value of another type, or what else is wrong.
fn words(error: &str) -> String {
    let Some((_, expected)) = error.split_once(", expected ") else {
        return error.into();
    };
    let give = match expected {
        "f64" => "give a number, such as 0.8",
        "usize" | "u32" | "u64" => "give a whole number of 0 or more",
        "a boolean" => "give true or false",
        "a string" | "path string" => "give a text",
        "a sequence" => "give a list",
        other if other.starts_with("a nonzero") => "give a whole number of 1 or more",
        values if error.starts_with("unknown variant") => {
            return format!("takes {}", values.replace('`', ""));
        }
        _ => return error.into(),
    };
    give.into()
}

/// Declares a struct of options, each with its flag's attributes. A field can also be another such struct, with
/// `#[command(flatten)]`.
#[macro_export]
macro_rules! options {
    ($($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$attribute:meta])* pub $field:ident: $type:ty,)*
    })*) => {$(
        #[derive(Debug, Clone, Default, $crate::clap::Args)]
        #[allow(missing_docs)]
        $(#[$meta])*
        pub struct $name {
            $($(#[$attribute])* pub $field: $type,)*
        }

        impl $crate::Layer for $name {
            fn over(self, base: Self) -> Self {
                Self { $($field: self.$field.over(base.$field),)* }
            }

            fn given(&self, _: &'static str, names: &mut Vec<&'static str>) {
                $(self.$field.given(stringify!($field), names);)*
            }

            fn put(&mut self, _: &str, name: &str, value: &$crate::serde_json::Value) -> std::result::Result<bool, String> {
                $(if self.$field.put(stringify!($field), name, value)? {
                    return Ok(true);
                })*
                Ok(false)
            }
        }
    )*};
}
