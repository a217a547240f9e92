//! Messages that contain names of configuration fields. Each front end renders these names in its own words.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Setting;

/// How a program names configuration fields in its messages: as flags, keywords, or members of a JSON object.
pub trait Front {
    /// Returns the name of a field: `--temp-dir`, `temp_dir=`.
    fn setting(&self, setting: Setting) -> Cow<'static, str>;

    /// Returns a field with a value: `--format csv`, `format="csv"`.
    fn with_value(&self, setting: Setting, value: &str) -> String;
}

/// Renders a field by its name in the configuration, without the syntax of flags, keywords or JSON.
#[derive(Debug, Clone, Copy)]
pub struct Neutral;

impl Front for Neutral {
    fn setting(&self, setting: Setting) -> Cow<'static, str> {
        setting.name().into()
    }

    fn with_value(&self, setting: Setting, value: &str) -> String {
        format!("{}={value}", setting.name())
    }
}

/// A part of a message: text that may contain configuration fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words(Vec<Word>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Word {
    Text(Cow<'static, str>),
    Setting(Setting),
    WithValue(Setting, Cow<'static, str>),
}

impl Word {
    fn text(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl Words {
    /// Returns these words followed by `more`.
    #[must_use]
    pub fn and(mut self, more: impl Into<Self>) -> Self {
        self.0.append(&mut more.into().0);
        self
    }

    /// Replaces a setting with another one.
    #[must_use]
    pub(super) fn naming(mut self, old: Setting, new: Setting) -> Self {
        for word in &mut self.0 {
            if let Word::Setting(setting) | Word::WithValue(setting, _) = word
                && *setting == old
            {
                *setting = new;
            }
        }
        self
    }

    /// Returns the text as a front end renders it.
    pub fn rendered(&self, front: &dyn Front) -> String {
        let mut said = String::new();
        for word in &self.0 {
            match word {
                Word::Text(text) => said.push_str(text),
                Word::Setting(setting) => said.push_str(&front.setting(*setting)),
                Word::WithValue(setting, value) => {
                    said.push_str(&front.with_value(*setting, value))
                }
            }
        }
        said
    }

    /// Returns the configuration fields that occur in the text.
    pub fn settings(&self) -> impl Iterator<Item = Setting> {
        self.0.iter().filter_map(|word| match word {
            Word::Text(_) => None,
            Word::Setting(setting) | Word::WithValue(setting, _) => Some(*setting),
        })
    }
}

/// Reads a text of the source, in which `$keep` is a setting, and `$format=csv` a setting with a value.
impl From<&'static str> for Words {
    fn from(text: &'static str) -> Self {
        let mut texts = text.split('$');
        let mut words: Vec<_> = texts.next().into_iter().map(Word::text).collect();
        for text in texts {
            let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
            let (name, mut rest) = text.split_at(text.find(|c| !is_name(c)).unwrap_or(text.len()));
            if name.is_empty() {
                words.extend([Word::text("$"), Word::text(text)]);
                continue;
            }
            let mut word = Word::Setting(Setting(name));
            if let Some(value) = rest.strip_prefix('=') {
                let is_end = |letter: char| letter.is_whitespace() || ",;:)".contains(letter);
                let (value, after) = value.split_at(value.find(is_end).unwrap_or(value.len()));
                (word, rest) = (Word::WithValue(Setting(name), value.into()), after);
            }
            words.extend([word, Word::text(rest)]);
        }
        words.retain(|word| !matches!(word, Word::Text(text) if text.is_empty()));
        Self(words)
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self(vec![Word::Text(text.into())])
    }
}

impl From<Cow<'_, str>> for Words {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<Setting> for Words {
    fn from(setting: Setting) -> Self {
        Self(vec![Word::Setting(setting)])
    }
}

impl From<(Setting, &'static str)> for Words {
    fn from((setting, value): (Setting, &'static str)) -> Self {
        Self(vec![Word::WithValue(setting, value.into())])
    }
}

impl From<(Setting, String)> for Words {
    fn from((setting, value): (Setting, String)) -> Self {
        Self(vec![Word::WithValue(setting, value.into())])
    }
}

/// Creates [`Words`](crate::error::Words) from parts: texts with settings, and settings with values from data.
///
/// ```
/// use lookalike_io::{error::{Neutral, Setting}, words};
///
/// let field = String::from("body");
/// let advice = words!["of CSV say $format=csv, and ", (Setting("text_field"), field)];
/// assert_eq!(advice.rendered(&Neutral), "of CSV say format=csv, and text_field=body");
/// ```
#[macro_export]
macro_rules! words {
    ($($part:expr),+ $(,)?) => {
        $crate::error::Words::default()$(.and($part))+
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_settings() {
        let words = Words::from(
            "$keep only works with $measure=containment, or ($verify=exact); set $HOME to 5 $",
        );
        let names: Vec<_> = words.settings().map(Setting::name).collect();
        assert_eq!(names, ["keep", "measure", "verify"]);
        assert_eq!(
            words.rendered(&Neutral),
            "keep only works with measure=containment, or (verify=exact); set $HOME to 5 $"
        );
        // Text from data is never read in this way.
        assert_eq!(Words::from(String::from("$keep")).settings().count(), 0);
    }
}
