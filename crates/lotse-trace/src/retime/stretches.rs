//! Intervals that become longer or shorter, by location and in the order of time.

use lotse_model::trace::Ticks;

use super::{Change, Stretched};
use crate::near::count_over;

/// The stretched intervals of a change, by location.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    rows: Vec<Vec<Stretched>>,
    /// By location: the index found last. A simulation queries them in the order of time.
    near: Vec<usize>,
}

impl Stretches {
    pub(super) fn new(change: &Change) -> Self {
        let count = change.stretched.iter().map(|it| it.location.index() + 1).max().unwrap_or(0);
        let mut pieces = vec![Vec::new(); count];
        change.stretched.iter().for_each(|it| pieces[it.location.index()].push(*it));
        pieces.iter_mut().for_each(|at_location| at_location.sort_by_key(|it| it.from));
        Self { rows: pieces, near: vec![0; count] }
    }

    /// The stretched intervals that overlap an interval of a location, each with the length of the overlap.
    pub(super) fn within(
        &mut self,
        location: usize,
        from: Ticks,
        to: Ticks,
    ) -> impl Iterator<Item = (&Stretched, Ticks)> {
        let pieces = self.rows.get(location).map_or(&[][..], Vec::as_slice);
        let mut first = 0;
        if let Some(near) = self.near.get_mut(location) {
            *near = count_over(pieces.len(), *near, |row| pieces[row].to <= from);
            first = *near;
        }
        let touching = pieces[first..].iter().take_while(move |it| it.from < to);
        touching.map(move |it| (it, it.to.min(to).saturating_sub(it.from.max(from))))
    }

    /// The new length of an interval of a location; `elapsed` is its length without stretching.
    pub(super) fn apply(&mut self, location: usize, (from, to): (Ticks, Ticks), elapsed: Ticks) -> Ticks {
        self.within(location, from, to).fold(elapsed, |elapsed, (it, ticks)| {
            elapsed.saturating_sub(ticks).saturating_add(it.apply(ticks))
        })
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{LocationId, PathId};

    use super::Stretches;
    use crate::retime::{Change, Stretched};

    #[test]
    fn only_the_overlap_is_stretched() {
        let piece =
            |from, to, becomes| Stretched { location: LocationId(1), path: PathId(0), from, to, becomes };
        let stretched = vec![piece(50, 60, 5), piece(10, 20, 20)];
        let mut stretches = Stretches::new(&Change { stretched, ..Change::none() });
        assert_eq!(stretches.apply(1, (0, 100), 100), 100 + 10 - 5);
        assert_eq!(stretches.apply(1, (15, 52), 37), 37 + 5 - 1);
        assert_eq!(stretches.apply(1, (20, 50), 30), 30);
        assert_eq!(stretches.apply(0, (0, 100), 100), 100);
    }
}
