//! The compiler wrapper: calls the compiler with additional options.
//!
//! A call without `--target` compiles a build script, a procedural macro or one of their dependencies and is not changed.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{
    EXCLUDE_VARIABLE, LINES_VARIABLE, NOTES_VARIABLE, OBJECT_VARIABLE, ONLY_VARIABLE, become_program, flags,
};

pub(super) fn run(arguments: Vec<OsString>) -> u8 {
    let Some((compiler, rest)) = arguments.split_first() else { return 2 };
    let mut command = Command::new(compiler);
    let call = CompilerCall::parse(rest);
    let added = match env::var_os(LINES_VARIABLE) {
        Some(_) => call.unrecorded_options(),
        None => call.recording_options(&CrateChoice::from_environment()),
    };
    command.args(rest).args(added);
    become_program(command)
}

/// The relevant options of a call of the compiler.
#[derive(Debug, Default, PartialEq, Eq)]
struct CompilerCall {
    name: Option<String>,
    for_target: bool,
    is_program: bool,
    /// The optimisation level.
    level: Option<String>,
}

/// Which crates are compiled with callbacks.
#[derive(Debug, Default)]
struct CrateChoice {
    only: Option<Vec<String>>,
    exclude: Vec<String>,
    object: String,
}

impl CrateChoice {
    fn from_environment() -> Self {
        let list = |name| {
            let text = env::var(name).ok()?;
            Some(text.split(',').map(|name| name.replace('-', "_")).collect())
        };
        Self {
            only: list(ONLY_VARIABLE),
            exclude: list(EXCLUDE_VARIABLE).into_iter().flatten().collect(),
            object: env::var(OBJECT_VARIABLE).into_iter().collect(),
        }
    }

    fn takes(&self, name: &str) -> bool {
        let listed = |list: &[String]| list.iter().any(|listed| listed == name);
        !listed(&self.exclude) && self.only.as_deref().is_none_or(listed)
    }
}

impl CompilerCall {
    fn parse(arguments: &[OsString]) -> Self {
        let mut call = Self { is_program: true, ..Self::default() };
        let mut is_test = false;
        let mut options = arguments.iter().map(|argument| argument.to_str().unwrap_or(""));
        while let Some(option) = options.next() {
            match option {
                "--crate-name" => call.name = options.next().map(str::to_owned),
                "--crate-type" => call.is_program &= options.next() == Some("bin"),
                "--target" => call.for_target = true,
                "--test" => is_test = true,
                "-C" => call.codegen(options.next().unwrap_or("")),
                option if option.starts_with("-C") => call.codegen(&option[2..]),
                option => call.for_target |= option.starts_with("--target="),
            }
        }
        call.is_program = is_test || call.is_program;
        call
    }

    fn codegen(&mut self, option: &str) {
        if let Some(level) = option.strip_prefix("opt-level=") {
            self.level = Some(level.to_owned());
        }
    }

    /// The name of the crate, if it becomes part of a program.
    fn program_crate(&self) -> Option<&str> {
        self.name.as_deref().filter(|name| self.for_target && *name != "___")
    }

    /// The options to add in an unrecorded build.
    fn unrecorded_options(&self) -> Vec<OsString> {
        self.program_crate().map_or_else(Vec::new, |_| flags::unrecorded())
    }

    /// The options to add in a recorded build. Writes a note about a crate that gets callbacks.
    fn recording_options(&self, choice: &CrateChoice) -> Vec<OsString> {
        let Some(name) = self.program_crate() else { return Vec::new() };
        let mut added = if choice.takes(name) {
            note(name, self.level.as_deref().unwrap_or("0"));
            flags::with_callbacks()
        } else {
            flags::without_callbacks()
        };
        if self.is_program {
            added.extend(flags::link(&choice.object).into_iter().map(OsString::from));
        }
        added
    }
}

/// Writes a note about a crate: whether it is the user's own, and its optimisation level.
fn note(name: &str, level: &str) {
    let Some(folder) = env::var_os(NOTES_VARIABLE) else { return };
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let source: OsString = env::var_os("CARGO_MANIFEST_DIR").into_iter().collect();
    let foreign = home.is_some_and(|home| is_within(&source, &home));
    let place = Path::new(&folder).join(format!("crate-{name}"));
    // A missing note is no reason to stop the build.
    drop(fs::write(place, format!("{} {level}", if foreign { "foreign" } else { "own" })));
}

fn is_within(path: &OsStr, folder: &Path) -> bool {
    Path::new(path).starts_with(folder)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{CompilerCall, CrateChoice};

    fn call(line: &str) -> CompilerCall {
        CompilerCall::parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn programs_and_libraries_are_distinguished() {
        let target = "--target x86_64-unknown-linux-gnu";
        let about = |line: &str| {
            let call = call(line);
            (call.for_target, call.is_program)
        };
        assert_eq!(about(&format!("--crate-name a src/main.rs --crate-type bin {target}")), (true, true));
        assert_eq!(about(&format!("--crate-name a src/lib.rs --crate-type lib {target}")), (true, false));
        assert_eq!(about(&format!("--crate-name a src/lib.rs --test {target}")), (true, true));
        assert_eq!(about("--crate-name build_script_build build.rs --crate-type bin"), (false, true));
    }

    #[test]
    fn build_scripts_and_version_queries_get_no_options() {
        let choice = CrateChoice::default();
        let untouched =
            ["--crate-name build_script_build --crate-type bin", "-vV", "- --crate-name ___ --target x"];
        for line in untouched {
            assert_eq!(call(line).recording_options(&choice), Vec::<OsString>::new(), "{line}");
            assert_eq!(call(line).unrecorded_options(), Vec::<OsString>::new(), "{line}");
        }
    }

    #[test]
    fn an_unrecorded_build_has_names_and_the_code_it_would_have() {
        let options = call("--crate-name a --crate-type lib --target x").unrecorded_options();
        assert_eq!(options, ["-Cdebuginfo=2", "-Cstrip=none", "-Csymbol-mangling-version=v0"]);
    }

    #[test]
    fn crates_are_chosen_by_name() {
        let choice = CrateChoice {
            only: Some(vec!["a".into(), "b".into()]),
            exclude: vec!["b".into()],
            ..CrateChoice::default()
        };
        assert_eq!(["a", "b", "c"].map(|name| choice.takes(name)), [true, false, false]);
        assert!(CrateChoice::default().takes("a"));
    }
}
