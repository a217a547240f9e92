//! What this crate was built with.

/// The cargo features of this crate that a build has, sorted.
pub fn built_features() -> impl Iterator<Item = &'static str> {
    let features = [
        ("chinese", cfg!(feature = "chinese")),
        ("jieba", cfg!(feature = "jieba")),
        ("portable", cfg!(feature = "portable")),
        ("stop-words", cfg!(feature = "stop-words")),
    ];
    features.into_iter().filter_map(|(name, is_there)| is_there.then_some(name))
}
