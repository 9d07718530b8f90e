//! Typical kernels: each is analysed completely, and its innermost loop has the limit that an engineer expects. The data fit the
//! second cache, unless the kernel tests transfers.

#![expect(clippy::unwrap_used, reason = "a failure of the analysis is a failure of the test")]

use lotse_predict::concrete::Values;
use lotse_predict::locality::Start;
use lotse_predict::machine::{Cache, Machine};
use lotse_predict::question::{Language, analyse, missing_parameters};
use lotse_predict::time::{Assumptions, LoopTime, Prediction};

/// A kernel and the expected properties of the loop that takes most of its time.
struct Kernel {
    name: &'static str,
    language: Language,
    source: &'static str,
    values: &'static [(&'static str, i64)],
    /// Iterations of the costliest loop.
    iterations: f64,
    /// The limit of the costliest loop.
    limit: &'static str,
    /// Iterations that one instruction executes.
    lanes: f64,
}

const fn c(name: &'static str, source: &'static str) -> Kernel {
    Kernel { name, language: Language::C, source, values: &[], iterations: 0.0, limit: "", lanes: 1.0 }
}

const fn rust(name: &'static str, source: &'static str) -> Kernel {
    Kernel { language: Language::Rust, ..c(name, source) }
}

fn machine() -> Machine {
    let cache = |name: &str, capacity, ways| Cache { name: name.to_owned(), capacity, line: 64, ways };
    let caches = vec![cache("L1", 49152, 12), cache("L2", 2 << 20, 16), cache("L3", 32 << 20, 16)];
    Machine::typical("test", caches).unwrap()
}

fn prediction(kernel: &Kernel) -> Prediction {
    let function = kernel.language.functions(kernel.source).unwrap().remove(0);
    let values = Values::named(&function, kernel.values);
    assert_eq!(missing_parameters(&function, &values), [""; 0], "{}", kernel.name);
    let machine = machine();
    let assumptions = Assumptions {
        machine: &machine,
        compiler: kernel.language.default_compiler(),
        start: Start::Warm,
        compiled: None,
    };
    let analysed = analyse(&function, &values, assumptions).unwrap();
    assert_eq!(analysed.refused, [], "{}", kernel.name);
    analysed.prediction
}

fn costliest(prediction: &Prediction) -> &LoopTime {
    prediction.loops.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap()
}

fn check(kernels: &[Kernel]) {
    let mut wrong = Vec::new();
    for kernel in kernels {
        let prediction = prediction(kernel);
        let time = costliest(&prediction);
        let got = (time.iterations, time.limit.name(), time.lanes);
        if got != (kernel.iterations, kernel.limit.to_owned(), kernel.lanes) {
            wrong.push(format!("{}: {got:?}: {}", kernel.name, time.why));
        }
        let (low, high) = prediction.interval;
        assert!(low <= prediction.seconds && prediction.seconds <= high, "{}", kernel.name);
        assert!(prediction.seconds > 0.0 && !prediction.formula.is_empty(), "{}", kernel.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

mod kernels {
    pub(super) mod algebra;
    pub(super) mod arrays;
    pub(super) mod slices;
    pub(super) mod tables;
}

#[test]
fn linear_algebra() {
    check(kernels::algebra::KERNELS);
}

#[test]
fn arrays_and_stencils() {
    check(kernels::arrays::KERNELS);
}

#[test]
fn dynamic_programming_and_integers() {
    check(kernels::tables::KERNELS);
}

#[test]
fn slices_of_rust() {
    check(kernels::slices::KERNELS);
}
