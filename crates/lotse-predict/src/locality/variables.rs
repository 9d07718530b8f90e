//! The variables of the paper's power model.
//!
//! X1 is the footprint of the localised loops in per cent of the cache: the data, in bytes of elements as in the paper, of one
//! iteration of the outermost loop whose iterations fit. X2 is all data in units of the cache, X3 the iterations of all
//! innermost loops.

use super::LocalityError;
use super::classes::Classes;
use super::footprint::{Point, View};
use super::misses::{typical, with};
use crate::concrete::{Instance, Item};
use crate::count;
use crate::machine::Cache;

/// X1, X2 and X3 of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperVariables {
    /// Locality, in per cent of the cache. Of several nests the largest.
    pub x1: f64,
    /// Data in units of the cache.
    pub x2: f64,
    /// Iterations of innermost loops.
    pub x3: f64,
}

/// The variables of a function for one cache.
pub fn paper_variables(
    instance: &Instance<'_>,
    classes: &Classes,
    cache: &Cache,
) -> Result<PaperVariables, LocalityError> {
    let view = View { instance, classes, line: cache.line, regular_only: false };
    let capacity = cache.capacity as f64;
    let all = view.footprint(&instance.body, &Point::new())?.bytes;
    let localised = localised(&view, &instance.body, &Point::new(), capacity)?;
    let x3 = innermost_iterations(instance, &instance.body)?;
    Ok(PaperVariables { x1: 100.0 * localised / capacity, x2: all / capacity, x3 })
}

fn localised(view: &View<'_>, items: &[Item], point: &Point, capacity: f64) -> Result<f64, LocalityError> {
    let mut largest: f64 = 0.0;
    for item in items {
        let Item::Loop(inner) = item else { continue };
        let Some(range) = view.range(inner, point)? else { continue };
        let point = with(point, inner, typical(range, point.len()));
        let bytes = view.footprint(&inner.body, &point)?.bytes;
        let is_innermost = !inner.body.iter().any(|item| matches!(item, Item::Loop(_)));
        largest = largest.max(match bytes <= capacity || is_innermost {
            true => bytes,
            false => localised(view, &inner.body, &point, capacity)?,
        });
    }
    Ok(largest)
}

fn innermost_iterations(instance: &Instance<'_>, items: &[Item]) -> Result<f64, LocalityError> {
    let mut sum = 0.0;
    for item in items {
        if let Item::Loop(inner) = item {
            sum += match inner.body.iter().any(|item| matches!(item, Item::Loop(_))) {
                true => innermost_iterations(instance, &inner.body)?,
                false => count::iterations(instance, inner)?.number as f64,
            };
        }
    }
    Ok(sum)
}
