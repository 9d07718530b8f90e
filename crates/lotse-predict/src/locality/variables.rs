//! The variables of the paper's power model.
//!
//! X1 is the footprint of the localised loops in per cent of the cache: one iteration of the outermost loop whose iterations fit
//! the cache. As in the paper, it counts the bytes of elements and not those of lines. X2 is the size of all data divided by that
//! of the cache. X3 is the number of iterations of all innermost loops.

use super::LocalityError;
use super::classes::Classes;
use super::footprint::{FootprintAnalysis, IterationPoint};
use super::misses::{typical_index, with_index};
use crate::concrete::{ConcreteNode, Instance};
use crate::count;
use crate::machine::Cache;

/// X1, X2 and X3 of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperVariables {
    /// Footprint of the localised loops in per cent of the cache; the largest one of several nests.
    pub x1: f64,
    /// Size of all data divided by the capacity of the cache.
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
    let footprints = FootprintAnalysis { instance, classes, line: cache.line, regular_only: false };
    let capacity = cache.capacity as f64;
    let all = footprints.footprint(&instance.body, &IterationPoint::new())?.bytes;
    let localised = localised(&footprints, &instance.body, &IterationPoint::new(), capacity)?;
    let x3 = innermost_iterations(instance, &instance.body)?;
    Ok(PaperVariables { x1: 100.0 * localised / capacity, x2: all / capacity, x3 })
}

/// The bytes that one iteration of the outermost loop touches whose iterations fit the cache.
fn localised(
    footprints: &FootprintAnalysis<'_>,
    nodes: &[ConcreteNode],
    point: &IterationPoint,
    capacity: f64,
) -> Result<f64, LocalityError> {
    let mut largest: f64 = 0.0;
    for node in nodes {
        let ConcreteNode::Loop(inner) = node else { continue };
        let Some(range) = footprints.range(inner, point)? else { continue };
        let point = with_index(point, inner, typical_index(range, point.len()));
        let bytes = footprints.footprint(&inner.body, &point)?.bytes;
        let is_innermost = !inner.body.iter().any(|node| matches!(node, ConcreteNode::Loop(_)));
        largest = largest.max(match bytes <= capacity || is_innermost {
            true => bytes,
            false => localised(footprints, &inner.body, &point, capacity)?,
        });
    }
    Ok(largest)
}

fn innermost_iterations(instance: &Instance<'_>, nodes: &[ConcreteNode]) -> Result<f64, LocalityError> {
    let mut sum = 0.0;
    for node in nodes {
        if let ConcreteNode::Loop(inner) = node {
            sum += match inner.body.iter().any(|node| matches!(node, ConcreteNode::Loop(_))) {
                true => innermost_iterations(instance, &inner.body)?,
                false => count::iterations(instance, inner)?.number as f64,
            };
        }
    }
    Ok(sum)
}
