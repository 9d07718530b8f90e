//! Tables of costs that have few rows of their own.

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

/// Costs of few functions, by function.
#[derive(Debug)]
pub(super) struct SparseCosts {
    functions: Vec<FunctionId>,
    rows: Vec<Vec<u64>>,
}

impl SparseCosts {
    /// Costs of functions, each given once.
    pub(super) fn new(mut rows: Vec<(FunctionId, Vec<u64>)>) -> Self {
        rows.sort_unstable_by_key(|(function, _)| *function);
        let (functions, rows) = rows.into_iter().unzip();
        Self { functions, rows }
    }

    /// The rows of a table that differ from those of another one.
    pub(super) fn differences(costs: &Costs, others: &Costs) -> Self {
        let differs = |row: &usize| costs.row(*row) != others.row(*row);
        let rows = (0..costs.rows()).filter(differs);
        Self::new(rows.map(|row| (FunctionId::from(row), costs.row(row).to_vec())).collect())
    }

    fn row(&self, function: FunctionId) -> Option<&[u64]> {
        self.functions.binary_search(&function).ok().map(|at| &*self.rows[at])
    }
}

/// The costs of all functions: those of a sparse table, for other functions those of a dense one.
#[derive(Debug, Clone, Copy)]
pub(in crate::unfold) struct FunctionCosts<'a> {
    /// `None` for zeros.
    pub(super) dense: Option<&'a Costs>,
    pub(super) sparse: Option<&'a SparseCosts>,
}

impl<'a> FunctionCosts<'a> {
    /// The costs of a dense table.
    pub(in crate::unfold) fn dense(costs: &'a Costs) -> Self {
        Self { dense: Some(costs), sparse: None }
    }

    /// The costs of a function; empty for zeros.
    pub(in crate::unfold) fn row(&self, function: FunctionId) -> &'a [u64] {
        let sparse = self.sparse.and_then(|sparse| sparse.row(function));
        sparse.or_else(|| Some(self.dense?.row(function.index()))).unwrap_or(&[])
    }

    /// The functions that have any cost, of the first `count`.
    pub(in crate::unfold) fn functions(&self, count: usize) -> Vec<FunctionId> {
        let any = |function: &FunctionId| self.row(*function).iter().any(|&cost| cost != 0);
        match (self.dense, self.sparse) {
            (None, Some(sparse)) => sparse.functions.iter().copied().filter(any).collect(),
            _ => (0..count).map(FunctionId::from).filter(any).collect(),
        }
    }
}

/// The costs of calls, of which some were cut.
#[derive(Debug, Clone, Copy)]
pub(in crate::unfold) struct CallCosts<'a> {
    pub(super) stated: &'a Costs,
    pub(super) cut: Option<&'a CutRows>,
}

impl<'a> CallCosts<'a> {
    pub(in crate::unfold) fn row(&self, row: usize) -> &'a [u64] {
        self.cut.and_then(|cut| cut.row(row)).unwrap_or_else(|| self.stated.row(row))
    }
}

/// The rows of calls that were cut.
#[derive(Debug)]
pub(super) struct CutRows {
    /// For each row of calls its place in `costs`, or `WHOLE`.
    place: Vec<u32>,
    costs: Costs,
}

/// Marks a row that was not cut.
const WHOLE: u32 = u32::MAX;

impl CutRows {
    /// None of `rows` rows is cut.
    pub(super) fn new(costs: &Costs, rows: usize) -> Self {
        Self { place: vec![WHOLE; rows], costs: Costs::new(costs.width(), costs.signed()) }
    }

    pub(super) fn set(&mut self, row: usize, costs: &[u64]) {
        self.place[row] = self.costs.rows() as u32;
        self.costs.push(costs);
    }

    fn row(&self, row: usize) -> Option<&[u64]> {
        Some(self.place[row]).filter(|&place| place != WHOLE).map(|place| self.costs.row(place as usize))
    }
}
