//! The output of `--version --verbose`.

use std::env::consts::{ARCH, OS};

use lookalike::Simd;
use lookalike_engine::built_features;

/// Returns the version and build details, with one line for each detail that a bug report should include.
pub fn page() -> String {
    let environment = if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(target_env = "gnu") {
        "-gnu"
    } else {
        ""
    };
    let linked = if cfg!(target_feature = "crt-static") {
        "static"
    } else {
        "dynamic"
    };
    let checked = if cfg!(debug_assertions) {
        "with assertions"
    } else {
        "without assertions"
    };
    let features = built_features();
    format!(
        "lookalike {}\ncommit: {}\ntarget: {ARCH}-{OS}{environment}, {linked}\nbuilt: {checked}\nfeatures: {}\nkernels: {}\n",
        env!("CARGO_PKG_VERSION"),
        // The build may set this variable. Running git here would tie every build to a checkout.
        option_env!("LOOKALIKE_COMMIT").unwrap_or("unknown"),
        if features.is_empty() {
            "none".into()
        } else {
            features.join(" ")
        },
        kernels(),
    )
}

/// Returns the instruction set that the kernels use on this machine.
fn kernels() -> &'static str {
    match Simd::detect() {
        Simd::Portable => "portable",
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2(_) => "avx2",
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512(_) => "avx512",
    }
}

/// Returns whether the arguments before the command ask for details: `--verbose`, `-v` or combined flags such as `-vV`.
pub fn is_verbose(args: &[std::ffi::OsString]) -> bool {
    let flags = args
        .iter()
        .skip(1)
        .map_while(|arg| arg.to_str().filter(|arg| arg.starts_with('-')));
    flags
        .into_iter()
        .any(|flag| flag == "--verbose" || !flag.starts_with("--") && flag.contains('v'))
}
