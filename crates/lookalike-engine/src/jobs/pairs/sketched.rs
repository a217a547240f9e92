//! Pairs of files of sketches: which settings concern texts, which such files do not have.

use lookalike::{
    Bands, Candidates, Config, Method, Shared, SimHashBy, Verify,
    stored::{SketchBy, SketchParameters},
};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, Words},
    read::Expanded,
    words,
};

use crate::{config::RunConfig, jobs::sketch::header::of_all};

/// Returns the parameters of the sketches, if the inputs are files of sketches. Inputs that cannot be found are reported later, as for
/// texts.
///
/// # Errors
/// Fails if only some inputs are files of sketches, or if their parameters differ.
pub(super) fn parameters(config: &RunConfig) -> Result<Option<SketchParameters>> {
    match config.expand_with_references() {
        Ok(Expanded {
            inputs, references, ..
        }) => of_all(&inputs, references),
        Err(_) => Ok(None),
    }
}

/// Returns the method that finds pairs of sketches with these parameters.
///
/// # Errors
/// Fails if a setting concerns texts, or if the sketches do not support it.
pub(super) fn method(config: &RunConfig, parameters: &SketchParameters) -> Result<Method> {
    refuse_settings_of_texts(config)?;
    refuse_other_candidates(&config.method, parameters)?;
    Ok(Method::of_sketches(parameters, config.method.clone())?)
}

fn refused(what: Words, advice: &'static str) -> Error {
    Error::new(ErrorKind::Config, what).advise(advice)
}

/// Returns an error if a setting determines how texts are read, compared or shown.
fn refuse_settings_of_texts(config: &RunConfig) -> Result<()> {
    let (default, own) = (RunConfig::default(), &config.method);
    let usual = Config::default();
    let fields = [
        (
            config.text_field != default.text_field,
            Setting("text_field"),
        ),
        (
            config.against_text_field.is_some(),
            Setting("against_text_field"),
        ),
        (config.id_field != default.id_field, Setting("id_field")),
        (config.html.is_some(), Setting("html")),
        (config.encoding.is_some(), Setting("encoding")),
        (config.delimiter.is_some(), Setting("delimiter")),
        (config.format.is_some(), Setting("format")),
        (config.skip_bad.is_some(), Setting("skip_bad")),
    ];
    if let Some((_, setting)) = fields.into_iter().find(|(is_given, _)| *is_given) {
        let what = words![
            setting,
            " is for inputs with texts, but these inputs are files of sketches"
        ];
        return Err(refused(what, "leave it out"));
    }
    let shingles: [(bool, Words); 8] = [
        (own.preset.is_some(), "the preset".into()),
        (own.tokens != usual.tokens, Setting("tokens").into()),
        (own.folds != usual.folds, "the folds".into()),
        (own.shingle.is_some(), Setting("shingle").into()),
        (!own.anchors.is_empty(), Setting("anchors").into()),
        (
            own.occurrences != usual.occurrences,
            "the counting of occurrences".into(),
        ),
        (
            own.fingerprint != usual.fingerprint,
            Setting("fingerprint").into(),
        ),
        (own.seed != usual.seed, "the seed".into()),
    ];
    if let Some((_, what)) = shingles.into_iter().find(|(is_given, _)| *is_given) {
        let what = words![
            what,
            ": the file of sketches says how its texts were sketched"
        ];
        return Err(refused(
            what,
            "leave it out, or sketch the texts again with it",
        ));
    }
    if own.candidates == Candidates::All {
        let what =
            words!["$method=shingle compares whole sets, which a file of sketches does not have"];
        return Err(refused(
            what,
            "leave it out, or list the pairs of the texts",
        ));
    }
    if let Some(verify @ (Verify::Exact | Verify::None)) = own.verify {
        let (value, why) = match verify {
            Verify::Exact => (
                "exact",
                " needs the texts, but these inputs are files of sketches",
            ),
            _ => (
                "none",
                " would list pairs that the sketches already rule out",
            ),
        };
        return Err(refused(
            words![(Setting("verify"), value), why],
            "leave it out: the similarities are estimated",
        ));
    }
    if config.report.is_some() {
        return Err(refused(
            "a report shows texts, which a file of sketches does not have".into(),
            "leave it out",
        ));
    }
    Ok(())
}

/// Returns an error if candidates are to be found in another way than the sketches allow.
fn refuse_other_candidates(config: &Config, parameters: &SketchParameters) -> Result<()> {
    let asked = &config.candidates;
    // A default way means that none was requested.
    if [Candidates::default(), Candidates::usual(config.measure)].contains(asked) {
        return Ok(());
    }
    let fits = match (parameters.sketch, asked) {
        (SketchBy::MinHash { .. }, Candidates::Bands(Bands { permutations, .. })) => {
            *permutations == Default::default()
        }
        (
            SketchBy::Bottom { .. } | SketchBy::Modulo { .. },
            Candidates::Shared(Shared {
                modulus,
                super_shingles,
                run,
                ..
            }),
        ) => modulus.is_none() && !super_shingles && run.is_none(),
        (SketchBy::SimHash { .. }, Candidates::SimHash(SimHashBy { bits, features, .. })) => {
            *bits == Default::default() && *features == Default::default()
        }
        (SketchBy::Sentences { .. }, Candidates::Sentences(by)) => *by == Default::default(),
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let what = format!(
        "the sketches are {}, which determines how candidate pairs are found",
        parameters.kind()
    );
    let advice = "leave out $method, $candidates and the settings of other methods";
    Err(Error::new(ErrorKind::Config, what)
        .about(Setting("method"))
        .advise(advice))
}
