//! Settings: what a unit is, and which repeated units are cut.

use serde::{Deserialize, Serialize};

use super::rules::Rules;
use crate::{
    choices,
    error::{ErrorKind, Result},
    runs::MAX_LEAST,
    text::{Folds, TokensBy},
};

choices! {
    /// The parts of a text that are compared and cut.
    #[derive(Default)]
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum Unit {
        /// runs of tokens, which may start and end anywhere
        Runs = "runs" (default),
        /// lines
        ///
        /// Lines without a token belong to the line before them.
        Lines = "lines",
        /// paragraphs, which blank lines separate
        Paragraphs = "paragraphs",
        /// sentences
        ///
        /// [Sentences](crate::text::sentences).
        Sentences = "sentences",
    }
}

impl Unit {
    /// Returns the usual number of units in a window: 50 tokens, or one line, paragraph or sentence.
    pub fn usual_window(self) -> usize {
        if self == Self::Runs { 50 } else { 1 }
    }

    /// Returns the usual minimum number of tokens in a window: 5, so that a line such as `}` or `return None` is not cut everywhere.
    pub fn usual_least_tokens(self) -> usize {
        if self == Self::Runs { 0 } else { 5 }
    }
}

/// Which texts are searched for what a text repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub enum Within {
    /// All texts.
    #[default]
    All,
    /// Only the text itself.
    Document,
}

/// The settings of a [`Cut`](super::Cut).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub struct CutConfig {
    /// What is compared and cut.
    pub unit: Unit,
    /// The number of units in a window, the shortest passage that is cut. If none, the [usual number](Unit::usual_window).
    pub window: Option<usize>,
    /// How many earlier texts must contain a window before it is cut, 1 by default.
    pub more_than: usize,
    /// Which texts are searched.
    pub within: Within,
    /// The minimum number of tokens in a window that is cut. If none, the [usual number](Unit::usual_least_tokens).
    pub min_tokens: Option<usize>,
    /// The minimum number of tokens that must be left of a text from which something is cut; otherwise the whole text is dropped. 1
    /// by default.
    pub min_left: usize,
    /// Whether the original bytes of units must be equal too, not only their canonical forms. The separators after a token are
    /// compared as part of it.
    pub verbatim: bool,
    /// With [`Unit::Runs`], whether a line is cut only if all of its tokens would be.
    pub whole_lines: bool,
    /// What a token is.
    pub tokens: TokensBy,
    /// Which differences are ignored.
    pub folds: Folds,
}

impl Default for CutConfig {
    fn default() -> Self {
        Self {
            unit: Unit::default(),
            window: None,
            more_than: 1,
            within: Within::default(),
            min_tokens: None,
            min_left: 1,
            verbatim: false,
            whole_lines: false,
            tokens: TokensBy::default(),
            folds: Folds::default(),
        }
    }
}

impl CutConfig {
    /// Returns the number of units in a window.
    pub fn window(&self) -> usize {
        self.window.unwrap_or(self.unit.usual_window())
    }

    /// Returns the minimum number of tokens in a window.
    pub fn min_tokens(&self) -> usize {
        self.min_tokens.unwrap_or(self.unit.usual_least_tokens())
    }

    /// Checks the settings, and returns them as rules.
    ///
    /// # Errors
    /// Fails if a number is out of range, if tokens are lines or items, if whole lines are requested for other units than runs, or if
    /// this build does not support the tokens or the folds.
    pub fn rules(&self) -> Result<Rules> {
        self.tokens.check()?;
        self.folds.check()?;
        if matches!(self.tokens, TokensBy::Lines | TokensBy::Items) {
            return Err(ErrorKind::CutTokens.into());
        }
        if self.whole_lines && self.unit != Unit::Runs {
            return Err(ErrorKind::WholeLines.into());
        }
        let window = self.window();
        if !(1..=MAX_LEAST).contains(&window) {
            return Err(ErrorKind::CutWindow {
                window,
                max: MAX_LEAST,
            }
            .into());
        }
        if self.more_than == 0 {
            return Err(ErrorKind::MoreThan.into());
        }
        if self.within == Within::Document && self.more_than > 1 {
            return Err(ErrorKind::MoreThanOne.into());
        }
        Ok(Rules {
            window,
            after: self.more_than,
            least_tokens: self.min_tokens(),
            least_left: self.min_left,
            whole_lines: self.whole_lines,
        })
    }
}
