//! Delay costs of one location by call path: a sparse table of pages. A location uses few of all call paths, so memory is
//! allocated only for pages that contain a cost.

use lotse_model::id::PathId;

/// Number of paths per page.
const PAGE: usize = 64;

/// Short-term and long-term cost in ticks.
type Cost = (f64, f64);

/// Costs by call path.
#[derive(Debug, Clone, Default)]
pub(super) struct Costs(Vec<Option<Box<[Cost; PAGE]>>>);

impl Costs {
    /// The cost of a path; allocates its page.
    #[inline]
    pub(super) fn cost_mut(&mut self, path: PathId) -> &mut Cost {
        let (page, slot) = (path.index() / PAGE, path.index() % PAGE);
        if page >= self.0.len() {
            self.0.resize(page + 1, None);
        }
        &mut self.0[page].get_or_insert_with(|| Box::new([(0.0, 0.0); PAGE]))[slot]
    }

    /// All paths of the allocated pages, in ascending order; some have no cost.
    pub(super) fn all(&self) -> impl Iterator<Item = (PathId, &Cost)> {
        let pages = self.0.iter().enumerate().filter_map(|(at, page)| Some((at * PAGE, page.as_deref()?)));
        pages.flat_map(|(first, page)| (first..).map(PathId::from).zip(page))
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::PathId;

    use super::Costs;

    #[test]
    fn paths_far_apart_take_little_room_and_keep_their_order() {
        let mut costs = Costs::default();
        costs.cost_mut(PathId(1_000_003)).0 += 2.0;
        costs.cost_mut(PathId(7)).1 += 1.0;
        costs.cost_mut(PathId(1_000_003)).1 += 3.0;
        let all: Vec<_> = costs.all().filter(|(_, cost)| **cost != (0.0, 0.0)).collect();
        assert_eq!(all, [(PathId(7), &(0.0, 1.0)), (PathId(1_000_003), &(2.0, 3.0))]);
        assert_eq!(costs.0.iter().flatten().count(), 2);
    }
}
