//! Different ways to write loops. Each is analysed completely, with the iterations and accesses of an execution, or it is refused or
//! bounded with a line and a reason.

#![expect(clippy::unwrap_used, reason = "a failure of the analysis is a failure of the test")]

use lotse_predict::concrete::{Instance, Values};
use lotse_predict::locality::Start;
use lotse_predict::machine::{Cache, Machine};
use lotse_predict::question::{FunctionAnalysis, Language, analyse, missing_parameters};
use lotse_predict::time::Assumptions;

/// A source that is analysed completely.
struct Form {
    name: &'static str,
    language: Language,
    source: &'static str,
    values: &'static [(&'static str, i64)],
    /// Iterations of every loop in the order of the source.
    iterations: &'static [f64],
    /// Names of arrays in the order of their first access.
    arrays: &'static [&'static str],
}

/// A source of which a part is refused, or whose time depends on data.
struct Limited {
    name: &'static str,
    language: Language,
    source: &'static str,
    /// The line of the first reason. The first line of the source is line 2, because the text begins with a line break.
    line: u32,
    reason: &'static str,
}

const VALUES: &[(&str, i64)] =
    &[("n", 12), ("m", 5), ("k", 3), ("N", 12), ("a.len()", 12), ("b.len()", 12), ("x.len()", 12)];

fn machine() -> Machine {
    let cache = |name: &str, capacity| Cache { name: name.to_owned(), capacity, line: 64, ways: 8 };
    Machine::typical("test", vec![cache("L1", 32768), cache("L2", 1 << 20)]).unwrap()
}

fn analysed(language: Language, source: &str, values: &[(&str, i64)]) -> (Vec<String>, FunctionAnalysis) {
    let function = language.functions(source).unwrap().remove(0);
    let values = Values::named(&function, values);
    assert_eq!(missing_parameters(&function, &values), [""; 0], "{source}");
    let machine = machine();
    let assumptions = Assumptions {
        machine: &machine,
        compiler: language.default_compiler(),
        start: Start::Warm,
        compiled: None,
    };
    let arrays = function.arrays.iter().map(|array| array.name.clone()).collect();
    (arrays, analyse(&function, &values, assumptions).unwrap())
}

fn check(forms: &[Form]) {
    for Form { name, language, source, values, iterations, arrays } in forms {
        let (found, analysed) = analysed(*language, source, &[VALUES, values].concat());
        assert_eq!(analysed.refused, [], "{name}");
        let prediction = analysed.prediction;
        let counted: Vec<f64> = prediction.loops.iter().map(|time| time.iterations).collect();
        assert_eq!(counted, *iterations, "{name}");
        assert_eq!(found, *arrays, "{name}");
        assert_eq!(prediction.coverage, 1.0, "{name}");
        assert_eq!(prediction.because(), Vec::<&(_, _)>::new(), "{name}");
        assert!(prediction.seconds > 0.0, "{name}");
    }
}

fn check_refused(forms: &[Limited]) {
    for Limited { name, language, source, line, reason } in forms {
        let function = language.functions(source).unwrap().remove(0);
        let values = Values::named(&function, VALUES);
        let refusals = Instance::new(&function, &values).refusals;
        let first = refusals.first().map(|refusal| (refusal.place.line, refusal.reason.as_str()));
        assert_eq!(first, Some((*line, *reason)), "{name}: {refusals:?}");
    }
}

fn check_bounded(forms: &[Limited]) {
    for Limited { name, language, source, line, reason } in forms {
        let prediction = analysed(*language, source, VALUES).1.prediction;
        let (low, high) = prediction.range;
        assert!(low < high, "{name}");
        assert!(low <= prediction.seconds && prediction.seconds <= high, "{name}");
        let because = prediction.because();
        let found = because.iter().any(|(place, text)| place.line == *line && text.contains(reason));
        assert!(found, "{name}: {because:?}");
        assert!(prediction.coverage < 1.0, "{name}");
    }
}

mod forms {
    pub(super) mod bounded;
    pub(super) mod c_arrays;
    pub(super) mod c_loops;
    pub(super) mod refused;
    pub(super) mod rust_iterators;
    pub(super) mod rust_loops;
}

#[test]
fn loops_of_c() {
    check(forms::c_loops::FORMS);
}

#[test]
fn arrays_of_c() {
    check(forms::c_arrays::FORMS);
}

#[test]
fn loops_of_rust() {
    check(forms::rust_loops::FORMS);
}

#[test]
fn iterators_of_rust() {
    check(forms::rust_iterators::FORMS);
}

#[test]
fn refusals_of_both_languages() {
    check_refused(forms::refused::FORMS);
}

#[test]
fn bounds_of_both_languages() {
    check_bounded(forms::bounded::FORMS);
}
