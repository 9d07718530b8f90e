//! An index from functions to the rows of a table that have them in one column.

use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;

/// For every function its rows, in the order of the table: `rows[starts[f]..starts[f + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adjacency {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Adjacency {
    /// Sorts the row numbers of a column by function (counting sort).
    pub fn new(functions: usize, column: &[FunctionId]) -> Self {
        let mut starts = vec![0_u32; functions + 1];
        for function in column {
            starts[function.index() + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0_u32; column.len()];
        for (row, function) in (0_u32..).zip(column).checked() {
            let place = &mut next[function.index()];
            rows[*place as usize] = row;
            *place += 1;
        }
        Self { starts, rows }
    }

    /// The rows of a function.
    pub fn rows_of(&self, function: FunctionId) -> &[u32] {
        &self.rows[self.starts[function.index()] as usize..self.starts[function.index() + 1] as usize]
    }

    /// How many functions.
    pub fn functions(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::FunctionId;

    use super::Adjacency;

    #[test]
    fn rows_stand_with_their_function_in_order() {
        let column = [2, 0, 2, 1, 0].map(FunctionId);
        let adjacency = Adjacency::new(4, &column);
        let rows: Vec<&[u32]> = (0..4).map(|id| adjacency.rows_of(FunctionId(id))).collect();
        assert_eq!(rows, [&[1, 4][..], &[3], &[0, 2], &[]]);
    }
}
