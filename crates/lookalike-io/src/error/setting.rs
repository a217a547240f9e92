//! Names of configuration fields, for messages: each front says them in its own words.

use serde::{Deserialize, Serialize};

/// Declares the enum, and what is known of each of its values, once.
macro_rules! settings {
    ($($(#[$doc:meta])* $setting:ident = $name:literal,)*) => {
        /// A field of a configuration that a message can name. A front (the command, Python) has its own word for each, by a match
        /// without a `_` arm: a new field does not compile until every front has a word for it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Setting {
            $($(#[$doc])* $setting,)*
        }

        impl Setting {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$setting,)*];

            /// The name of the field in the configuration.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$setting => $name,)*
                }
            }
        }
    };
}

settings! {
    // How records are read.
    /// The field with a document's text.
    TextField = "text_field",
    /// The field with a document's id.
    IdField = "id_field",
    /// The field with a document's set.
    SetField = "set_field",
    /// The field that says which documents belong together.
    LabelField = "label_field",
    /// What inputs hold.
    Format = "format",
    /// How texts of files are encoded.
    Encoding = "encoding",
    /// What separates the cells of CSV.
    Delimiter = "delimiter",
    /// What is compared of pages of HTML.
    Html = "html",
    /// Where lines are set aside that are no records.
    SkipBad = "skip_bad",
    /// Reads all splits of a data set as one collection.
    AllSplits = "all_splits",
    /// Takes documents with an id that another has.
    AllowRepeatedIds = "allow_repeated_ids",
    /// A command whose output is read.
    InputCommand = "input_command",

    // How a run works.
    /// Threads of the run.
    Threads = "threads",
    /// Where temporary files are.
    TempDir = "temp_dir",
    /// Where the state of a run is kept.
    Resume = "resume",

    // What is compared, and how.
    /// Which document of a group stays.
    Keep = "keep",
    /// References that documents are compared with.
    Against = "against",
    /// Compares with references alone.
    AgainstOnly = "against_only",
    /// Drops what contains a reference.
    DropHolders = "drop_holders",
    /// The similarity from which on documents match.
    Threshold = "threshold",
    /// The share of similar pairs that is found.
    Recall = "recall",
    /// What a token is.
    Tokens = "tokens",
    /// Tokens in a shingle.
    Shingle = "shingle",
    /// Which shingles are taken.
    Anchors = "anchors",
    /// How shingles are fingerprinted.
    Fingerprint = "fingerprint",
    /// Bits of a Rabin fingerprint.
    Degree = "degree",
    /// How candidates are found.
    Method = "method",
    /// How candidates are found by sketches of MinHash.
    Candidates = "candidates",
    /// Bands of a signature.
    Bands = "bands",
    /// Rows of a band.
    Rows = "rows",
    /// How a signature is permuted.
    Permutations = "permutations",
    /// Which share of the shingles is sampled.
    Modulus = "modulus",
    /// From how many texts on a shingle is set aside.
    Common = "common",
    /// Shingles of a super-shingle.
    RunLength = "run_length",
    /// Bits of a SimHash.
    Bits = "bits",
    /// What a SimHash is made of.
    Features = "features",
    /// Bits in which two SimHashes may differ.
    Distance = "distance",
    /// Blocks by which near SimHashes are found.
    Blocks = "blocks",
    /// Sentences of a digest.
    Longest = "longest",
    /// How sentences are digested.
    Digest = "digest",
    /// How similarity is measured.
    Measure = "measure",
    /// How candidates are verified.
    Verify = "verify",
    /// How matches become groups.
    Cluster = "cluster",
    /// What a greedy cluster is compared by.
    Representative = "representative",
    /// Elements of a sample.
    Sample = "sample",
    /// The best pairs of each document.
    Nearest = "nearest",

    // What is written.
    /// Decisions of a run.
    Decisions = "decisions",
    /// Puts decisions onto every record.
    Label = "label",
    /// What the fields of a label begin with.
    LabelPrefix = "label_prefix",

    // What other jobs take.
    /// Tokens of the shortest passage.
    Least = "least",
    /// The share of a text that passages must cover.
    Containment = "containment",
    /// The pairs that are known to be true.
    Truth = "truth",
    /// The field by which shares of right pairs are estimated.
    RightBy = "right_by",
    /// Two records whose score is explained.
    Explain = "explain",
    /// What says a page's site.
    By = "by",
    /// The share of a site's pages that must match.
    Share = "share",
    /// Folders in the name of a site.
    Depth = "depth",
    /// The field with the minutiae of a print.
    MinutiaeField = "minutiae_field",
    /// What the values of a minutia are.
    Columns = "columns",
    /// A full turn, in the unit of the angles.
    Turn = "turn",
    /// The field within whose equal values prints are compared.
    Within = "within",
    /// Sets in a family.
    Sets = "sets",
    /// Squares in a set of a family.
    Members = "members",
    /// Squares that sets of a family are drawn from.
    Squares = "squares",
}

impl Setting {
    /// The field of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|setting| setting.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_of_one_field() {
        for &setting in Setting::ALL {
            assert_eq!(Setting::named(setting.name()), Some(setting));
        }
        assert_eq!(Setting::named("no_such_field"), None);
    }
}
