//! Renumbers holdings and sources in the order in which a simulation reads them, which is faster.
//!
//! Holdings are added lock by lock, but simulated location by location. Sources on which nothing depends, such as most
//! releases of locks, are not read at all. A simulation keeps a row per awaited source, so these are numbered first.

use super::super::graph::{Dependency, EntryKind, Graph, GraphSource, LockHolding, Need, SourceId};

impl Graph {
    /// Renumbers holdings and sources. All entries must be known and sorted.
    pub(in crate::retime) fn renumber(&mut self) {
        self.order_holdings();
        self.order_sources();
    }

    fn order_holdings(&mut self) {
        let mut numbers = vec![u32::MAX; self.holdings.len()];
        let mut rows: Vec<LockHolding> = Vec::with_capacity(self.holdings.len());
        for entry in self.tables.iter_mut().flat_map(|table| &mut table.entries) {
            if let EntryKind::Acquires { holding } = &mut entry.kind {
                let row = self.holdings[*holding as usize];
                let number = rows.len() as u32;
                numbers[std::mem::replace(holding, number) as usize] = number;
                rows.push(row);
            }
        }
        for entry in self.tables.iter_mut().flat_map(|table| &mut table.entries) {
            if let EntryKind::Releases { holding, .. } = &mut entry.kind {
                *holding = numbers[*holding as usize];
            }
        }
        self.holdings = rows;
    }

    /// Numbers the sources first on which a wait or a hub depends.
    fn order_sources(&mut self) {
        let is_awaited = self.find_awaited();
        self.awaited = is_awaited.iter().filter(|&&it| it).count();
        // If all or none are awaited, the numbers stay as they are.
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

    fn find_awaited(&self) -> Vec<bool> {
        let mut is_awaited: Vec<bool> = self.sources.iter().map(|source| source.hub.is_some()).collect();
        for need in self.tables.iter().flat_map(|table| &table.needs) {
            if let Dependency::Source(source) = need.dependency() {
                is_awaited[source.index()] = true;
            }
        }
        is_awaited
    }

    /// Moves each source to its new number, and changes the numbers in needs and entries.
    fn renumber_sources(&mut self, numbers: &[SourceId]) {
        let mut sources: Vec<GraphSource> = self.sources.clone();
        for (source, number) in self.sources.iter().zip(numbers) {
            sources[number.index()] = *source;
        }
        self.sources = sources;
        for table in &mut self.tables {
            for need in &mut table.needs {
                if let Dependency::Source(source) = need.dependency() {
                    *need = Need::from(numbers[source.index()]);
                }
            }
            for entry in &mut table.entries {
                match &mut entry.kind {
                    EntryKind::Publishes(source)
                    | EntryKind::Releases { source, .. }
                    | EntryKind::Leaves { source, .. }
                    | EntryKind::Posts { source, .. } => *source = numbers[source.index()],
                    EntryKind::Needs { .. }
                    | EntryKind::Completes { .. }
                    | EntryKind::Notices { .. }
                    | EntryKind::Starts { .. }
                    | EntryKind::Acquires { .. }
                    | EntryKind::Enters { .. } => {}
                }
            }
        }
    }
}
