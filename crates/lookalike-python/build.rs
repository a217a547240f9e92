//! Configures the linker on macOS: the interpreter provides Python's symbols.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
