//! How the time of a loop depends on data: reasons with their lines, and the range from the best to the worst case.

use super::tree::LoopRow;
use super::{LoopTime, Prediction};
use crate::concrete::{Instance, Touch};
use crate::nest::{Refusal, SourcePosition};

/// If the worst case takes at most this many times the best case, the time counts as independent of data.
const SAME: f64 = 1.02;

/// Why the time of a loop, without the loops inside it, depends on data.
pub(super) fn reasons(instance: &Instance<'_>, row: &LoopRow<'_>) -> Vec<(SourcePosition, String)> {
    let mut found = Vec::new();
    let mut add = |place: SourcePosition, text: String| {
        if !found.contains(&(place, text.clone())) {
            found.push((place, text));
        }
    };
    let refusals = |list: &[Refusal], add: &mut dyn FnMut(SourcePosition, String)| {
        list.iter().for_each(|refusal| add(refusal.place, refusal.reason.clone()));
    };
    refusals(&row.source.exits, &mut add);
    let conditions = |list: &[Refusal], add: &mut dyn FnMut(SourcePosition, String)| {
        list.iter()
            .for_each(|refusal| add(refusal.place, format!("a condition decides: {}", refusal.reason)));
    };
    conditions(&row.source.conditions, &mut add);
    for (statement, _) in &row.statements {
        conditions(&statement.conditions, &mut add);
        statement.touches.iter().for_each(|touch| {
            if let Some(text) = scattered(instance, touch) {
                add(statement.place, text);
            }
        });
    }
    found
}

/// The reason for an access whose subscript depends on data, and what is known about the size of the array.
fn scattered(instance: &Instance<'_>, touch: &Touch) -> Option<String> {
    let scattered = touch.scattered.as_ref()?;
    let array = instance.function.arrays.get(touch.array.0).map_or("an array", |array| array.name.as_str());
    let size = match scattered.within {
        Some(bytes) => format!("at most {bytes} bytes of it can be selected"),
        None => format!("and the size of {array} is not known"),
    };
    Some(format!("data select the element of {array} ({}), {size}", scattered.reason))
}

/// Whether the loop accesses an element about whose range nothing is known, so that only bounds of the time are known.
pub(super) fn selects_unknown(row: &LoopRow<'_>) -> bool {
    let unknown =
        |touch: &Touch| touch.scattered.as_ref().is_some_and(|scattered| scattered.within.is_none());
    row.statements.iter().any(|(statement, _)| statement.touches.iter().any(unknown))
}

impl Prediction {
    /// Where and why the time depends on data, without duplicates.
    pub fn because(&self) -> Vec<&(SourcePosition, String)> {
        let mut found: Vec<&(SourcePosition, String)> = Vec::new();
        for reason in self.loops.iter().flat_map(|time| &time.because) {
            if !found.contains(&reason) {
                found.push(reason);
            }
        }
        found
    }
}

impl LoopTime {
    /// The time with the range from the best to the worst case. If `only_bounds` are known, the estimate is their geometric mean.
    pub(super) fn with_range(mut self, least: &Self, most: &Self, only_bounds: bool) -> Self {
        let low = least.seconds.min(self.seconds);
        let high = most.seconds.max(self.seconds);
        if high <= SAME * low {
            self.because.clear();
            return self;
        }
        if only_bounds && low > 0.0 {
            let middle = (low * high).sqrt();
            let factor = middle / self.seconds;
            self.seconds = middle;
            (self.computing, self.transferring) = (self.computing * factor, self.transferring * factor);
        }
        self.range = (low, high);
        self
    }

    /// Whether the time depends on data.
    pub fn is_bounded(&self) -> bool {
        self.range.0 < self.range.1
    }
}
