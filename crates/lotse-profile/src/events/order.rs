//! Sorts definitions by dependency, and finds circular ones.

use std::collections::HashMap;

/// An order in which every definition comes after those that it needs.
#[derive(Debug, Default)]
pub(super) struct EvaluationOrder {
    pub(super) sorted: Vec<usize>,
    /// For each definition that is part of a circle, the members of the circle.
    pub(super) circles: HashMap<usize, Vec<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    /// On the current path of the search, at this depth.
    Open(usize),
    Done,
}

impl EvaluationOrder {
    /// `needs[i]` are the definitions that definition `i` needs.
    pub(super) fn new(needs: &[Vec<usize>]) -> Self {
        let mut order = Self::default();
        let mut states = vec![VisitState::New; needs.len()];
        for start in 0..needs.len() {
            order.visit(start, needs, &mut states);
        }
        order
    }

    /// Depth-first search without recursion, because chains of definitions may be arbitrarily long.
    fn visit(&mut self, start: usize, needs: &[Vec<usize>], states: &mut [VisitState]) {
        let mut path: Vec<(usize, std::slice::Iter<'_, usize>)> = Vec::new();
        let mut next = Some(start).filter(|&start| states[start] == VisitState::New);
        loop {
            if let Some(entered) = next.take() {
                states[entered] = VisitState::Open(path.len());
                path.push((entered, needs[entered].iter()));
            }
            let Some((last, rest)) = path.last_mut() else { return };
            match rest.next() {
                None => {
                    states[*last] = VisitState::Done;
                    self.sorted.push(*last);
                    path.pop();
                }
                Some(&needed) => match states[needed] {
                    VisitState::New => next = Some(needed),
                    VisitState::Done => {}
                    VisitState::Open(depth) => {
                        self.add_circle(path[depth..].iter().map(|(member, _)| *member).collect())
                    }
                },
            }
        }
    }

    fn add_circle(&mut self, circle: Vec<usize>) {
        for &member in &circle {
            self.circles.entry(member).or_insert_with(|| circle.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EvaluationOrder;

    #[test]
    fn what_is_needed_comes_first() {
        let order = EvaluationOrder::new(&[vec![2, 1], vec![3], vec![1], vec![]]);
        assert_eq!(order.sorted, [3, 1, 2, 0]);
        assert!(order.circles.is_empty());
    }

    #[test]
    fn circles_are_found_and_nothing_else_suffers() {
        let order = EvaluationOrder::new(&[vec![1], vec![2], vec![1], vec![3], vec![]]);
        assert_eq!(order.sorted.len(), 5);
        assert_eq!(order.circles.get(&1), Some(&vec![1, 2]));
        assert_eq!(order.circles.get(&3), Some(&vec![3]));
        assert!(!order.circles.contains_key(&0) && !order.circles.contains_key(&4));
    }

    #[test]
    fn a_long_chain_is_no_problem() {
        let needs: Vec<Vec<usize>> =
            (0..200_000_usize).map(|index| index.checked_sub(1).into_iter().collect()).collect();
        let order = EvaluationOrder::new(&needs);
        assert_eq!((order.sorted.len(), order.circles.len()), (200_000, 0));
    }
}
