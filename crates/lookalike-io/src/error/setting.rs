//! Names of configuration fields for messages. Each front end has its own words for the fields.

use serde::{Deserialize, Serialize};

/// Declares the enum, and the properties of each of its values, in one place.
macro_rules! settings {
    ($($(#[$doc:meta])* $setting:ident = $name:literal,)*) => {
        /// A field of a configuration that a message can mention. A front end (the command, Python) derives its word for a field
        /// from the field's name. The command's tests check that each of its words is a flag.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Setting {
            $($(#[$doc])* $setting,)*
        }

        impl Setting {
            /// All fields.
            pub const ALL: &[Self] = &[$(Self::$setting,)*];

            /// Returns the name of the field in the configuration.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$setting => $name,)*
                }
            }
        }
    };
}

settings! {
    // Settings for reading records.
    /// The field with a document's text.
    TextField = "text_field",
    /// A field whose text must be similar too.
    AndField = "and_field",
    /// A field whose text may be similar instead.
    OrField = "or_field",
    /// The field with a document's id.
    IdField = "id_field",
    /// The field with a list of strings or numbers, which is compared as a set instead of as a text.
    SetField = "set_field",
    /// The field that determines which documents belong together.
    LabelField = "label_field",
    /// The format of the inputs.
    Format = "format",
    /// The encoding of texts in files.
    Encoding = "encoding",
    /// The separator of the cells of CSV.
    Delimiter = "delimiter",
    /// The part of HTML pages that is compared.
    Html = "html",
    /// The destination of lines that are not records.
    SkipBad = "skip_bad",
    /// Whether to read all splits of a data set as one collection.
    AllSplits = "all_splits",
    /// Whether to accept documents with an id that another document has.
    AllowRepeatedIds = "allow_repeated_ids",
    /// A command whose output is read.
    InputCommand = "input_command",
    /// Whether documents with the same id become one document, when files of sketches are merged.
    Union = "union",

    // Settings for writing.
    /// The format of the records that are written.
    OutputFormat = "output_format",
    /// The number of records of an output.
    RowsPerFile = "rows_per_file",
    /// The number of bytes of an output.
    BytesPerFile = "bytes_per_file",

    // Settings for running.
    /// The number of threads of the run.
    Threads = "threads",
    /// The folder of temporary files.
    TempDir = "temp_dir",
    /// The folder in which the state of a run is kept.
    Resume = "resume",

    // Settings for comparing.
    /// Which document of a group is kept.
    Keep = "keep",
    /// How many documents of a group are kept.
    KeepPerGroup = "keep_per_group",
    /// Which documents of a group are dropped.
    Drop = "drop",
    /// References that documents are compared with.
    Against = "against",
    /// Whether to compare with references only.
    AgainstOnly = "against_only",
    /// Whether to drop documents that contain a reference.
    DropHolders = "drop_holders",
    /// The smallest similarity of documents that match.
    Threshold = "threshold",
    /// The smallest containment of a dropped document in its representative.
    MinContainment = "min_containment",
    /// The share of similar pairs that is found.
    Recall = "recall",
    /// The definition of a token.
    Tokens = "tokens",
    /// The number of tokens in a shingle.
    Shingle = "shingle",
    /// The languages whose stop words are anchors: only shingles that begin with an anchor are used.
    Anchors = "anchors",
    /// The fingerprint function of shingles.
    Fingerprint = "fingerprint",
    /// The number of bits of a Rabin fingerprint.
    Degree = "degree",
    /// The method of finding candidates.
    Method = "method",
    /// The method of finding candidates by MinHash sketches.
    Candidates = "candidates",
    /// The number of bands of a signature.
    Bands = "bands",
    /// The number of rows of a band.
    Rows = "rows",
    /// Whether a signature is made with one random permutation or with many.
    Permutations = "permutations",
    /// The share of the shingles that is sampled.
    Modulus = "modulus",
    /// The maximum number of texts in which a shingle may occur; more common shingles are excluded.
    Common = "common",
    /// The number of shingles in a super-shingle.
    RunLength = "run_length",
    /// The number of bits of a SimHash.
    Bits = "bits",
    /// The features from which a SimHash is computed.
    Features = "features",
    /// The number of bits in which two SimHashes may differ.
    Distance = "distance",
    /// The number of blocks into which a SimHash is divided to find the SimHashes near it.
    Blocks = "blocks",
    /// How many of a text's longest sentences are digested.
    Longest = "longest",
    /// The digest function of sentences.
    Digest = "digest",
    /// The measure of similarity.
    Measure = "measure",
    /// The method of verifying candidates.
    Verify = "verify",
    /// The method that turns matches into groups.
    Cluster = "cluster",
    /// What represents a greedy cluster when other documents are compared with it.
    Representative = "representative",
    /// The number of fingerprints in a sketch of greedy clustering.
    Sample = "sample",
    /// The number of best pairs for each document.
    Nearest = "nearest",

    // Settings for cutting.
    /// The number of units in the shortest passage that is cut.
    Window = "window",
    /// How many earlier documents must contain a passage before it is cut.
    MoreThan = "more_than",
    /// Whether only whole lines are cut.
    WholeLines = "whole_lines",

    // Settings for writing.
    /// The output for the decisions of a run.
    Decisions = "decisions",
    /// Whether to add the decision to every record.
    Label = "label",
    /// The prefix of the fields of a label.
    LabelPrefix = "label_prefix",
    /// Writing each record with what would be cut out of its text.
    Mark = "mark",
    /// The prefix of the fields of a mark.
    MarkPrefix = "mark_prefix",

    // Settings for audits.
    /// What the rows of a result are.
    Result = "result",
    /// The field of a result with the document's id.
    ResultId = "result_id",
    /// The field of a result with the cluster.
    ClusterField = "cluster_field",
    /// The field of a result that says whether a document was kept.
    KeptField = "kept_field",
    /// The field of a result with the kept document that a removed one duplicates.
    DuplicateOfField = "duplicate_of_field",
    /// Whether a result numbers documents by position.
    ByPosition = "by_position",

    // Settings of other jobs.
    /// The smallest number of tokens that a passage may have.
    Least = "least",
    /// The share of a text that passages must cover.
    Containment = "containment",
    /// The pairs that are known to be correct.
    Truth = "truth",
    /// The field with a date or a number from which the share of correct pairs is estimated.
    RightBy = "right_by",
    /// The two records whose score is explained.
    Explain = "explain",
    /// The property that identifies a page's site.
    By = "by",
    /// The share of a site's pages that must match.
    Share = "share",
    /// The smallest similarity of pages that changed a lot.
    Changed = "changed",
    /// The number of folders in the name of a site.
    Depth = "depth",
    /// The field with the minutiae of a print.
    MinutiaeField = "minutiae_field",
    /// The meaning of a minutia's values.
    Columns = "columns",
    /// A full turn, in the unit of the angles.
    Turn = "turn",
    /// The field that must be equal for prints to be compared.
    Within = "within",
    /// For prints: the number of sets in a family. Each set consists of squares of a grid, and candidates are found by these
    /// sets.
    Sets = "sets",
    /// For prints: the number of squares in each set of a family.
    Members = "members",
    /// For prints: the number of squares from which the sets of a family are drawn.
    Squares = "squares",
}

impl Setting {
    /// Returns the field with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|setting| setting.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_belongs_to_one_field() {
        for &setting in Setting::ALL {
            assert_eq!(Setting::named(setting.name()), Some(setting));
        }
        assert_eq!(Setting::named("no_such_field"), None);
    }
}
