//! Rows are numbered in the order in which a changed run comes to them.
//!
//! Holdings are made lock by lock, but played location by location; sources are made record by record, but those that
//! nobody needs, such as most releases of locks, are not looked at again. A run keeps a row for each source that is
//! needed, so these come first.

use super::super::graph::{Dependency, Graph, Holding, Need, Source, SourceId, What};

impl Graph {
    /// Numbers holdings and sources anew, when all entries are known and sorted.
    pub(in crate::retime) fn put_in_order(&mut self) {
        self.order_holdings();
        self.order_sources();
    }

    fn order_holdings(&mut self) {
        let mut numbers = vec![u32::MAX; self.holdings.len()];
        let mut rows: Vec<Holding> = Vec::with_capacity(self.holdings.len());
        for entry in self.lines.iter_mut().flat_map(|line| &mut line.entries) {
            if let What::Acquires { holding } = &mut entry.what {
                let row = self.holdings[*holding as usize];
                let number = rows.len() as u32;
                numbers[std::mem::replace(holding, number) as usize] = number;
                rows.push(row);
            }
        }
        for entry in self.lines.iter_mut().flat_map(|line| &mut line.entries) {
            if let What::Releases { holding, .. } = &mut entry.what {
                *holding = numbers[*holding as usize];
            }
        }
        self.holdings = rows;
    }

    /// Puts the sources that a wait or a meeting needs first.
    fn order_sources(&mut self) {
        let is_awaited = self.which_are_awaited();
        self.awaited = is_awaited.iter().filter(|&&it| it).count();
        // Where all or none are needed, the numbers stay as they are.
        if self.awaited == self.sources.len() || self.awaited == 0 {
            return;
        }
        let (mut needed, mut others) = (0, self.awaited);
        let number = |&is_awaited: &bool| {
            let next = if is_awaited { &mut needed } else { &mut others };
            *next += 1;
            SourceId::from_index(*next - 1)
        };
        let numbers: Vec<SourceId> = is_awaited.iter().map(number).collect();
        self.renumber_sources(&numbers);
    }

    fn which_are_awaited(&self) -> Vec<bool> {
        let mut is_awaited: Vec<bool> = self.sources.iter().map(|source| source.hub.is_some()).collect();
        for need in self.lines.iter().flat_map(|line| &line.needs) {
            if let Dependency::Source(source) = need.dependency() {
                is_awaited[source.index()] = true;
            }
        }
        is_awaited
    }

    fn renumber_sources(&mut self, numbers: &[SourceId]) {
        let mut sources: Vec<Source> = self.sources.clone();
        for (source, number) in self.sources.iter().zip(numbers) {
            sources[number.index()] = *source;
        }
        self.sources = sources;
        for line in &mut self.lines {
            for need in &mut line.needs {
                if let Dependency::Source(source) = need.dependency() {
                    *need = Need::from(numbers[source.index()]);
                }
            }
            for entry in &mut line.entries {
                match &mut entry.what {
                    What::Gives(source)
                    | What::Releases { source, .. }
                    | What::Leaves { source, .. }
                    | What::Posts { source, .. } => *source = numbers[source.index()],
                    What::Needs { .. }
                    | What::Completes { .. }
                    | What::Notices { .. }
                    | What::Starts { .. }
                    | What::Acquires { .. }
                    | What::Enters { .. } => {}
                }
            }
        }
    }
}
