//! Consistency checks of a profile: every id is a valid index, and all columns of a table have the same length.
//!
//! Readers guarantee a consistent profile, which tests and fuzzing check. A profile index that was read from disk is used
//! only after it passed these checks.

use super::{
    Calls, CodePosition, Costs, Detail, Details, EntryCalls, InclusiveCosts, OnDemand, Part, Profile, Samples,
};
use crate::id::{FileId, FunctionId, StackId};

/// The first inconsistency that was found in a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("inconsistent profile: {0}")]
pub struct Inconsistent(&'static str);

fn ensure(holds: bool, wrong: &'static str) -> Result<(), Inconsistent> {
    if holds { Ok(()) } else { Err(Inconsistent(wrong)) }
}

impl Profile {
    /// Checks the whole profile.
    pub fn check(&self) -> Result<(), Inconsistent> {
        self.check_names()?;
        self.check_stacks()?;
        self.parts.iter().try_for_each(|part| self.check_part(part))?;
        self.check_data()?;
        match &self.details {
            Details::Loaded(detail) => self.check_detail(detail),
            Details::OnDemand(places) => self.check_extents(places),
        }
    }

    /// Checks names, objects, files, functions and the default event type only.
    pub fn check_names(&self) -> Result<(), Inconsistent> {
        let events = self.events.len();
        ensure(self.default_event.is_none_or(|event| event < events), "the default event type is missing")?;
        let names = self.strings.len();
        let functions = &self.functions;
        let mut all = self.objects.iter().chain(&self.files).chain(&functions.name);
        ensure(all.all(|name| name.index() < names), "a name is missing")?;
        ensure(!self.objects.is_empty() && !self.files.is_empty(), "the unknown object or file is missing")?;
        ensure(self.builds.keys().all(|id| id.index() < self.objects.len()), "a build's object is missing")?;
        let length = functions.len();
        let lengths = [&functions.line, &functions.column].map(Vec::len);
        let equal = [functions.object.len(), functions.file.len()] == [length; 2] && lengths == [length; 2];
        ensure(equal, "columns of functions differ in length")?;
        ensure(functions.object.iter().all(|id| id.index() < self.objects.len()), "an object is missing")?;
        ensure(functions.file.iter().all(|id| self.has_file(*id)), "a file is missing")?;
        ensure(self.unresolved.iter().all(|it| self.has_function(it.function)), "an address has no function")
    }

    fn check_stacks(&self) -> Result<(), Inconsistent> {
        let frames = &self.frames;
        let lengths = [frames.file.len(), frames.line.len(), frames.address.len(), frames.inlined.len()];
        ensure(lengths == [frames.len(); 4], "columns of frames differ in length")?;
        ensure(frames.function.iter().all(|id| self.has_function(*id)), "a frame's function is missing")?;
        ensure(frames.file.iter().all(|id| self.has_file(*id)), "a frame's file is missing")?;
        ensure(self.stacks.below.len() == self.stacks.len(), "columns of stacks differ in length")?;
        ensure(self.stacks.frame.iter().all(|id| id.index() < frames.len()), "a stack's frame is missing")?;
        let mut below = self.stacks.below.iter().enumerate();
        ensure(
            below.all(|(row, below)| below.is_none_or(|id| id.index() < row)),
            "a stack stands before the one below",
        )
    }

    fn check_part(&self, part: &Part) -> Result<(), Inconsistent> {
        ensure(part.own.function.iter().all(|id| self.has_function(*id)), "a self cost has no function")?;
        self.check_costs(&part.own.costs, part.own.function.len())?;
        let mut seen = vec![false; self.functions.len()];
        let once = part.own.function.iter().all(|id| !std::mem::replace(&mut seen[id.index()], true));
        ensure(once, "a function has two self costs in a part")?;
        self.check_inclusive(&part.inclusive)?;
        ensure(
            part.stated.iter().all(|stated| stated.costs.len() == self.events.len()),
            "a stated sum is short",
        )?;
        self.check_calls(&part.calls)?;
        self.check_entries(&part.entries)?;
        self.check_samples(&part.samples)
    }

    fn check_inclusive(&self, inclusive: &InclusiveCosts) -> Result<(), Inconsistent> {
        if inclusive.is_empty() {
            return Ok(());
        }
        let functions = &inclusive.function;
        ensure(functions.iter().all(|id| self.has_function(*id)), "an inclusive cost has no function")?;
        self.check_costs(&inclusive.costs, functions.len())?;
        let mut seen = vec![false; self.functions.len()];
        let once = functions.iter().all(|id| !std::mem::replace(&mut seen[id.index()], true));
        ensure(once, "a function has two inclusive costs in a part")
    }

    fn check_calls(&self, calls: &Calls) -> Result<(), Inconsistent> {
        let lengths = [calls.callee.len(), calls.count.len()];
        ensure(lengths == [calls.len(); 2], "columns of calls differ in length")?;
        let mut ends = calls.caller.iter().chain(&calls.callee);
        ensure(ends.all(|id| self.has_function(*id)), "a call's function is missing")?;
        if calls.costs.rows() > 0 { self.check_costs(&calls.costs, calls.len()) } else { Ok(()) }
    }

    fn check_entries(&self, entries: &EntryCalls) -> Result<(), Inconsistent> {
        ensure(entries.function.len() == entries.count.len(), "columns of entries differ in length")?;
        ensure(entries.function.iter().all(|id| self.has_function(*id)), "an entry's function is missing")
    }

    fn check_samples(&self, samples: &Samples) -> Result<(), Inconsistent> {
        let timed = samples.time.is_empty() || samples.time.len() == samples.len();
        ensure(timed, "samples and their times differ in length")?;
        ensure(samples.stack.iter().flatten().all(|id| self.has_stack(*id)), "a sample's stack is missing")?;
        self.check_costs(&samples.costs, samples.len())
    }

    fn check_data(&self) -> Result<(), Inconsistent> {
        let data = &self.data;
        let lengths = [data.name.len(), data.part.len(), data.accesses.len()];
        ensure(lengths == [data.len(); 3], "columns of data structures differ in length")?;
        ensure(
            data.stack.iter().flatten().all(|id| self.has_stack(*id)),
            "a data structure's stack is missing",
        )?;
        ensure(
            data.name.iter().all(|id| id.index() < self.strings.len()),
            "a data structure's name is missing",
        )?;
        ensure(
            data.part.iter().all(|id| id.index() < self.parts.len()),
            "a data structure's part is missing",
        )?;
        if data.is_empty() { Ok(()) } else { self.check_costs(&data.costs, data.len()) }
    }

    /// Checks the costs by line, the call sites and the jumps: the lengths of their columns, then the functions, parts and
    /// files that they refer to.
    fn check_detail(&self, detail: &Detail) -> Result<(), Inconsistent> {
        let Detail { lines, sites, jumps } = detail;
        let count = lines.function.len();
        ensure([lines.part.len(), lines.place.len()] == [count; 2], "columns of lines differ in length")?;
        self.check_places_known(&lines.place)?;
        if count > 0 {
            self.check_costs(&lines.costs, count)?;
        }
        let count = sites.caller.len();
        let lengths =
            [sites.callee.len(), sites.part.len(), sites.place.len(), sites.target.len(), sites.count.len()];
        ensure(lengths == [count; 5], "columns of call sites differ in length")?;
        self.check_places_known(&sites.place)?;
        let count = jumps.function.len();
        let lengths = [jumps.part.len(), jumps.from.len(), jumps.to.len(), jumps.into.len()];
        ensure(lengths == [count; 4], "columns of jumps differ in length")?;
        let lengths = [jumps.executed.len(), jumps.taken.len(), jumps.conditional.len()];
        ensure(lengths == [count; 3], "columns of jumps differ in length")?;
        let mut functions = lines
            .function
            .iter()
            .chain(&sites.caller)
            .chain(&sites.callee)
            .chain(&jumps.function)
            .chain(&jumps.into);
        ensure(functions.all(|id| self.has_function(*id)), "a detail's function is missing")?;
        let mut parts = lines.part.iter().chain(&sites.part).chain(&jumps.part);
        ensure(parts.all(|id| id.index() < self.parts.len()), "a detail's part is missing")
    }

    /// Checks the index into the file from which detail is read on demand.
    fn check_extents(&self, on_demand: &OnDemand) -> Result<(), Inconsistent> {
        ensure(on_demand.layouts.len() == self.parts.len(), "a part has no layout")?;
        ensure(on_demand.starts.len() == self.functions.len() + 1, "a function has no extents")?;
        let last = on_demand.starts.last().map(|&end| end as usize);
        ensure(
            on_demand.starts.is_sorted() && last == Some(on_demand.extents.len()),
            "extents are out of order",
        )?;
        ensure(
            on_demand.extents.iter().all(|it| it.part.index() < self.parts.len()),
            "an extent's part is missing",
        )?;
        ensure(
            on_demand.extents.iter().all(|it| self.has_file(it.base.file)),
            "an extent's file is missing",
        )?;
        let mut layouts = on_demand.layouts.iter();
        let known = layouts.all(|layout| {
            layout.columns.iter().all(|&column| (column as usize) < self.events.len())
                && layout.objects.iter().all(|&(_, id)| id.index() < self.objects.len())
                && layout.files.iter().all(|&(_, id)| self.has_file(id))
                && layout.functions.iter().all(|&(_, id)| self.has_function(id))
        });
        ensure(known, "a layout points nowhere")
    }

    fn check_places_known(&self, places: &[CodePosition]) -> Result<(), Inconsistent> {
        ensure(places.iter().all(|place| self.has_file(place.file)), "a place's file is missing")
    }

    fn check_costs(&self, costs: &Costs, rows: usize) -> Result<(), Inconsistent> {
        let fitting = costs.width() == self.events.len() && costs.signed() == self.signed;
        ensure(fitting, "costs do not fit the event types")?;
        ensure(costs.rows() == rows || costs.width() == 0, "costs and their rows differ in length")
    }

    fn has_function(&self, id: FunctionId) -> bool {
        id.index() < self.functions.len()
    }

    fn has_file(&self, id: FileId) -> bool {
        id.index() < self.files.len()
    }

    fn has_stack(&self, id: StackId) -> bool {
        id.index() < self.stacks.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BuildId, Builder, EventType, Part, Profile};
    use crate::id::{FunctionId, ObjectId, StackId};

    fn good() -> Profile {
        let mut builder = Builder::new();
        let main = builder.bare_function("main");
        let frame = builder.bare_frame(main);
        let stack = builder.stack(None, frame);
        builder.profile.events = vec![EventType::count("samples")];
        let mut part = Part::new("1", 1, false);
        part.samples.stack.push(Some(stack));
        part.samples.costs.push(&[3]);
        part.own.function.push(main);
        part.own.costs.push(&[3]);
        part.inclusive.function.push(main);
        part.inclusive.costs.push(&[3]);
        builder.profile.parts.push(part);
        builder.finish()
    }

    #[test]
    fn a_consistent_profile_passes_and_each_damage_is_named() {
        assert_eq!(good().check(), Ok(()));
        type Damage = fn(&mut Profile);
        let breaks: [(&str, Damage); 10] = [
            ("a build's object", |it| drop(it.builds.insert(ObjectId(9), BuildId::parse("01").unwrap()))),
            ("a self cost has no function", |it| it.parts[0].own.function[0] = FunctionId(9)),
            ("a sample's stack is missing", |it| it.parts[0].samples.stack[0] = Some(StackId(1))),
            ("costs and their rows", |it| it.parts[0].own.costs.push(&[1])),
            ("a stack stands before", |it| it.stacks.below[0] = Some(StackId(0))),
            ("columns of functions", |it| it.functions.line.clear()),
            ("costs do not fit", |it| it.events.clear()),
            ("an inclusive cost has no function", |it| it.parts[0].inclusive.function[0] = FunctionId(9)),
            ("a function has two inclusive costs", |it| {
                it.parts[0].inclusive.function.push(FunctionId(0));
                it.parts[0].inclusive.costs.push(&[1]);
            }),
            ("the default event type", |it| it.default_event = Some(1)),
        ];
        for (expected, damage) in breaks {
            let mut profile = good();
            damage(&mut profile);
            let error = profile.check().unwrap_err().to_string();
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }
}
