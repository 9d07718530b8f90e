//! Advances the time of a location.

use lotse_model::trace::Ticks;

use super::factors::UNCHANGED;
use super::{Cursor, Lanes, Simulation};

impl<const N: usize> Simulation<'_, N> {
    /// Skips recorded time that does not count in the simulation.
    pub(super) fn skip(&mut self, location: usize, to: Ticks) {
        let cursor = &mut self.cursors[location];
        cursor.pos = to.max(cursor.pos);
    }

    /// Advances a location by its local work up to a recorded time.
    pub(super) fn advance(&mut self, location: usize, to: Ticks) {
        if to <= self.cursors[location].pos {
            return;
        }
        let (elapsed, step) = self.elapsed(location, to);
        let cursor = &mut self.cursors[location];
        (cursor.pos, cursor.step) = (to, step);
        cursor.clock.iter_mut().zip(elapsed).for_each(|(clock, elapsed)| *clock += elapsed);
    }

    /// How long local work lasts in each lane, from the position of a location to a recorded time; and the timeline step at
    /// that time.
    fn elapsed(&mut self, location: usize, to: Ticks) -> (Lanes<N>, usize) {
        let Cursor { on, pos: from, mut step, .. } = self.cursors[location];
        let mut elapsed = [to.saturating_sub(from); N];
        if self.factors.count() > 1 {
            step = self.sum_groups(location, to);
            for (sum, group) in self.sums.iter_mut().zip(self.factors.groups()).skip(UNCHANGED + 1) {
                if *sum > 0 {
                    group.change(&mut elapsed, *sum);
                    *sum = 0;
                }
            }
        }
        self.pieces.change(&mut elapsed, on, (from, to));
        (elapsed, step)
    }

    /// Sums the time of changed call paths by group up to a recorded time; returns the timeline step at that time.
    fn sum_groups(&mut self, location: usize, to: Ticks) -> usize {
        let Cursor { on, mut pos, mut step, .. } = self.cursors[location];
        let timeline = &self.trace.timelines[on];
        let groups = self.factors.groups_on(on);
        // Skipped time has steps, too.
        while timeline.at.get(step + 1).is_some_and(|&next| next <= pos) {
            step += 1;
        }
        // A location without events may still have sources.
        let Some(&place) = timeline.path.get(step) else { return step };
        let mut group = groups[place.index()] as usize;
        for (&next, &place) in timeline.at[step + 1..].iter().zip(&timeline.path[step + 1..]) {
            if next > to {
                break;
            }
            self.sums[group] += next - pos;
            group = groups[place.index()] as usize;
            (pos, step) = (next, step + 1);
        }
        self.sums[group] += to.saturating_sub(pos);
        self.sums[UNCHANGED] = 0;
        step
    }
}
