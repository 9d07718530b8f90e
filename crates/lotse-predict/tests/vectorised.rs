//! Predicted vectorisation compared with that of gcc.
//!
//! Each loop states whether `gcc -O2 -fopt-info-vec-optimized` and the same with -O3 of gcc 12.2 report a vectorised loop. If gcc 12
//! is installed, these statements are checked, too.

#![expect(clippy::unwrap_used, reason = "a failure of the tools is a failure of the test")]

use std::process::Command;

use lotse_predict::concrete::Values;
use lotse_predict::locality::Start;
use lotse_predict::machine::{Cache, Machine};
use lotse_predict::question::{Language, analyse};
use lotse_predict::time::{Assumptions, Compiler};

/// A source with one function.
struct Vectorised {
    name: &'static str,
    source: &'static str,
    /// Whether gcc vectorises a loop of the function with -O2 and with -O3.
    at: [bool; 2],
}

const LEVELS: [(Compiler, &str); 2] = [(Compiler::GccO2, "-O2"), (Compiler::GccO3, "-O3")];

mod vectorised {
    pub(super) mod chains;
    pub(super) mod elementwise;
    pub(super) mod matrices;
    pub(super) mod operations;
    pub(super) mod pointers;
    pub(super) mod reductions;
}

fn all() -> impl Iterator<Item = &'static Vectorised> {
    use vectorised::{chains, elementwise, matrices, operations, pointers, reductions};
    let lists = [
        chains::LOOPS,
        elementwise::LOOPS,
        matrices::LOOPS,
        operations::LOOPS,
        pointers::LOOPS,
        reductions::LOOPS,
    ];
    lists.into_iter().flatten()
}

fn machine() -> Machine {
    let cache = |name: &str, capacity| Cache { name: name.to_owned(), capacity, line: 64, ways: 8 };
    Machine::typical("test", vec![cache("L1", 32768), cache("L2", 1 << 20)]).unwrap()
}

/// Whether a loop is predicted to be vectorised; a call of memcpy or memset does not count.
fn predicted(loops: &Vectorised, compiler: Compiler) -> bool {
    let function = Language::C.functions(loops.source).unwrap().remove(0);
    let values = Values::named(&function, &[("n", 1000), ("s", 3)]);
    let machine = machine();
    let assumptions = Assumptions { machine: &machine, compiler, start: Start::Warm, compiled: None };
    let analysed = analyse(&function, &values, assumptions).unwrap();
    assert_eq!(analysed.refused, [], "{}", loops.name);
    analysed.prediction.loops.iter().any(|time| time.lanes > 1.0 && !time.why.contains("memcpy or memset"))
}

/// At least four of five predictions agree with gcc at each level. Most of the others are floating-point sums, for which gcc loads
/// vectors but adds the elements in order, which is as slow as without vectorisation.
#[test]
fn loops_are_vectorised_as_by_gcc() {
    for (index, (compiler, level)) in LEVELS.into_iter().enumerate() {
        let wrong: Vec<&str> = all()
            .filter(|loops| predicted(loops, compiler) != loops.at[index])
            .map(|loops| loops.name)
            .collect();
        println!("{level}: {} of {} are not as predicted: {wrong:?}", wrong.len(), all().count());
        assert!(wrong.len() * 5 <= all().count(), "{level}: {wrong:?}");
    }
}

/// The statements beside the loops agree with gcc 12.
#[test]
fn gcc_does_what_is_written() {
    let version = Command::new("gcc").arg("-dumpversion").output();
    let version = version.ok().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    if version.as_deref() != Some("12") || !cfg!(target_arch = "x86_64") {
        test_support::skip_missing(format!("gcc 12 for x86-64 is not there ({version:?})"));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    for loops in all() {
        std::fs::write(&path, loops.source).unwrap();
        for (index, (_, level)) in LEVELS.into_iter().enumerate() {
            let output = Command::new("gcc")
                .args([level, "-c", "-fopt-info-vec-optimized", "-o", "/dev/null"])
                .arg(&path)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {text}", loops.name);
            assert_eq!(text.contains("loop vectorized"), loops.at[index], "{} {level}: {text}", loops.name);
        }
    }
}

/// Every loop that is not vectorised has a reason.
#[test]
fn reasons_are_given() {
    let machine = machine();
    for loops in all() {
        let function = Language::C.functions(loops.source).unwrap().remove(0);
        let values = Values::named(&function, &[("n", 1000), ("s", 3)]);
        let assumptions =
            Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None };
        let prediction = analyse(&function, &values, assumptions).unwrap().prediction;
        for time in prediction.loops.iter().filter(|time| time.is_innermost) {
            let reason = time.not_vectorised.is_some();
            assert_eq!(reason, time.lanes <= 1.0, "{}: {}", loops.name, time.why);
            assert_eq!(time.why.contains("not vectorised, because"), reason, "{}: {}", loops.name, time.why);
        }
    }
}
