//! Costs inside one function: selected from the profile, or read from the file now.

use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::id::FunctionId;
use lotse_model::profile::{CallSites, Costs, Detail, Details, Jumps, LineCosts};

use crate::error::FormatError;
use crate::profile::callgrind;

/// The costs inside a function, of all parts, in the order of the file. `source` is the source that the profile was
/// read from, [unpacked](crate::unpack()).
pub fn detail(source: &dyn Source, profile: &Profile, function: FunctionId) -> Result<Detail, FormatError> {
    match &profile.details {
        Details::Loaded(whole) => Ok(detail_of_function(whole, function)),
        Details::OnDemand(places) => callgrind::expand(source, profile, places, function),
    }
}

fn detail_of_function(all: &Detail, function: FunctionId) -> Detail {
    Detail {
        lines: lines(&all.lines, function),
        sites: sites(&all.sites, function),
        jumps: jumps(&all.jumps, function),
    }
}

fn rows(column: &[FunctionId], function: FunctionId) -> Vec<usize> {
    (0..column.len()).filter(|&row| column[row] == function).collect()
}

fn pick<T: Copy>(column: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| column[row]).collect()
}

fn pick_costs(costs: &Costs, rows: &[usize]) -> Costs {
    let mut picked = Costs::new(costs.width(), costs.signed());
    rows.iter().for_each(|&row| picked.push(costs.row(row)));
    picked
}

fn lines(all: &LineCosts, function: FunctionId) -> LineCosts {
    let rows = rows(&all.function, function);
    LineCosts {
        function: pick(&all.function, &rows),
        part: pick(&all.part, &rows),
        place: pick(&all.place, &rows),
        costs: pick_costs(&all.costs, &rows),
    }
}

fn sites(all: &CallSites, function: FunctionId) -> CallSites {
    let rows = rows(&all.caller, function);
    CallSites {
        caller: pick(&all.caller, &rows),
        callee: pick(&all.callee, &rows),
        part: pick(&all.part, &rows),
        place: pick(&all.place, &rows),
        target: pick(&all.target, &rows),
        count: pick(&all.count, &rows),
        costs: pick_costs(&all.costs, &rows),
    }
}

fn jumps(all: &Jumps, function: FunctionId) -> Jumps {
    let rows = rows(&all.function, function);
    Jumps {
        function: pick(&all.function, &rows),
        part: pick(&all.part, &rows),
        from: pick(&all.from, &rows),
        to: pick(&all.to, &rows),
        into: pick(&all.into, &rows),
        executed: pick(&all.executed, &rows),
        taken: pick(&all.taken, &rows),
        conditional: pick(&all.conditional, &rows),
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::bytes::Memory;
    use lotse_model::id::{FileId, FunctionId, PartId};
    use lotse_model::profile::{CodePosition, Costs, Detail, Details, LineCosts, Profile};

    use super::detail;

    #[test]
    fn only_the_rows_of_the_function_are_kept() {
        let place = |line| CodePosition { file: FileId(1), line, address: 0 };
        let lines = LineCosts {
            function: vec![FunctionId(0), FunctionId(1), FunctionId(0)],
            part: vec![PartId(0); 3],
            place: vec![place(1), place(2), place(3)],
            costs: Costs::from_cells(2, false, vec![1, 2, 3, 4, 5, 6]),
        };
        let details = Details::Loaded(Box::new(Detail { lines, ..Detail::default() }));
        let profile = Profile { details, ..Profile::default() };
        let found = detail(&Memory { name: "x", bytes: b"" }, &profile, FunctionId(0)).unwrap();
        assert_eq!(found.lines.place, [place(1), place(3)]);
        assert_eq!(found.lines.costs.cells(), [1, 2, 5, 6]);
    }
}
