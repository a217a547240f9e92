//! Shows why documents were dropped: what a matcher finds, which fields are equal, or what a list of matches says.

use lookalike::{Reason, Verify, lsh::NONE, verify::Measure};
use lookalike_io::{error::Result, write::Likeness};

use crate::{config::SimilarIn, matching::Matcher, numbers::Contender, pairing::verdicts::Verdict};

/// What shows why a document was dropped.
pub(crate) trait Evidence: Sync {
    /// Returns the measure of similarity.
    fn measure(&self) -> Measure;

    /// Returns why a contender was dropped, and how similar it is to its representative.
    fn likeness(
        &self,
        contender: Contender,
        representative: Contender,
        verdict: Verdict,
    ) -> Result<(Reason, Likeness)>;
}

impl Evidence for Matcher<'_> {
    fn measure(&self) -> Measure {
        self.method.config().measure
    }

    fn likeness(
        &self,
        contender: Contender,
        representative: Contender,
        verdict: Verdict,
    ) -> Result<(Reason, Likeness)> {
        if self.same(contender.0, representative.0)? {
            return Ok((Reason::Exact, Likeness::Same));
        }
        let measure = Evidence::measure(self);
        let reason = match measure {
            Measure::Resemblance => Reason::Near,
            Measure::Containment if self.is_held(representative.0) => Reason::Holds,
            Measure::Containment => Reason::Contained,
        };
        let likeness = match (verdict.overlap(), self.method.verify()) {
            (Some(overlap), _) => Likeness::Counted(overlap),
            (None, Verify::Sketch) if self.method.estimates() => {
                Likeness::Estimated(measure, self.estimate(contender.0, representative.0)?)
            }
            (None, _) => Likeness::Unknown,
        };
        Ok((reason, likeness))
    }
}

/// Which contenders have equal texts in each field: their numbers are equal, and not [`NONE`].
pub(super) struct InFields {
    pub(super) similar: SimilarIn,
    pub(super) equal: Vec<Vec<u32>>,
}

impl Evidence for InFields {
    fn measure(&self) -> Measure {
        Measure::Resemblance
    }

    fn likeness(
        &self,
        contender: Contender,
        representative: Contender,
        verdict: Verdict,
    ) -> Result<(Reason, Likeness)> {
        let mut equal = self.equal.iter().map(|texts| {
            let text = texts[contender.index()];
            text != NONE && text == texts[representative.index()]
        });
        let is_exact = match self.similar {
            SimilarIn::Each => equal.all(|equal| equal),
            SimilarIn::Any => equal.any(|equal| equal),
        };
        Ok(match verdict.overlap() {
            Some(overlap) if !is_exact => (Reason::Near, Likeness::Counted(overlap)),
            _ => (Reason::Exact, Likeness::Same),
        })
    }
}

/// The likeness of each contender to its representative, by number.
pub(super) struct Listed(pub(super) Vec<Likeness>);

impl Evidence for Listed {
    fn measure(&self) -> Measure {
        Measure::Resemblance
    }

    fn likeness(
        &self,
        contender: Contender,
        _: Contender,
        _: Verdict,
    ) -> Result<(Reason, Likeness)> {
        let likeness = self.0[contender.index()];
        Ok((
            if likeness == Likeness::Same {
                Reason::Exact
            } else {
                Reason::Near
            },
            likeness,
        ))
    }
}
