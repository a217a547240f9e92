//! The features that this crate was built with.

/// Returns the enabled cargo features of this crate and the core, sorted.
pub fn built_features() -> Vec<&'static str> {
    let own = [
        ("cloud", cfg!(feature = "cloud")),
        ("codecs", cfg!(feature = "codecs")),
        ("encodings", cfg!(feature = "encodings")),
        ("html", cfg!(feature = "html")),
        ("tables", cfg!(feature = "tables")),
        ("warc", cfg!(feature = "warc")),
    ];
    let mut features: Vec<&str> = own
        .into_iter()
        .filter_map(|(name, is_there)| is_there.then_some(name))
        .collect();
    features.extend(lookalike::built_features());
    features.sort_unstable();
    features
}
