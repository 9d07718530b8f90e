//! Misses of elements whose subscripts depend on data.
//!
//! If the source shows which elements can be selected, R lines of them, all are assumed to be equally likely. Then E accesses
//! touch R (1 - exp(-E / R)) different lines, and a line that was touched before is still in a cache of C lines with a
//! probability of at most C / R. The data may be better (always the same element) or worse (never an element that is still in the
//! cache), so bounds are given as well. If nothing is known about the elements, there are only bounds.

use std::collections::BTreeSet;

use super::classes::{ClassId, Classes};
use super::footprint::{collect, selectable};
use super::{LocalityError, Start};
use crate::concrete::{Instance, Touch};
use crate::count;
use crate::machine::Cache;

/// Share of a cache that is available to these elements beside the stack, code and other data.
const SHARE: f64 = 0.75;

/// Misses of elements whose subscripts depend on data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScatteredMisses {
    /// If the data always select the same element.
    pub least: f64,
    /// If all elements that can be selected are equally likely; `None` if it is unknown which ones can be selected.
    pub typical: Option<f64>,
    /// If the data never select a line that is still in the cache.
    pub most: f64,
}

/// The misses of one class; `regular` is the number of misses of all affine accesses of the function.
pub(super) fn scattered_misses(
    instance: &Instance<'_>,
    (classes, id): (&Classes, ClassId),
    cache: &Cache,
    (start, regular): (Start, f64),
) -> Result<ScatteredMisses, LocalityError> {
    let mut touches: Vec<&Touch> = Vec::new();
    collect(&instance.body, &mut |touch| {
        if classes.id_of(touch) == Some(id) {
            touches.push(touch);
        }
    });
    let mut seen = BTreeSet::new();
    let mut accesses = 0.0;
    for touch in &touches {
        if touch.scattered.as_ref().is_none_or(|scattered| seen.insert(scattered.element)) {
            accesses += count::points_of(instance, &touch.domain)?.number as f64;
        }
    }
    let lines = selectable(touches.into_iter()).map(|bytes| (bytes / cache.line as f64).ceil().max(1.0));
    // Streams of affine accesses occupy a part of the cache in proportion to their misses.
    let available = SHARE * cache.lines() as f64 * accesses / (accesses + regular).max(1.0);
    Ok(ScatteredMisses::new(accesses, lines, available, start))
}

impl ScatteredMisses {
    /// The misses of so many accesses to `lines` different lines, with room for `available` lines in the cache.
    fn new(accesses: f64, lines: Option<f64>, available: f64, start: Start) -> Self {
        let first = |lines: f64| match start {
            Start::Cold => lines,
            Start::Warm => 0.0,
        };
        let least = first(accesses.min(1.0));
        let Some(lines) = lines else { return Self { least, typical: None, most: accesses } };
        let different = lines * (1.0 - (-accesses / lines).exp());
        let hit = (available / lines).min(1.0);
        if hit >= 1.0 {
            return Self { least, typical: Some(first(different)), most: first(lines.min(accesses)) };
        }
        let first_touches = different * (1.0 - hit) + hit * first(different);
        let repeated = (accesses - different).max(0.0) * (1.0 - hit);
        Self { least, typical: Some(first_touches + repeated), most: accesses }
    }
}

#[cfg(test)]
mod tests {
    use super::ScatteredMisses;
    use crate::locality::Start;

    /// A table that fits is fetched once, or not at all in a warm cache; half of the accesses to a table of twice the cache size miss.
    #[test]
    fn tables_that_fit_and_tables_that_do_not() {
        let small = |start| ScatteredMisses::new(1e6, Some(16.0), 500.0, start);
        assert_eq!(small(Start::Warm), ScatteredMisses { least: 0.0, typical: Some(0.0), most: 0.0 });
        let cold = small(Start::Cold);
        assert!((cold.typical.unwrap() - 16.0).abs() < 1e-6 && cold.most == 16.0 && cold.least == 1.0);
        let large = ScatteredMisses::new(1e6, Some(1000.0), 500.0, Start::Warm);
        assert!((large.typical.unwrap() / 5e5 - 1.0).abs() < 0.01, "{large:?}");
        assert_eq!((large.least, large.most), (0.0, 1e6));
        let unknown = ScatteredMisses::new(1e6, None, 500.0, Start::Warm);
        assert_eq!(unknown, ScatteredMisses { least: 0.0, typical: None, most: 1e6 });
    }

    /// Few accesses to a large table touch nearly as many different lines.
    #[test]
    fn few_accesses_meet_different_lines() {
        let cold = ScatteredMisses::new(100.0, Some(1e6), 500.0, Start::Cold);
        assert!((cold.typical.unwrap() - 100.0).abs() < 0.1, "{cold:?}");
    }
}
