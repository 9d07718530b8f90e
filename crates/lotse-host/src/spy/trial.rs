//! Whether programs can be recorded on this machine, for `lotse doctor`: a small program is compiled with callbacks, linked with
//! the runtime and run.

use std::env;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Output};

use super::{SpyError, Toolchain, flags};
use crate::capabilities::{Capability, CapabilityState};
use crate::rings::RingDirectory;
use crate::scratch::Scratch;

/// Follows frame pointers from a panic hook, which the precompiled standard library calls, up to `main`, and prints whether that is
/// reached.
const PROGRAM: &str = r#"
use std::arch::asm;
#[inline(always)]
fn frame() -> usize {
    let frame: usize;
    #[cfg(target_arch = "x86_64")]
    unsafe { asm!("mov {}, rbp", out(reg) frame) }
    #[cfg(target_arch = "aarch64")]
    unsafe { asm!("mov {}, x29", out(reg) frame) }
    frame
}
#[inline(never)]
fn reaches(mut at: usize, wanted: usize) -> bool {
    while at != 0 && at < wanted && at % 8 == 0 {
        let next = unsafe { *(at as *const usize) };
        if next <= at { return false }
        at = next;
    }
    at == wanted
}
#[inline(never)]
fn main() {
    let wanted = frame();
    std::panic::set_hook(Box::new(move |_| {
        println!("{}", if reaches(frame(), wanted) { "reached" } else { "lost" });
        std::process::exit(0)
    }));
    panic!()
}
"#;

/// Why the trial failed.
#[derive(Debug, thiserror::Error)]
enum TrialProblem {
    #[error(transparent)]
    Spy(#[from] SpyError),
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("it refuses the options of a recorded build: {0}")]
    Refused(String),
    #[error("a program compiled for recording ended with {0}")]
    Ended(ExitStatus),
}

/// The requirements of recording: a compiler that accepts the options, frame pointers, shared memory.
#[must_use]
pub fn capabilities() -> Vec<Capability> {
    let toolchain = Toolchain::query(None);
    let version = match &toolchain {
        Ok(Toolchain { version, llvm: Some(llvm), .. }) => format!("{version}, LLVM {llvm}"),
        Ok(toolchain) => toolchain.version.clone(),
        Err(_) => "no compiler".to_owned(),
    };
    let ran = toolchain.map_err(TrialProblem::from).and_then(|_| try_program());
    vec![compiler(&version, &ran), frames(&ran), memory()]
}

fn compiler(version: &str, ran: &Result<String, TrialProblem>) -> Capability {
    let (state, detail) = match ran {
        Ok(_) => (
            CapabilityState::Available,
            format!("{version}: an empty program was compiled for recording and ran"),
        ),
        Err(problem) => (CapabilityState::Missing, format!("{version}: {problem}")),
    };
    Capability::new(
        "compiler for recording",
        state,
        detail,
        "lotse spy run builds programs with callbacks at loads, stores and blocks",
    )
    .with_remedy("install Rust from https://rustup.rs; recording is tested with 1.95")
}

fn frames(ran: &Result<String, TrialProblem>) -> Capability {
    let (state, detail) = match ran.as_deref() {
        Ok("reached") => (CapabilityState::Available, "frames of the standard library can be followed"),
        Ok(_) => (CapabilityState::Missing, "the standard library was built without frame pointers"),
        Err(_) => (CapabilityState::Unknown, "no program could be compiled for recording"),
    };
    Capability::new("frame pointers", state, detail, "lotse spy names the user's line behind library code")
        .with_remedy("use a toolchain whose standard library has frame pointers (Rust 1.79 or newer)")
}

fn memory() -> Capability {
    let (state, detail) = match RingDirectory::create() {
        Ok(rings) if rings.path().starts_with("/dev/shm") => {
            (CapabilityState::Available, "/dev/shm can be written".to_owned())
        }
        Ok(rings) => {
            let parent = rings.path().parent().unwrap_or(rings.path()).display().to_string();
            (CapabilityState::Available, format!("there is no /dev/shm; {parent} is used"))
        }
        Err(error) => (CapabilityState::Missing, error.to_string()),
    };
    Capability::new(
        "shared memory",
        state,
        detail,
        "lotse spy run passes events from program to collector in it",
    )
    .with_remedy("make /dev/shm writable, or set TMPDIR where there is none")
}

/// Compiles and runs the program; returns its output.
fn try_program() -> Result<String, TrialProblem> {
    if !lotse_spy_rt::SUPPORTED {
        return Err(SpyError::Unsupported.into());
    }
    let scratch = Scratch::create()?;
    let [source, object, program] = ["trial.rs", "runtime.o", "trial"].map(|name| scratch.path().join(name));
    fs::write(&source, PROGRAM)?;
    fs::write(&object, lotse_spy_rt::OBJECT)?;
    compile(&source, &object, &program)?;
    let output = Command::new(&program).output()?;
    if !output.status.success() {
        return Err(TrialProblem::Ended(output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn compile(source: &Path, object: &Path, program: &Path) -> Result<(), TrialProblem> {
    let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--edition", "2021", "-Copt-level=1"]).arg(source).arg("-o").arg(program);
    command.args(flags::with_callbacks()).args(flags::link(&object.to_string_lossy()));
    let output = command.output()?;
    if output.status.success() { Ok(()) } else { Err(TrialProblem::Refused(first_error(&output))) }
}

/// The first error message of the compiler.
fn first_error(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.starts_with("error")).or_else(|| text.lines().next());
    line.map_or_else(|| format!("it ended with {}", output.status), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{CapabilityState, TrialProblem, capabilities, compiler, frames};

    #[test]
    fn after_a_failed_compilation_frame_pointers_are_unknown() {
        let problem = Err(TrialProblem::Refused("error: unknown pass".to_owned()));
        let found = compiler("rustc 2.0.0", &problem);
        assert_eq!(found.state, CapabilityState::Missing);
        assert!(found.detail.ends_with("unknown pass") && found.remedy.is_some(), "{found:?}");
        assert_eq!(frames(&problem).state, CapabilityState::Unknown);
        assert_eq!(frames(&Ok("lost".to_owned())).state, CapabilityState::Missing);
    }

    #[test]
    fn this_compiler_builds_programs_that_can_be_recorded() {
        let found = capabilities();
        if found[0].detail.starts_with("no compiler") {
            test_support::skip_missing("rustc not found");
            return;
        }
        assert!(found.iter().all(|it| it.state == CapabilityState::Available), "{found:?}");
    }
}
