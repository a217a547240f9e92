//! Sketches that are stored without the texts: their parameters, their bytes, their union, and what they estimate.
//!
//! A small sketch of each document suffices to estimate the resemblance of two documents (Broder 1997, section 3), so a collection
//! of sketches can be compared without the texts. For that, a stored sketch has to be independent of the program that made it. Its
//! bytes are defined by [`SketchParameters`], and never change for given parameters.
//!
//! ```
//! use lookalike::{Config, Method, Scratch, stored::{SketchBy, SketchParameters, Sketching}};
//!
//! let parameters = SketchParameters::new(&Config::default(), SketchBy::default())?;
//! let method = Method::sketching(&parameters)?;
//! let mut scratch = Scratch::default();
//! let [a, b] = ["one two three four five six seven", "one two three four five six"].map(|text| {
//!     method.sketch(text, &mut scratch);
//!     method.stored(&scratch)
//! });
//! assert_eq!((a.shingles, a.bytes.len()), (Some(3), 528));
//! let estimate = Sketching::new(&parameters)?.compare(&a, &b)?.resemblance.unwrap();
//! assert!(estimate.low <= 2.0 / 3.0 && 2.0 / 3.0 <= estimate.high);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod parameters;

mod slots;

mod sketching;

mod accuracy;

pub(crate) use self::sketching::{Kind, SIZE_BYTES, UNKNOWN_SIZE, elements_of, put_sample};
pub use self::{
    accuracy::Accuracy,
    parameters::{SketchBy, SketchParameters},
    sketching::{Comparison, Sketching, StoredSketch},
};

#[cfg(test)]
mod tests;
