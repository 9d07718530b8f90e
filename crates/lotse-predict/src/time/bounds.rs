//! What data decide about the time of a loop: reasons with their lines, and the best and the worst case together.

use super::tree::Row;
use super::{LoopTime, Prediction};
use crate::concrete::{Instance, Touch};
use crate::nest::{Place, Refusal};

/// Times of one loop in the best and the worst case that differ by less are one time.
const SAME: f64 = 1.02;

/// Why data decide about the time of a loop, without the loops in it.
pub(super) fn reasons(instance: &Instance<'_>, row: &Row<'_>) -> Vec<(Place, String)> {
    let mut found = Vec::new();
    let mut add = |place: Place, text: String| {
        if !found.contains(&(place, text.clone())) {
            found.push((place, text));
        }
    };
    let refusals = |list: &[Refusal], add: &mut dyn FnMut(Place, String)| {
        list.iter().for_each(|refusal| add(refusal.place, refusal.reason.clone()));
    };
    refusals(&row.source.exits, &mut add);
    let conditions = |list: &[Refusal], add: &mut dyn FnMut(Place, String)| {
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

fn scattered(instance: &Instance<'_>, touch: &Touch) -> Option<String> {
    let scattered = touch.scattered.as_ref()?;
    let array = instance.function.arrays.get(touch.array.0).map_or("an array", |array| array.name.as_str());
    let size = match scattered.within {
        Some(bytes) => format!("at most {bytes} bytes of it can be selected"),
        None => format!("and the size of {array} is not known"),
    };
    Some(format!("data select the element of {array} ({}), {size}", scattered.reason))
}

/// Whether nothing shows which elements data can select, so that only bounds of the time are known.
pub(super) fn selects_unknown(row: &Row<'_>) -> bool {
    let unknown =
        |touch: &Touch| touch.scattered.as_ref().is_some_and(|scattered| scattered.within.is_none());
    row.statements.iter().any(|(statement, _)| statement.touches.iter().any(unknown))
}

impl Prediction {
    /// What data decide about, with the lines, each once.
    pub fn because(&self) -> Vec<&(Place, String)> {
        let mut found: Vec<&(Place, String)> = Vec::new();
        for reason in self.loops.iter().flat_map(|time| &time.because) {
            if !found.contains(&reason) {
                found.push(reason);
            }
        }
        found
    }
}

impl LoopTime {
    /// Adds the best and the worst case. Where only these are known, the estimate is their geometric mean.
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

    /// Whether data decide about the time.
    pub fn is_bounded(&self) -> bool {
        self.range.0 < self.range.1
    }
}
