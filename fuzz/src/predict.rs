//! Predictions for source code: nothing panics, and the work is bounded.

use lotse_predict::concrete::Values;
use lotse_predict::locality::Start;
use lotse_predict::machine::{Cache, Machine};
use lotse_predict::question::{Language, analyse, has_loops, missing_parameters};
use lotse_predict::time::Assumptions;

/// Reads a source and predicts the time of its first functions, with 100 for every parameter.
pub(crate) fn predict(data: &[u8], language: Language) {
    // Larger sources would only slow down the fuzzer.
    if data.len() > 4096 {
        return;
    }
    let Ok(functions) = language.functions(&String::from_utf8_lossy(data)) else { return };
    let cache = |name: &str, capacity| Cache { name: name.to_owned(), capacity, line: 64, ways: 8 };
    let caches = vec![cache("L1", 32768), cache("L2", 1 << 20)];
    let machine = Machine::typical("fuzz", caches).expect("these caches are fine");
    for function in functions.iter().take(4).filter(|function| has_loops(function)) {
        let parameters: Vec<_> = function.symbols.parameters().collect();
        let mut values = Values::named(function, &[]);
        for parameter in parameters {
            if values.get(parameter).is_none() {
                values.set(parameter, 100);
            }
        }
        assert!(missing_parameters(function, &values).is_empty());
        let assumptions = Assumptions {
            machine: &machine,
            compiler: language.default_compiler(),
            start: Start::Warm,
            compiled: None,
        };
        if let Ok(analysed) = analyse(function, &values, assumptions) {
            let prediction = analysed.prediction;
            assert!(prediction.seconds >= 0.0, "{prediction:?}");
            assert!((0.0..=1.0).contains(&prediction.coverage), "{prediction:?}");
        }
    }
}
