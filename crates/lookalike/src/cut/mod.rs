//! Cuts repeated passages out of texts: notices, menus, licence headers, quoted articles. One copy of each passage is kept, and each
//! cut names the place where the same words are kept.
//!
//! # The law
//!
//! A text is a sequence of *units*: tokens, lines, paragraphs or sentences. A *window* is n consecutive units. Units are equal if
//! their canonical forms are, and windows are equal if their units are.
//!
//! > Texts are processed in keep order, in rounds. In each round, go through the windows of what remains of the text, from left to
//! > right. Mark a window if an equal window occurs in the kept text of an earlier document, or in an unmarked stretch of this text that
//! > ends before the window starts. Windows that overlap marked ones are considered too. At the end of the round, remove the marked
//! > units, and join the rest. Rounds repeat until nothing is marked. What remains is the **kept** text.
//!
//! - The **source** of a marked window is its place in the first text that contains it, and the first place there. Consecutive windows
//!   whose sources are consecutive in one text form a chain. A marked range is divided from left to right: at its first unit
//!   without a source, the chain that reaches furthest gives the sources of the units up to its end. If several chains reach equally far,
//!   the one that starts first is taken.
//! - If a later round cuts the source itself, both have the source of the later cut.
//! - Only windows with a minimum number of tokens are marked. With a number K above 1, a window is marked if it occurs in K texts
//!   before, where an unmarked stretch of the text itself counts as one of them.
//! - If only whole lines are cut, the units of a line are removed only if all of them are marked.
//! - A text that lost something and has too few tokens left is dropped at its turn. Its kept text is empty.
//! - A text of a group is compared with the texts of its group only. Nothing is cut out of references, which come first.
//!
//! The law could also mark, at each place, the longest run of at least n units that is repeated. This marks the same units, because each
//! window of a repeated run is repeated too.
//!
//! # Consequences
//!
//! Each is tested. They hold for units that are equal exactly if they are equal when the output is read again; Chinese text may be
//! divided into other words after the text beside it is cut.
//!
//! 1. *In the output, no window occurs twice without overlap* (with K = 1, and without a minimum number of tokens or whole lines).
//!    Suppose that an equal window occurs earlier, in another text or before this one in the same text. In the last round of the later
//!    text, both were there, and the earlier one was not marked. So the later one would have been marked.
//! 2. *Each unit that is cut leads to an equal unit in the output.* The kept texts of earlier documents never change. A source in the
//!    text itself is unmarked, so it is there at the end of the round. If a later round cuts it, it has a source itself, which comes
//!    before it in the order of texts and units. This order has no infinite descent, so the last source is in the output.
//! 3. *A second run cuts nothing.* By induction, the kept texts of earlier documents are the same in the second run. Its first round is
//!    then the same as the last round of the first run, in which nothing was marked.
//! 4. *Units in = kept + cut + dropped.*
//! 5. *Threads, disk and budgets do not change the answer*, because it is defined text by text.
//!
//! Rounds are needed because cutting a passage joins its neighbours, and the joined text may be a repetition itself, such as an article
//! with an advertisement in the middle, after the article without it. Each round except the last one removes at least one window, so the
//! rounds end.
//!
//! If a text consists of one word, repeated at least 2n times, the first n words are kept, and all others are cut. If the word is
//! repeated less often, all windows overlap each other, and nothing is cut.
//!
//! # Other definitions
//!
//! Google's ExactSubstr (Lee et al. 2022, *Deduplicating Training Data Makes Language Models Better*) removes every copy of a repeated
//! run, the first one too, and a second run may find more. Llama 3 counts how often a line occurs in all of a bucket of documents,
//! and removes every occurrence of those that occur more than six times. The number K here counts only earlier texts, and K of the copies
//! are kept.

mod piece;

mod buffers;

mod anchors;

mod rules;

mod kept;

mod chains;

mod single;

mod law;

mod config;

mod parts;

mod units;

mod edits;

mod builder;

pub use anchors::{Anchor, Anchoring};
pub use builder::{Cut, CutPassage, CutText, cut};
pub use config::{CutConfig, Unit, Within};
pub use kept::{Searcher, Searching};
pub use law::Cutter;
pub use piece::{Outcome, Piece};
pub use rules::{Rules, Units};
for_engine!(pub use {anchors::{Filter, FilterPart, Repeated}, kept::{Looked, MOST_UNITS, Shared, Store}});
for_engine!(pub use {edits::{Edit, edited, edits}, units::{TextUnits, UnitReader}});

#[cfg(test)]
mod twin;

#[cfg(test)]
mod tests;
