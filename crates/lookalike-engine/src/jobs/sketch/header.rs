//! The header of a file of sketches: the version of the format, and the parameters of the sketches.

use lookalike::stored::SketchParameters;
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Input, sketch_header},
    store::shown_name,
};
use serde::{Deserialize, Serialize};

/// The version of the format. It increases when a program that reads the old version would misunderstand a file.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    parameters: SketchParameters,
}

/// Only the version, which every version of the header has.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// Returns the header of a file with these parameters.
pub(crate) fn written(parameters: &SketchParameters) -> Result<String> {
    let header = Header {
        format: FORMAT,
        parameters: parameters.clone(),
    };
    serde_json::to_string(&header).map_err(|error| Error::failure(error.to_string()))
}

/// Returns the parameters of an input, if it is a file of sketches.
///
/// # Errors
/// Fails if it is a file of sketches, but its header is damaged or has a version that is not known.
fn parameters(input: &Input) -> Result<Option<SketchParameters>> {
    let Some(header) = sketch_header(input) else {
        return Ok(None);
    };
    let refused = |what: String| Error::new(ErrorKind::Input, what).at(shown_name(&input.name()));
    let damaged = |error: serde_json::Error| {
        refused(format!("its header of sketches cannot be read: {error}"))
            .advise("sketch the texts again")
            .because(error)
    };
    let Version { format } = serde_json::from_str(&header).map_err(damaged)?;
    if format != FORMAT {
        let what =
            format!("its sketches have format {format}, but this lookalike reads format {FORMAT}");
        return Err(refused(what)
            .advise("use the version of lookalike that wrote them, or sketch the texts again"));
    }
    let header: Header = serde_json::from_str(&header).map_err(damaged)?;
    Ok(Some(header.parameters))
}

/// Returns the parameters that all inputs have, or `None` if the inputs are not files of sketches. The first `references` inputs are
/// references.
///
/// # Errors
/// Fails if some inputs are files of sketches and others are not, or if their parameters differ. The message names two inputs and all
/// parameters that differ.
pub(crate) fn of_all(inputs: &[Input], references: usize) -> Result<Option<SketchParameters>> {
    // Usually, no input is a file of sketches. So only the first reference and the first other input are examined at first.
    let firsts = [0, references].map(|first| inputs.get(first));
    let mut known: Option<(&Input, SketchParameters)> = None;
    for input in firsts.into_iter().flatten() {
        if let Some(parameters) = parameters(input)? {
            known = Some((input, parameters));
            break;
        }
    }
    let Some((first, own)) = known else {
        return Ok(None);
    };
    for input in inputs {
        let shown = [first, input].map(|input| shown_name(&input.name()));
        let Some(theirs) = parameters(input)? else {
            return Err(not_sketches(&shown[1]));
        };
        own.check_like(&theirs)
            .map_err(|error| Error::from(error).at(shown.join(" and ")))?;
    }
    Ok(Some(own))
}

/// Returns the error for an input that is not a file of sketches.
pub(crate) fn not_sketches(name: &str) -> Error {
    let refused = Error::new(ErrorKind::Input, "is not a file of sketches").at(name);
    refused.advise("make one with `lookalike sketch`; it must be a file, not a pipe")
}

#[cfg(test)]
mod tests {
    use lookalike::{Config, stored::SketchBy};

    use super::*;

    #[test]
    fn other_versions_and_damaged_headers_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let of = |header: &str| {
            let path = folder.path().join("sketches.jsonl");
            std::fs::write(&path, format!("{{\"lookalike:sketches\":{header}}}\n")).unwrap();
            parameters(&Input::File(path))
        };
        let own = SketchParameters::new(&Config::default(), SketchBy::default()).unwrap();
        let header = written(&own).unwrap();
        assert_eq!(of(&header).unwrap(), Some(own));
        let newer = of(&header.replace("\"format\":1", "\"format\":2,\"more\":3"))
            .unwrap_err()
            .to_string();
        assert!(
            newer.contains("format 2, but this lookalike reads format 1"),
            "{newer}"
        );
        let damaged = of(&header.replace("seed", "sead")).unwrap_err().to_string();
        assert!(
            damaged.contains("cannot be read: unknown field `sead`"),
            "{damaged}"
        );
    }
}
