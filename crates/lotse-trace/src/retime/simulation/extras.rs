//! Time that is inserted before requests of locks.
//!
//! A change that moves work out of locks has a row for nearly every request, and every location reads its rows in order:
//! so each search begins at the row found last.

use lotse_model::trace::Ticks;

use super::super::Change;
use crate::near::count_over;
use crate::store::CallRef;

/// The inserted time by requesting call.
#[derive(Debug, Default)]
pub(super) struct Extras {
    /// By location: calls with their time, sorted, each once.
    rows: Vec<Vec<(u32, Ticks)>>,
    /// By location: the index found last.
    near: Vec<usize>,
}

impl Extras {
    pub(super) fn new(changes: &[&Change]) -> Self {
        let inserted = || changes.iter().flat_map(|change| &change.inserted);
        let count = inserted().map(|extra| extra.before.location.index() + 1).max().unwrap_or(0);
        let mut rows = vec![Vec::new(); count];
        inserted().for_each(|it| rows[it.before.location.index()].push((it.before.call, it.ticks)));
        rows.iter_mut().for_each(summed);
        Self { near: vec![0; count], rows }
    }

    /// The time that is inserted before a call.
    pub(super) fn before(&mut self, call: CallRef) -> Ticks {
        let location = call.location.index();
        let Some(rows) = self.rows.get(location) else { return 0 };
        let at = count_over(rows.len(), self.near[location], |row| rows[row].0 < call.call);
        self.near[location] = at;
        rows.get(at).filter(|row| row.0 == call.call).map_or(0, |row| row.1)
    }
}

/// Sorts rows by call, and adds up those of one call.
fn summed(rows: &mut Vec<(u32, Ticks)>) {
    rows.sort_by_key(|row| row.0);
    rows.dedup_by(|next, first| {
        let is_same = next.0 == first.0;
        if is_same {
            first.1 += next.1;
        }
        is_same
    });
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{LocationId, PathId};

    use super::Extras;
    use crate::retime::{Change, Extra};
    use crate::store::CallRef;

    #[test]
    fn times_of_a_call_are_summed_in_any_order_of_calls() {
        let at = |location, call| CallRef { location: LocationId(location), call };
        let extra = |location, call, ticks| Extra { before: at(location, call), path: PathId(0), ticks };
        let inserted = vec![extra(1, 7, 10), extra(1, 3, 5), extra(1, 7, 1), extra(0, 7, 100)];
        let mut extras = Extras::new(&[&Change { inserted, ..Change::none() }]);
        let calls = [at(1, 7), at(1, 3), at(1, 4), at(1, 9), at(1, 0), at(0, 7), at(5, 7)];
        assert_eq!(calls.map(|call| extras.before(call)), [11, 5, 0, 0, 0, 100, 0]);
    }
}
