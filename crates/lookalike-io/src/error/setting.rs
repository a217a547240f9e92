//! Names of settings in messages. Each front end has its own words for them.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize};

/// A setting that a message mentions, by the name of its option, such as `keep_per_group`. A front end (the command, Python) derives
/// its word for a setting from the name. The command's tests check that each name in the sources is an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Setting(pub &'static str);

/// Names that were read from files. There are as many as options, so they are never freed.
static READ: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// The longest name that is read.
const LONGEST: usize = 40;

impl Setting {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Returns the setting with a name that was read from a file; none if it cannot be one.
    pub fn read(name: &str) -> Option<Self> {
        if name.is_empty()
            || name.len() > LONGEST
            || !name
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        {
            return None;
        }
        // Earlier versions stored `KeepPerGroup`.
        let mut own = String::new();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() && !own.is_empty() {
                own.push('_');
            }
            own.push(letter.to_ascii_lowercase());
        }
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let known = read.iter().find(|known| **known == own).copied();
        Some(Self(known.unwrap_or_else(|| {
            let own: &'static str = own.leak();
            read.push(own);
            own
        })))
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::read(&name).ok_or_else(|| serde::de::Error::custom("not the name of a setting"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_stored_are_read() {
        assert_eq!(
            Setting::read("KeepPerGroup"),
            Some(Setting("keep_per_group"))
        );
        let json = serde_json::to_string(&Setting("text_field")).unwrap();
        assert_eq!(
            serde_json::from_str::<Setting>(&json).unwrap(),
            Setting("text_field")
        );
        assert_eq!(Setting::read("a b"), None);
        assert_eq!(Setting::read(&"a".repeat(41)), None);
    }
}
