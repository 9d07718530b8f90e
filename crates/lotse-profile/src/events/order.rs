//! In which order definitions can be worked out, and which need each other in a circle.

use std::collections::HashMap;

/// The order of things that need others.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// What is needed comes before what needs it.
    pub(super) sorted: Vec<usize>,
    /// The circle that something is part of.
    pub(super) circles: HashMap<usize, Vec<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the path from where the search began; so far from the start of it.
    Open(usize),
    Done,
}

impl Order {
    /// `needs[i]` are the things that `i` needs.
    pub(super) fn new(needs: &[Vec<usize>]) -> Self {
        let mut order = Self::default();
        let mut states = vec![State::New; needs.len()];
        for start in 0..needs.len() {
            order.visit(start, needs, &mut states);
        }
        order
    }

    /// Depth first, without recursion: definitions may build upon each other as far as they like.
    fn visit(&mut self, start: usize, needs: &[Vec<usize>], states: &mut [State]) {
        let mut path: Vec<(usize, std::slice::Iter<'_, usize>)> = Vec::new();
        let mut next = Some(start).filter(|&start| states[start] == State::New);
        loop {
            if let Some(entered) = next.take() {
                states[entered] = State::Open(path.len());
                path.push((entered, needs[entered].iter()));
            }
            let Some((last, rest)) = path.last_mut() else { return };
            match rest.next() {
                None => {
                    states[*last] = State::Done;
                    self.sorted.push(*last);
                    path.pop();
                }
                Some(&needed) => match states[needed] {
                    State::New => next = Some(needed),
                    State::Done => {}
                    State::Open(depth) => {
                        self.circle(path[depth..].iter().map(|(member, _)| *member).collect())
                    }
                },
            }
        }
    }

    fn circle(&mut self, circle: Vec<usize>) {
        for &member in &circle {
            self.circles.entry(member).or_insert_with(|| circle.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn what_is_needed_comes_first() {
        let order = Order::new(&[vec![2, 1], vec![3], vec![1], vec![]]);
        assert_eq!(order.sorted, [3, 1, 2, 0]);
        assert!(order.circles.is_empty());
    }

    #[test]
    fn circles_are_found_and_nothing_else_suffers() {
        let order = Order::new(&[vec![1], vec![2], vec![1], vec![3], vec![]]);
        assert_eq!(order.sorted.len(), 5);
        assert_eq!(order.circles.get(&1), Some(&vec![1, 2]));
        assert_eq!(order.circles.get(&3), Some(&vec![3]));
        assert!(!order.circles.contains_key(&0) && !order.circles.contains_key(&4));
    }

    #[test]
    fn a_long_chain_is_no_problem() {
        let needs: Vec<Vec<usize>> =
            (0..200_000_usize).map(|index| index.checked_sub(1).into_iter().collect()).collect();
        let order = Order::new(&needs);
        assert_eq!((order.sorted.len(), order.circles.len()), (200_000, 0));
    }
}
