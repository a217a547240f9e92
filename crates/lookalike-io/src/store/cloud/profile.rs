//! The files in which the AWS tools store credentials and settings: `~/.aws/credentials` and `~/.aws/config`.

use std::{collections::BTreeMap, env, fs, io, path::PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// The settings of one profile in these files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    pub(super) values: BTreeMap<String, String>,
}

/// The sections of a file, by name.
type Sections = BTreeMap<String, BTreeMap<String, String>>;

impl Profile {
    /// Reads the profile that `AWS_PROFILE` names, or the default one.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or if neither file has the requested profile.
    pub(super) fn load() -> Result<Self> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let asked = variable("AWS_PROFILE").or_else(|| variable("AWS_DEFAULT_PROFILE"));
        let home = env::home_dir().unwrap_or_default().join(".aws");
        let file = |name: &str, usual: &str| {
            variable(name).map_or_else(|| home.join(usual), PathBuf::from)
        };
        let credentials = read(file("AWS_SHARED_CREDENTIALS_FILE", "credentials"))?;
        let config = read(file("AWS_CONFIG_FILE", "config"))?;
        Self::of(asked.as_deref(), &credentials, &config)
    }

    fn of(asked: Option<&str>, credentials: &str, config: &str) -> Result<Self> {
        let name = asked.unwrap_or("default");
        let (mut credentials, mut config) = (sections(credentials), sections(config));
        // In the config file, all profiles except the default one are called `profile NAME`.
        let of_config = config
            .remove(&format!("profile {name}"))
            .or_else(|| config.remove(name));
        let of_credentials = credentials.remove(name);
        if asked.is_some() && of_config.is_none() && of_credentials.is_none() {
            let what = format!(
                "AWS_PROFILE is {name}, but neither ~/.aws/credentials nor ~/.aws/config has this profile"
            );
            return Err(Error::new(ErrorKind::Input, what).advise("use a profile that exists"));
        }
        let mut values = of_config.unwrap_or_default();
        values.extend(of_credentials.unwrap_or_default());
        Ok(Self { values })
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.values
            .get(key)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// If the profile uses a source of credentials that lookalike does not support, returns the setting of that source.
    /// Unsupported sources are another role, single sign-on, and a program.
    pub(super) fn other_way(&self) -> Option<&'static str> {
        [
            "credential_process",
            "sso_session",
            "sso_start_url",
            "role_arn",
        ]
        .into_iter()
        .find(|key| self.get(key).is_some())
    }
}

fn read(path: PathBuf) -> Result<String> {
    match fs::read_to_string(&path) {
        Ok(text) => Ok(text),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(String::new())
        }
        Err(error) => {
            let failure = Error::new(ErrorKind::Input, format!("cannot be read: {error}"))
                .at(path.display().to_string());
            Err(failure
                .advise("make it readable, or set AWS_ACCESS_KEY_ID")
                .because(error))
        }
    }
}

/// Returns the settings by section. A section begins with `[name]` and contains lines such as `key = value`. Lines that begin
/// with `#` or `;` are comments. In a value, ` #` begins a comment that extends to the end of the line. Indented lines belong to
/// the previous setting and are not needed.
fn sections(text: &str) -> Sections {
    let mut sections = Sections::new();
    let mut current = None;
    for line in text.lines() {
        if line.starts_with([' ', '\t', '#', ';']) || line.trim().is_empty() {
            continue;
        }
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next())
        {
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
            sections.entry(name.clone()).or_default();
            current = Some(name);
        } else if let (Some(name), Some((key, value))) = (&current, line.split_once('=')) {
            let value = value.split(" #").next().unwrap_or(value).trim();
            sections
                .entry(name.clone())
                .or_default()
                .insert(key.trim().to_ascii_lowercase(), value.into());
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &str = "# mine\n[default]\naws_access_key_id = A\naws_secret_access_key=B=/+ # old\n\n[other]\n\
        AWS_ACCESS_KEY_ID = C\r\n";
    const CONFIG: &str = "[default]\nregion = eu-west-1\ns3 =\n  max_concurrent_requests = 3\n[profile  other]\nregion=x\n\
        aws_access_key_id = overruled\n[profile sso]\nsso_start_url = https://x\n";

    #[test]
    fn profiles_are_found_in_both_files() {
        let of = |asked| Profile::of(asked, CREDENTIALS, CONFIG).unwrap();
        let get = |profile: &Profile, key: &str| profile.get(key).map(String::from);
        let default = of(None);
        assert_eq!(
            get(&default, "aws_secret_access_key").as_deref(),
            Some("B=/+")
        );
        assert_eq!(get(&default, "region").as_deref(), Some("eu-west-1"));
        assert_eq!(get(&default, "s3"), None);
        let other = of(Some("other"));
        assert_eq!(
            (
                get(&other, "aws_access_key_id").as_deref(),
                get(&other, "region").as_deref()
            ),
            (Some("C"), Some("x"))
        );
        assert_eq!(of(Some("sso")).other_way(), Some("sso_start_url"));
        assert_eq!(other.other_way(), None);
        let error = Profile::of(Some("missing"), CREDENTIALS, CONFIG).unwrap_err();
        assert!(error.to_string().contains("AWS_PROFILE is missing"));
        assert_eq!(Profile::of(None, "", "").unwrap(), Profile::default());
        assert_eq!(
            Profile::of(None, "no section = 1\n[", "]\n=").unwrap(),
            Profile::default()
        );
    }
}
