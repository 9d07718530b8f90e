//! Format and lints of the launcher's program and of the heap shim, which are compiled by a `build.rs` and therefore not
//! covered by cargo.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::shell;

/// Source, crate name and crate type of each.
const PROGRAMS: [[&str; 3]; 2] = [
    ["runtime/lotse-launch/src/program/main.rs", "lotse_launch_program", "bin"],
    ["runtime/lotse-heap/src/object/main.rs", "lotse_heap_object", "cdylib"],
];

/// The architectures they support.
const ARCHITECTURES: &[&str] = &["x86_64", "aarch64"];

/// The lints of the workspace that apply to a program without the standard library.
const LINTS: &[&str] = &[
    "warnings",
    "unsafe_op_in_unsafe_fn",
    "clippy::allow_attributes_without_reason",
    "clippy::let_underscore_must_use",
    "clippy::too_many_lines",
    "clippy::undocumented_unsafe_blocks",
    "clippy::unwrap_used",
    "clippy::wildcard_imports",
];

pub(super) fn check(root: &Path) -> Result<(), Failure> {
    for [source, ..] in PROGRAMS {
        shell::run(root, &[], &["rustfmt", "--edition", "2024", "--check", source])?;
    }
    if !cfg!(target_os = "linux") || !ARCHITECTURES.contains(&std::env::consts::ARCH) {
        println!("lints skipped: the launcher has no code for this machine");
        return Ok(());
    }
    let products = build_products()?;
    PROGRAMS.iter().try_for_each(|program| {
        shell::run(root, &[("CLIPPY_CONF_DIR", ".")], &lint_line(program, &products.to_string_lossy()))
    })
}

/// A folder beside this program for the output of the compiler. `/dev/null` is not possible: the compiler replaces its
/// output file, so root would delete the device.
fn build_products() -> Result<PathBuf, xtask::Error> {
    let failed = |source| xtask::Error::File { path: PathBuf::from("xtask"), source };
    let own = std::env::current_exe().map_err(failed)?;
    Ok(own.with_file_name("launcher-lints"))
}

/// The command line for the lints. It emits only metadata, so that nothing has to be linked.
fn lint_line<'a>([source, name, kind]: &[&'a str; 3], products: &'a str) -> Vec<&'a str> {
    let mut line = vec!["clippy-driver", "--edition", "2024", "--crate-name", *name];
    line.extend(["--crate-type", *kind, "-C", "panic=abort", "--emit=metadata", "--out-dir", products]);
    line.extend(LINTS.iter().flat_map(|lint| ["-D", lint]));
    line.push(source);
    line
}

#[cfg(test)]
mod tests {
    use super::{PROGRAMS, build_products, lint_line};
    use xtask::programs::repository_root;

    #[test]
    fn the_programs_are_where_the_lints_look() {
        for program in &PROGRAMS {
            assert!(repository_root().unwrap().join(program[0]).is_file());
            assert_eq!(lint_line(program, "folder").last(), Some(&program[0]));
        }
    }

    #[test]
    fn nothing_is_written_outside_the_build_products() {
        let own = std::env::current_exe().unwrap();
        let products = build_products().unwrap();
        assert_eq!(products.parent(), own.parent());
        let products = products.to_string_lossy().into_owned();
        assert!(lint_line(&PROGRAMS[0], &products).windows(2).any(|pair| pair == ["--out-dir", &products]));
    }
}
