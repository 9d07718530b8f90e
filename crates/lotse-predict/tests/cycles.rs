//! Cycles per iteration, compared with numbers worked out by hand from the constants: floating-point additions and multiplications
//! have a latency of 4 cycles, and two of them start per cycle; 5 instructions are decoded per cycle. The data fit the first cache.

#![expect(clippy::unwrap_used, reason = "a failure of the analysis is a failure of the test")]

use lotse_predict::concrete::Values;
use lotse_predict::locality::Start;
use lotse_predict::machine::{Cache, Machine};
use lotse_predict::question::{Language, analyse};
use lotse_predict::time::{Assumptions, Compiler, LoopTime};

/// A loop and the expected cycles per iteration with gcc -O2.
struct Timed {
    name: &'static str,
    source: &'static str,
    cycles: f64,
    limit: &'static str,
    lanes: f64,
}

/// Accepted error of the cycles per iteration, because the expected numbers leave out the cost of entering the loop.
const TOLERANCE: f64 = 0.05;

fn innermost(timed: &Timed) -> (LoopTime, f64) {
    let cache = |name: &str, capacity| Cache { name: name.to_owned(), capacity, line: 64, ways: 8 };
    let machine = Machine::typical("test", vec![cache("L1", 65536), cache("L2", 1 << 20)]).unwrap();
    let function = Language::C.functions(timed.source).unwrap().remove(0);
    let values = Values::named(&function, &[("n", 1000)]);
    let assumptions =
        Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None };
    let analysed = analyse(&function, &values, assumptions).unwrap();
    assert_eq!(analysed.refused, [], "{}", timed.name);
    let time = analysed.prediction.loops.into_iter().next().unwrap();
    let cycles = time.computing * machine.core.clock_ghz * 1e9 / time.iterations;
    (time, cycles)
}

fn check(loops: &[Timed]) {
    let mut wrong = Vec::new();
    for timed in loops {
        let (time, cycles) = innermost(timed);
        let close = (cycles - timed.cycles).abs() <= TOLERANCE + 0.01 * timed.cycles;
        if !close || time.limit.name() != timed.limit || time.lanes != timed.lanes {
            let Timed { name, cycles: expected, .. } = timed;
            wrong.push(format!(
                "{name}: {cycles:.3} instead of {expected}, {}: {}",
                time.limit.name(),
                time.why
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

mod cycles {
    pub(super) mod chains;
    pub(super) mod units;
    pub(super) mod vectors;
}

#[test]
fn chains() {
    check(cycles::chains::LOOPS);
}

#[test]
fn units() {
    check(cycles::units::LOOPS);
}

#[test]
fn vectors() {
    check(cycles::vectors::LOOPS);
}
