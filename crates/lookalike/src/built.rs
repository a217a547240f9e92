//! The features that this crate was built with.

/// Returns the cargo features of this build, sorted.
pub fn built_features() -> impl Iterator<Item = &'static str> {
    let features = [
        ("chinese", cfg!(feature = "chinese")),
        ("jieba", cfg!(feature = "jieba")),
        ("portable", cfg!(feature = "portable")),
        ("stop-words", cfg!(feature = "stop-words")),
    ];
    features
        .into_iter()
        .filter_map(|(name, is_there)| is_there.then_some(name))
}
