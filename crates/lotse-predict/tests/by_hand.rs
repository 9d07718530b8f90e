//! Footprints, misses, iterations and operations, compared with numbers worked out by hand for each nest.
//!
//! The machine is small, so that numbers stay readable: a first cache of 4 KiB (64 lines of 64 bytes) and a second one of 64 KiB
//! (1024 lines). The comment of each nest explains its numbers.

#![expect(clippy::unwrap_used, reason = "a failure of the analysis is a failure of the test")]

use lotse_predict::concrete::{Instance, Values};
use lotse_predict::locality::{Classes, Start, cache_misses, loop_footprints};
use lotse_predict::machine::{Cache, Machine};
use lotse_predict::question::{Language, analyse};
use lotse_predict::time::Assumptions;

/// A nest and its expected numbers.
struct Nest {
    name: &'static str,
    language: Language,
    source: &'static str,
    values: &'static [(&'static str, i64)],
    /// Distinct bytes of one execution of each loop, the outermost first.
    bytes: &'static [f64],
    /// Distinct lines of one execution of the outermost loop, with a tolerance for the alignment of arrays.
    lines: (f64, f64),
    /// Total iterations of each loop.
    iterations: &'static [f64],
    /// Misses of the first and of the second cache, which are empty at the beginning.
    misses: [f64; 2],
    /// Accepted relative error of the misses.
    tolerance: f64,
}

fn caches() -> Vec<Cache> {
    let cache = |name: &str, capacity| Cache { name: name.to_owned(), capacity, line: 64, ways: 8 };
    vec![cache("L1", 4096), cache("L2", 65536)]
}

fn check(nest: &Nest) {
    let Nest { name, values, bytes, lines, iterations, misses, tolerance, .. } = nest;
    let function = nest.language.functions(nest.source).unwrap().remove(0);
    let values = Values::named(&function, values);
    let instance = Instance::new(&function, &values);
    assert_eq!(instance.refusals, [], "{name}");
    let classes = Classes::new(&instance);
    let found = loop_footprints(&instance, &classes, 64).unwrap();
    assert_eq!(found.len(), bytes.len(), "{name}: loops");
    for (index, (expected, (_, footprint))) in bytes.iter().zip(&found).enumerate() {
        let got = footprint.bytes;
        assert!(
            (got - expected).abs() <= 0.5 + 5e-4 * expected,
            "{name}, loop {index}: {got} bytes instead of {expected}"
        );
    }
    let all = found[0].1.lines;
    assert!((all - lines.0).abs() <= lines.1, "{name}: {all} lines instead of {}", lines.0);
    for (cache, expected) in caches().iter().zip(misses) {
        let got = cache_misses(&instance, &classes, cache, Start::Cold).unwrap().total;
        let close = (got - expected).abs() <= tolerance * expected + 2.0;
        assert!(close, "{name}, {}: {got} misses instead of {expected}", cache.name);
    }
    let machine = Machine::typical("small", caches()).unwrap();
    let assumptions = Assumptions {
        machine: &machine,
        compiler: nest.language.default_compiler(),
        start: Start::Cold,
        compiled: None,
    };
    let loops = analyse(&function, &values, assumptions).unwrap().prediction.loops;
    let counted: Vec<f64> = loops.iter().map(|time| time.iterations).collect();
    assert_eq!(counted, *iterations, "{name}: iterations");
}

fn check_all(nests: &[Nest]) {
    nests.iter().for_each(check);
}

mod by_hand {
    pub(super) mod matrices;
    pub(super) mod shapes;
    pub(super) mod slices;
    pub(super) mod vectors;
}

#[test]
fn vectors() {
    check_all(by_hand::vectors::NESTS);
}

#[test]
fn matrices() {
    check_all(by_hand::matrices::NESTS);
}

#[test]
fn triangles_tiles_and_imperfect_nests() {
    check_all(by_hand::shapes::NESTS);
}

#[test]
fn slices_of_rust() {
    check_all(by_hand::slices::NESTS);
}

/// At least a dozen nests besides the tiled product, in both languages.
#[test]
fn there_are_enough_of_them() {
    use by_hand::{matrices, shapes, slices, vectors};
    let all = [vectors::NESTS, matrices::NESTS, shapes::NESTS, slices::NESTS];
    assert!(all.iter().map(|nests| nests.len()).sum::<usize>() >= 30);
}
