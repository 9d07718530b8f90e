//! Data structures with their costs, identified by the place that allocates them.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FrameId, PartId};
use lotse_model::profile::{Access, Costs};
use lotse_model::progress::Checked as _;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{DiagnosticAnswer, EventAnswer};
use crate::events::{Column, Cost, CostRow, ranking};
use crate::look_through::cut_stacks;
use crate::names::display;

mod sites;

/// Which allocations count as the same data structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StructureGrouping {
    /// Those at the same place: the same function and line that calls an allocator.
    #[default]
    Sites,
    /// Those with the same stack.
    Stacks,
}

/// `lotse profile data --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DataAnswer {
    /// `lotse.profile.data/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// The number of data structures, including those not listed.
    pub count: usize,
    /// Data structures, the costliest first.
    pub structures: Vec<StructureAnswer>,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A data structure: all blocks that are allocated at one place, or, with `--stacks`, on one stack.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StructureAnswer {
    /// A type or variable, if the format has one.
    pub name: Option<String>,
    /// The place that allocates it, allocators left out.
    pub site: Option<PlaceAnswer>,
    /// The stack of the allocation, the innermost frame first, as far as all stacks have the same frames.
    pub stack: Vec<PlaceAnswer>,
    /// The number of different stacks.
    pub stacks: usize,
    pub cost: Vec<Cost>,
    /// Reads and writes by offset in a block.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<AccessAnswer>,
}

/// A place on a stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PlaceAnswer {
    /// The function, demangled.
    pub function: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// Reads and writes of one byte of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AccessAnswer {
    /// Bytes from the beginning of the block.
    pub offset: u64,
    /// Reads and writes.
    pub count: u64,
}

/// The totals, and the data structures of the chosen parts, the costliest first. Rows of equal name and stack are
/// summed first, then those of equal name and place if `grouping` is by site.
pub fn structures(
    profile: &Profile,
    chosen: &[PartId],
    columns: &[Column],
    grouping: StructureGrouping,
) -> (Vec<i128>, Vec<StructureAnswer>) {
    let data = &profile.data;
    let rows: Vec<usize> = (0..data.len()).filter(|&row| chosen.contains(&data.part[row])).collect();
    let mut costs = Costs::new(profile.events.len(), profile.signed);
    let mut first: Vec<usize> = Vec::new();
    let mut places = HashMap::new();
    for row in rows.into_iter().checked() {
        let place = *places.entry((data.name[row], data.stack[row])).or_insert_with(|| {
            first.push(row);
            costs.push(&[]);
            first.len() - 1
        });
        costs.add(place, data.costs.row(row));
    }
    let totals: Vec<i128> = (0..profile.events.len()).map(|event| costs.total(event)).collect();
    let sites = cut_stacks(profile);
    let answer = |(at, &row): (usize, &usize)| {
        let site = data.stack[row].map(|stack| sites[stack.index()].unwrap_or(stack));
        let site = site.map(|site| place(profile, profile.stacks.frame[site.index()]));
        structure(profile, row, site, &costs_of(profile, columns, &costs, at, &totals))
    };
    let mut answers: Vec<StructureAnswer> = first.iter().enumerate().checked().map(answer).collect();
    if grouping == StructureGrouping::Sites {
        answers = sites::by_site(answers, |rows| {
            let mut sum = Costs::zeros(costs.width(), costs.signed(), 1);
            rows.iter().for_each(|&row| sum.add(0, costs.row(row)));
            costs_of(profile, columns, &sum, 0, &totals)
        });
    }
    let at = ranking(columns);
    answers.sort_by(|a, b| match (a.cost.get(at), b.cost.get(at)) {
        (Some(a), Some(b)) => b.compare(a),
        _ => std::cmp::Ordering::Equal,
    });
    (totals, answers)
}

fn costs_of(profile: &Profile, columns: &[Column], costs: &Costs, row: usize, totals: &[i128]) -> Vec<Cost> {
    let row = CostRow { costs: costs.row(row), signed: profile.signed, totals, calls: None };
    columns.iter().map(|column| column.value(&row)).collect()
}

fn structure(profile: &Profile, row: usize, site: Option<PlaceAnswer>, cost: &[Cost]) -> StructureAnswer {
    let data = &profile.data;
    let stack: Vec<PlaceAnswer> =
        profile.stacks.frames(data.stack[row]).take(MOST_FRAMES).map(|frame| place(profile, frame)).collect();
    let name = profile.text(data.name[row]);
    let access = |&Access { offset, count }: &Access| AccessAnswer { offset, count };
    StructureAnswer {
        name: (!name.is_empty()).then(|| name.to_owned()),
        site,
        stack,
        stacks: 1,
        cost: cost.to_vec(),
        accesses: data.accesses[row].iter().map(access).collect(),
    }
}

/// Enough frames to recognise a place; a runaway recursion has millions.
const MOST_FRAMES: usize = 200;

fn place(profile: &Profile, frame: FrameId) -> PlaceAnswer {
    let frame = profile.frames.get(frame);
    PlaceAnswer {
        function: display(profile, frame.function).into_owned(),
        file: profile.file_name(frame.file).map(str::to_owned),
        line: (frame.line > 0).then_some(frame.line),
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::Profile;
    use lotse_model::id::{NameId, PartId};

    use super::{StructureGrouping, structures};
    use crate::analysis::tests::stacked;
    use crate::events::{Cost, EventTypes};

    /// A profile whose samples are allocations of one data structure each.
    fn allocated(stacks: &[(&str, u64)]) -> Profile {
        let mut profile = stacked(stacks);
        let samples = profile.parts[0].samples.clone();
        profile.data.stack = samples.stack;
        profile.data.costs = samples.costs;
        profile.data.name = vec![NameId(0); stacks.len()];
        profile.data.part = vec![PartId(0); stacks.len()];
        profile.data.accesses = vec![Vec::new(); stacks.len()];
        profile
    }

    #[test]
    fn equal_places_are_one_and_allocators_are_looked_through() {
        let profile = allocated(&[("main;load;malloc", 3), ("main;malloc", 4), ("main;load;malloc", 5)]);
        profile.check().unwrap();
        let columns = EventTypes::new(&profile, &[]).unwrap().own();
        let (totals, found) = structures(&profile, &[PartId(0)], &columns, StructureGrouping::Stacks);
        assert_eq!(totals, [12]);
        let shown: Vec<(Cost, String)> =
            found.into_iter().map(|it| (it.cost[0], it.site.unwrap().function)).collect();
        assert_eq!(shown, [(Cost::Exact(8), "load".to_owned()), (Cost::Exact(4), "main".to_owned())]);
    }

    #[test]
    fn one_place_on_several_stacks_is_one_unless_grouped_by_stack() {
        let profile =
            allocated(&[("main;build;malloc", 3), ("main;build;build;malloc", 4), ("main;malloc", 9)]);
        let columns = EventTypes::new(&profile, &[]).unwrap().own();
        let shown = |grouping| -> Vec<(f64, String, usize)> {
            let (_, found) = structures(&profile, &[PartId(0)], &columns, grouping);
            found.into_iter().map(|it| (it.cost[0].as_f64(), it.site.unwrap().function, it.stacks)).collect()
        };
        let (build, main) = ("build".to_owned(), "main".to_owned());
        assert_eq!(shown(StructureGrouping::Sites), [(9.0, main.clone(), 1), (7.0, build.clone(), 2)]);
        assert_eq!(
            shown(StructureGrouping::Stacks),
            [(9.0, main, 1), (4.0, build.clone(), 1), (3.0, build, 1)]
        );
    }
}
