//! Identifies the run that a state belongs to, by everything that determines its result and by properties of its inputs.

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use jiff::Timestamp;
use lookalike::{Choice, Config, cut::CutConfig};
use lookalike_io::{
    disk::File,
    error::{Error, ErrorKind, Result, Setting},
    format::{Format as InputFormat, Html},
    read::Input,
};
use serde::{Deserialize, Serialize};
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::config::RunConfig;

/// The version of the journals' records and of the manifest. Version 4 replaced the command line of an input command by its
/// digest. Version 5 replaced errors as sentences by errors as structures. Version 6 added the signs from which hints are made.
/// Version 7 added the records that were left out.
const FORMAT: u32 = 7;

/// The first version in which manifests do not contain the command lines of input commands.
const WITHOUT_COMMANDS: u32 = 4;

/// This number of bytes is hashed at each end of a file, to distinguish the file from other files with the same size and
/// modification time.
const END: u64 = 64 << 10;

/// The byte order of this machine.
const BYTE_ORDER: &str = if cfg!(target_endian = "little") {
    "little"
} else {
    "big"
};

/// The data that must be equal in two runs so that one run can resume the other.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the format, and the byte order of the numbers in the journals, which is the machine's.
    state: Format,
    /// The configuration, as text, so that no digit of a number is lost.
    configuration: Box<RawValue>,
    inputs: Vec<Identity>,
    /// XXH3 of all fields except this one. With this checksum, a damaged manifest can be distinguished from the manifest of
    /// another run.
    checksum: String,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Format {
    format: u32,
    lookalike: String,
    byte_order: String,
}

/// The identity of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    name: String,
    /// XXH3 of a command line. The command line itself is not stored, because it may contain a password. The journal has digests
    /// of the command's output.
    command: Option<String>,
    file: Option<Look>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<Version>,
}

/// The version of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Version {
    size: u64,
    /// The store's entity tag, or the time when the object was written.
    version: String,
}

/// The attributes of a file that identify its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    size: u64,
    modified: Option<String>,
    /// XXH3 of the first and of the last [`END`] bytes.
    first: String,
    last: String,
}

/// Returns the name of a format in manifests, which older versions wrote too.
fn stored_name(format: InputFormat) -> &'static str {
    match format {
        InputFormat::Lines => "lines",
        InputFormat::Array => "array",
        InputFormat::Delimited => "delimited",
        other => other.name(),
    }
}

/// Everything that determines a run's result, except the inputs. Paths of outputs and temporary files, the number of threads and
/// the memory limit are not included.
#[derive(Serialize)]
struct Described<'a> {
    #[serde(flatten)]
    method: &'a Config,
    keep: String,
    format: Option<&'static str>,
    delimiter: Option<u8>,
    html: Option<Html>,
    encoding: Option<&'a str>,
    text_field: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    against_text_field: Option<&'a str>,
    id_field: &'a str,
    label_field: Option<&'a str>,
    allow_repeated_ids: bool,
    skip_bad: bool,
    /// The number of inputs that are references.
    against: usize,
    against_only: bool,
    drop_holders: bool,
    /// What is cut, if the run cuts texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<&'a CutConfig>,
}

impl Manifest {
    /// Creates the manifest of a run. `cut` is what it cuts; `None` if it deduplicates.
    pub(crate) fn of(
        config: &RunConfig,
        method: &Config,
        cut: Option<&CutConfig>,
        inputs: &[Input],
        references: usize,
    ) -> Result<Self> {
        let described = Described {
            method,
            keep: config.keep().to_string(),
            format: config.format.map(stored_name),
            delimiter: config.delimiter,
            html: config.html,
            encoding: config.encoding.as_deref(),
            text_field: &config.text_field,
            against_text_field: config.against_text_field.as_deref(),
            id_field: &config.id_field,
            label_field: config.label_field.as_deref(),
            allow_repeated_ids: config.allow_repeated_ids,
            skip_bad: config.skip_bad.is_some(),
            against: references,
            against_only: config.against_only,
            drop_holders: config.drop_holders,
            cut,
        };
        let configuration = to_raw_value(&described).map_err(not_written)?;
        let state = Format {
            format: FORMAT,
            lookalike: env!("CARGO_PKG_VERSION").into(),
            byte_order: BYTE_ORDER.into(),
        };
        let inputs = inputs.iter().map(Identity::of).collect::<Result<_>>()?;
        Self {
            state,
            configuration,
            inputs,
            checksum: String::new(),
        }
        .checked()
    }

    fn checked(self) -> Result<Self> {
        Ok(Self {
            checksum: format!("{:016x}", self.digest()?),
            ..self
        })
    }

    /// Returns the manifest of a run over some of the inputs, given by their numbers.
    pub(crate) fn of_some(&self, inputs: impl IntoIterator<Item = usize>) -> Result<Self> {
        let Self {
            state:
                Format {
                    format,
                    lookalike,
                    byte_order,
                },
            configuration,
            inputs: all,
            ..
        } = self;
        let state = Format {
            format: *format,
            lookalike: lookalike.clone(),
            byte_order: byte_order.clone(),
        };
        let inputs = inputs
            .into_iter()
            .filter_map(|input| all.get(input))
            .cloned()
            .collect();
        Self {
            state,
            configuration: configuration.clone(),
            inputs,
            checksum: String::new(),
        }
        .checked()
    }

    /// Returns the name and the size in bytes of each input. The size is 0 if it is unknown.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.inputs.iter().map(
            |Identity {
                 name, file, object, ..
             }| {
                let of_file = file.as_ref().map(|look| look.size);
                (
                    &**name,
                    of_file
                        .or(object.as_ref().map(|object| object.size))
                        .unwrap_or(0),
                )
            },
        )
    }

    /// Returns the version of lookalike that wrote this manifest, if it is not this one.
    pub(crate) fn other_version(&self) -> Option<&str> {
        let Format {
            format,
            lookalike,
            byte_order,
        } = &self.state;
        let own =
            *format == FORMAT && lookalike == env!("CARGO_PKG_VERSION") && byte_order == BYTE_ORDER;
        (!own).then_some(&**lookalike)
    }

    /// Returns a digest that distinguishes this run's journals from those of other runs.
    pub(crate) fn digest(&self) -> Result<u64> {
        let rest = (&self.state, &self.configuration, &self.inputs);
        Ok(xxh3_64(&serde_json::to_vec(&rest).map_err(not_written)?))
    }

    /// Parses the content of a manifest file. Returns `None` if the file is damaged. If the version of its format is different,
    /// only the field `state` is read.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Any {
            state: Format,
        }
        let Any { state } = serde_json::from_slice(bytes).ok()?;
        if state.format == FORMAT {
            let whole = |manifest: &Self| {
                manifest
                    .digest()
                    .is_ok_and(|digest| manifest.checksum == format!("{digest:016x}"))
            };
            return serde_json::from_slice(bytes).ok().filter(whole);
        }
        Some(Self {
            state,
            configuration: RawValue::NULL.to_owned(),
            inputs: Vec::new(),
            checksum: String::new(),
        })
    }

    /// Returns an error if the run's `own` manifest differs from this manifest. The run cannot continue `whose`, such as "the
    /// state in work".
    pub(crate) fn refuse_other(&self, own: &Self, whose: &str) -> Result<()> {
        if self.state != own.state {
            let reported = |Format {
                                format,
                                lookalike,
                                byte_order,
                            }: &Format| {
                format!("lookalike {lookalike} (format {format}, {byte_order} endian)")
            };
            // If the state may contain passwords, the message also advises the user to remove the state. Otherwise the state is
            // worth keeping, because the version of lookalike that wrote it can still resume from it.
            let what = format!(
                "{whose} was written by {}, but this is {}",
                reported(&self.state),
                reported(&own.state)
            );
            let refused = Error::new(ErrorKind::Config, what).about(Setting("resume"));
            let refused = refused.advise("continue with that version, or give another folder");
            return Err(if self.state.format < WITHOUT_COMMANDS {
                refused.advise(format!(
                    "remove {whose} if you do not need it, because it contains command lines, which may contain passwords"
                ))
            } else {
                refused
            });
        }
        if self.configuration.get() != own.configuration.get() {
            let [before, now] = [self, own].map(|manifest| {
                serde_json::from_str::<Value>(manifest.configuration.get()).unwrap_or_default()
            });
            let [job, own_job] = [&before, &now].map(|run| {
                if run.get("cut").is_some() {
                    "cut"
                } else {
                    "dedup"
                }
            });
            if job != own_job {
                let what =
                    format!("{whose} is from a run of {job}, but this is a run of {own_job}");
                return Err(Error::new(ErrorKind::Config, what)
                    .about(Setting("resume"))
                    .advise("give another folder"));
            }
            let (name, before, now) = difference("", &before, &now).unwrap_or_else(|| {
                (
                    "the configuration".into(),
                    self.configuration.get().into(),
                    own.configuration.get().into(),
                )
            });
            let what =
                format!("{whose} is from a run with {name} {before}, but this run has {now}");
            let option = Setting::read(&name).unwrap_or(Setting("resume"));
            return Err(Error::new(ErrorKind::Config, what)
                .about(option)
                .advise("give the same options, or another folder"));
        }
        if self.inputs.len() != own.inputs.len() {
            let count = |inputs: &[Identity]| match inputs {
                [one] => format!("one input ({})", one.name),
                many => format!("{} inputs", many.len()),
            };
            let (before, now) = (count(&self.inputs), count(&own.inputs));
            let what = format!("{whose} is from a run over {before}, but this run has {now}");
            let refused = Error::new(ErrorKind::Input, what).about(Setting("resume"));
            return Err(refused.advise("give the same inputs, or another folder"));
        }
        self.inputs
            .iter()
            .zip(&own.inputs)
            .try_for_each(|(before, now)| before.refuse_other(now, whose))
    }
}

/// Returns the error for a manifest that cannot be converted to JSON. This does not occur.
fn not_written(error: serde_json::Error) -> Error {
    Error::failure(error.to_string())
}

/// Finds the first difference between two values. Returns the name of the differing value, and both values as text.
fn difference(name: &str, a: &Value, b: &Value) -> Option<(String, String, String)> {
    if a == b {
        return None;
    }
    // A setting that is not given has no key. Inside a setting, other keys mean another kind, so the whole setting is shown.
    if let (Value::Object(a), Value::Object(b)) = (a, b)
        && (name.is_empty() || a.keys().eq(b.keys()))
    {
        let inside = |key: &str| {
            if name.is_empty() {
                key.to_string()
            } else {
                format!("{name}.{key}")
            }
        };
        let value = |object: &Map<String, Value>, key: &str| {
            object.get(key).cloned().unwrap_or(Value::Null)
        };
        let mut keys = a.keys().chain(b.keys());
        return keys.find_map(|key| difference(&inside(key), &value(a, key), &value(b, key)));
    }
    Some((name.into(), a.to_string(), b.to_string()))
}

impl Identity {
    fn of(input: &Input) -> Result<Self> {
        let name = input.name();
        Ok(match input {
            Input::Stdin | Input::Table(_) => Self {
                name,
                command: None,
                file: None,
                object: None,
            },
            Input::Command(line, _) => Self {
                name,
                command: Some(format!("{:016x}", xxh3_64(line.as_bytes()))),
                file: None,
                object: None,
            },
            Input::File(path) => {
                let look = Look::of(path).map_err(|error| Error::reading(&name, &error))?;
                Self {
                    name,
                    command: None,
                    file: Some(look),
                    object: None,
                }
            }
            Input::Files(files) => {
                let mut digest = Xxh3::new();
                for (path, size, modified) in files.looks() {
                    digest.update(path.as_os_str().as_encoded_bytes());
                    digest.update(&[0]);
                    digest.update(&size.to_le_bytes());
                    digest.update(format!("{modified:?}").as_bytes());
                }
                let version = Version {
                    size: files.size(),
                    version: format!("{:016x}", digest.digest()),
                };
                Self {
                    name,
                    command: None,
                    file: None,
                    object: Some(version),
                }
            }
            Input::Stored(records) => {
                let version = Version {
                    size: records.bytes(),
                    version: records.version()?,
                };
                Self {
                    name,
                    command: None,
                    file: None,
                    object: Some(version),
                }
            }
            Input::Object(object) => {
                let version = Version {
                    size: object.size(),
                    version: object.version().into(),
                };
                Self {
                    name,
                    command: None,
                    file: None,
                    object: Some(version),
                }
            }
        })
    }

    fn refuse_other(&self, now: &Self, whose: &str) -> Result<()> {
        if self == now {
            return Ok(());
        }
        let message = match (&self.file, &now.file) {
            (Some(before), Some(after)) if self.name == now.name => {
                let (before, after) = before.reported(after);
                format!(
                    "{}: changed since {whose} was saved, from {before} to {after}; restore the earlier file, or \
                     start again in another folder",
                    self.name
                )
            }
            _ if self.name == now.name && self.object.is_some() && now.object.is_some() => {
                let [before, now] = [self, now].map(|identity| {
                    identity.object.as_ref().map_or(String::new(), |is| {
                        format!("{} bytes (version {})", is.size, is.version)
                    })
                });
                format!(
                    "{}: changed since {whose} was saved, from {before} to {now}; restore the earlier data, or \
                     start again in another folder",
                    self.name
                )
            }
            _ if self.name == now.name && self.command != now.command => {
                format!(
                    "{}: {whose} is from a run with a different command; give the same command, or another folder",
                    self.name
                )
            }
            _ => {
                let (before, now) = (&self.name, &now.name);
                format!(
                    "{whose} is from a run with the input {before}, but this run has {now}; give the same inputs \
                     in the same order, or another folder"
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
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| Timestamp::try_from(time).ok())
            .map(|time| time.to_string());
        Ok(Self {
            size,
            modified,
            first,
            last,
        })
    }

    /// Describes this file and another file by a property that differs.
    fn reported(&self, other: &Self) -> (String, String) {
        let [before, now] = [self, other].map(|look| {
            let time = look.modified.as_deref().unwrap_or("at an unknown time");
            format!("{} bytes (modified {time})", look.size)
        });
        if before != now {
            return (before, now);
        }
        let (end, before, now) = if self.first == other.first {
            ("last", &self.last, &other.last)
        } else {
            ("first", &self.first, &other.first)
        };
        (
            format!("the digest {before} of its {end} 64 KiB"),
            now.clone(),
        )
    }
}
