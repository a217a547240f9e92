//! Which run a state is of: what decides its answer, and what its inputs look like.

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use jiff::Timestamp;
use lookalike::Config;
use lookalike_io::{
    disk::File,
    error::{Error, ErrorKind, Result, Setting},
    format::{Format as InputFormat, Html},
    read::{Input, Source},
};
use serde::{Deserialize, Serialize};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::config::RunConfig;

/// Of what the journals' records and the manifest are made. 4: of a command there is a digest, not the line.
const FORMAT: u32 = 5;

/// The first format of which this holds: earlier manifests have the lines of commands.
const WITHOUT_COMMANDS: u32 = 4;

/// Bytes at both ends of a file that tell it from others of its size and time.
const END: u64 = 64 << 10;

/// What must be the same of two runs, for one to go on with what the other did.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The numbers in the journals are as the machine has them.
    state: Format,
    /// As it was written: no digit of a number is lost.
    configuration: Box<RawValue>,
    inputs: Vec<Identity>,
    /// XXH3 of the rest, which tells damage from another run.
    checksum: String,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Format {
    format: u32,
    lookalike: String,
    byte_order: String,
}

/// An input.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    name: String,
    /// XXH3 of a command's line, which may have a password in it. The journal has digests of what it prints.
    command: Option<String>,
    file: Option<Look>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<Version>,
}

/// What an object is.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Version {
    size: u64,
    /// The store's tag, or when it was written.
    version: String,
}

/// What a file looks like.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    size: u64,
    modified: Option<String>,
    /// XXH3 of the first and of the last [`END`] bytes.
    first: String,
    last: String,
}

/// What decides a run's answer besides its inputs. Not where outputs and temporary files go, threads, memory.
#[derive(Serialize)]
struct Described<'a> {
    #[serde(flatten)]
    method: &'a Config,
    keep: String,
    format: Option<InputFormat>,
    delimiter: Option<u8>,
    html: Option<Html>,
    encoding: Option<&'a str>,
    text_field: &'a str,
    id_field: &'a str,
    label_field: Option<&'a str>,
    allow_repeated_ids: bool,
    skip_bad: bool,
    /// Inputs that are references.
    against: usize,
    against_only: bool,
    drop_holders: bool,
}

impl Manifest {
    pub(super) fn of(config: &RunConfig, method: &Config, source: &Source) -> Result<Self> {
        let described = Described {
            method,
            keep: config.keep().to_string(),
            format: config.format,
            delimiter: config.delimiter,
            html: config.html,
            encoding: config.encoding.as_deref(),
            text_field: &config.text_field,
            id_field: &config.id_field,
            label_field: config.label_field.as_deref(),
            allow_repeated_ids: config.allow_repeated_ids,
            skip_bad: config.skip_bad.is_some(),
            against: source.references(),
            against_only: config.against_only,
            drop_holders: config.drop_holders,
        };
        let configuration = to_raw_value(&described).map_err(not_written)?;
        let byte_order = if cfg!(target_endian = "little") { "little" } else { "big" };
        let state = Format { format: FORMAT, lookalike: env!("CARGO_PKG_VERSION").into(), byte_order: byte_order.into() };
        let inputs = source.inputs().iter().map(Identity::of).collect::<Result<_>>()?;
        let manifest = Self { state, configuration, inputs, checksum: String::new() };
        Ok(Self { checksum: format!("{:016x}", manifest.digest()?), ..manifest })
    }

    /// Tells this run's journals from others'.
    pub(super) fn digest(&self) -> Result<u64> {
        let rest = (&self.state, &self.configuration, &self.inputs);
        Ok(xxh3_64(&serde_json::to_vec(&rest).map_err(not_written)?))
    }

    /// What a manifest's file holds; none where it was damaged. Of another format its state alone is looked at.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Any {
            state: Format,
        }
        let Any { state } = serde_json::from_slice(bytes).ok()?;
        if state.format == FORMAT {
            let whole = |manifest: &Self| manifest.digest().is_ok_and(|digest| manifest.checksum == format!("{digest:016x}"));
            return serde_json::from_slice(bytes).ok().filter(whole);
        }
        Some(Self { state, configuration: RawValue::NULL.to_owned(), inputs: Vec::new(), checksum: String::new() })
    }

    /// Refuses to go on with this one's state, which is in `folder`, in a run that has another.
    pub(super) fn refuse_other(&self, own: &Self, folder: &Path) -> Result<()> {
        let folder = folder.display();
        if self.state != own.state {
            let told = |Format { format, lookalike, byte_order }: &Format| {
                format!("lookalike {lookalike} (format {format}, {byte_order} endian)")
            };
            // It is not ours to remove: that version may still go on with it.
            let what = format!("the state in {folder} is of {}, this is {}", told(&self.state), told(&own.state));
            let refused = Error::new(ErrorKind::Config, what).about(Setting::Resume);
            let refused = refused.advise("go on with that one, or give another folder");
            return Err(match self.state.format < WITHOUT_COMMANDS {
                true => refused.advise(format!(
                    "remove {folder} if it is not needed: it has the lines of commands in it, with passwords in them"
                )),
                false => refused,
            });
        }
        if self.configuration.get() != own.configuration.get() {
            let [before, now] =
                [self, own].map(|manifest| serde_json::from_str(manifest.configuration.get()).unwrap_or_default());
            let (name, before, now) = difference("", &before, &now)
                .unwrap_or_else(|| ("the configuration".into(), self.configuration.get().into(), own.configuration.get().into()));
            let what = format!("the state in {folder} is of a run with {name} {before}, this one has {now}");
            let option = Setting::named(&name).unwrap_or(Setting::Resume);
            return Err(Error::new(ErrorKind::Config, what).about(option).advise("give the same options, or another folder"));
        }
        if self.inputs.len() != own.inputs.len() {
            let count = |inputs: &[Identity]| match inputs {
                [one] => format!("one input ({})", one.name),
                many => format!("{} inputs", many.len()),
            };
            let (before, now) = (count(&self.inputs), count(&own.inputs));
            let what = format!("the state in {folder} is of a run over {before}, this one has {now}");
            let refused = Error::new(ErrorKind::Input, what).about(Setting::Resume);
            return Err(refused.advise("give the same inputs, or another folder"));
        }
        self.inputs.iter().zip(&own.inputs).try_for_each(|(before, now)| before.refuse_other(now, &folder.to_string()))
    }
}

/// The failure of a manifest that cannot be written as JSON: there is none.
fn not_written(error: serde_json::Error) -> Error {
    Error::failure(error.to_string())
}

/// Where two values first differ: the name of what does, and both.
fn difference(name: &str, a: &Value, b: &Value) -> Option<(String, String, String)> {
    if a == b {
        return None;
    }
    if let (Value::Object(a), Value::Object(b)) = (a, b)
        && a.keys().eq(b.keys())
    {
        let inside = |key: &str| if name.is_empty() { key.to_string() } else { format!("{name}.{key}") };
        return a.iter().find_map(|(key, value)| difference(&inside(key), value, &b[key]));
    }
    Some((name.into(), a.to_string(), b.to_string()))
}

impl Identity {
    fn of(input: &Input) -> Result<Self> {
        let name = input.name();
        Ok(match input {
            Input::Stdin | Input::Table(_) => Self { name, command: None, file: None, object: None },
            Input::Command(line, _) => {
                Self { name, command: Some(format!("{:016x}", xxh3_64(line.as_bytes()))), file: None, object: None }
            }
            Input::File(path) => {
                let look = Look::of(path).map_err(|error| Error::reading(&name, &error))?;
                Self { name, command: None, file: Some(look), object: None }
            }
            Input::Files(files) => {
                let mut digest = Xxh3::new();
                for (path, size, modified) in files.looks() {
                    digest.update(path.as_os_str().as_encoded_bytes());
                    digest.update(&[0]);
                    digest.update(&size.to_le_bytes());
                    digest.update(format!("{modified:?}").as_bytes());
                }
                let version = Version { size: files.size(), version: format!("{:016x}", digest.digest()) };
                Self { name, command: None, file: None, object: Some(version) }
            }
            Input::Object(object) => {
                let version = Version { size: object.size(), version: object.version().into() };
                Self { name, command: None, file: None, object: Some(version) }
            }
        })
    }

    fn refuse_other(&self, now: &Self, folder: &str) -> Result<()> {
        if self == now {
            return Ok(());
        }
        let message = match (&self.file, &now.file) {
            (Some(before), Some(after)) if self.name == now.name => {
                let (before, after) = before.told(after);
                format!(
                    "{}: {before} for the state in {folder}, now {after}; put back what it was, or begin anew in another folder",
                    self.name
                )
            }
            _ if self.name == now.name && self.object.is_some() && now.object.is_some() => {
                let [before, now] = [self, now].map(|identity| {
                    identity.object.as_ref().map_or(String::new(), |is| format!("{} bytes, version {}", is.size, is.version))
                });
                format!(
                    "{}: {before} for the state in {folder}, now {now}; put back what it was, or begin anew in another folder",
                    self.name
                )
            }
            _ if self.name == now.name && self.command != now.command => {
                format!(
                    "{}: is another command than in the run that the state in {folder} is of; give the same command, or another \
                     folder",
                    self.name
                )
            }
            _ => {
                let (before, now) = (&self.name, &now.name);
                format!(
                    "the state in {folder} is of a run with the input {before}, this one has {now}; give the same inputs in the \
                     same order, or another folder"
                )
            }
        };
        Err(Error::new(ErrorKind::Input, message))
    }
}

impl Look {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = path.metadata()?;
        let size = metadata.len();
        let mut file = File::open(path)?;
        let mut digest = |from: u64| {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(from))?;
            (&mut file).take(END).read_to_end(&mut bytes)?;
            Ok::<_, io::Error>(format!("{:016x}", xxh3_64(&bytes)))
        };
        let (first, last) = (digest(0)?, digest(size.saturating_sub(END))?);
        let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok()).map(|time| time.to_string());
        Ok(Self { size, modified, first, last })
    }

    /// What tells this one from another, of both.
    fn told(&self, other: &Self) -> (String, String) {
        let [before, now] = [self, other].map(|look| {
            let time = look.modified.as_deref().unwrap_or("an unknown time");
            format!("{} bytes of {time}", look.size)
        });
        if before != now {
            return (before, now);
        }
        let (end, before, now) = match self.first == other.first {
            true => ("last", &self.last, &other.last),
            false => ("first", &self.first, &other.first),
        };
        (format!("its {end} 64 KiB had the digest {before}"), now.clone())
    }
}
