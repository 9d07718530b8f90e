//! The rest of an index, after its head: costs of parts, calls, stacks, data structures, detail.

use lotse_model::Profile;
use lotse_model::id::StackId;
use lotse_model::profile::{
    Access, AddressSpace, CodePosition, DataStructures, Detail, Details, Extent, Frames, Jumps, OnDemand,
    Part, PartLayout, Stacks, Unresolved,
};

use super::columns::{ColumnVisitor, ColumnWriter, IndexError, visit_costs};

/// Visits the rest of a profile whose head was visited before.
pub fn visit_rest(columns: &mut impl ColumnVisitor, profile: &mut Profile) -> Result<(), IndexError> {
    for at in 0..profile.parts.len() {
        part(columns, &mut profile.parts[at])?;
    }
    frames(columns, &mut profile.frames)?;
    stacks(columns, &mut profile.stacks)?;
    data(columns, &mut profile.data)?;
    unresolved(columns, &mut profile.unresolved)?;
    details(columns, &mut profile.details)
}

/// Writes the same bytes as [`visit_rest`], without copies of the costs of parts.
pub fn write_rest(columns: &mut ColumnWriter<'_>, profile: &Profile) -> Result<(), IndexError> {
    profile.parts.iter().try_for_each(|part| write_part(columns, part))?;
    let mut others = Profile {
        frames: profile.frames.clone(),
        stacks: profile.stacks.clone(),
        data: profile.data.clone(),
        unresolved: profile.unresolved.clone(),
        details: profile.details.clone(),
        ..Profile::default()
    };
    visit_rest(columns, &mut others)
}

/// Writes what [`part`] visits.
fn write_part(columns: &mut ColumnWriter<'_>, part: &Part) -> Result<(), IndexError> {
    columns.write(&part.own.function)?;
    columns.write_costs(&part.own.costs)?;
    columns.write(&part.inclusive.function)?;
    columns.write_costs(&part.inclusive.costs)?;
    columns.write(&part.calls.caller)?;
    columns.write(&part.calls.callee)?;
    columns.write(&part.calls.count)?;
    columns.write_costs(&part.calls.costs)?;
    columns.write(&part.entries.function)?;
    columns.write(&part.entries.count)?;
    optional_stacks(columns, &mut part.samples.stack.clone())?;
    columns.write(&part.samples.time)?;
    columns.write_costs(&part.samples.costs)
}

fn part(columns: &mut impl ColumnVisitor, part: &mut Part) -> Result<(), IndexError> {
    columns.column(&mut part.own.function)?;
    visit_costs(columns, &mut part.own.costs)?;
    columns.column(&mut part.inclusive.function)?;
    visit_costs(columns, &mut part.inclusive.costs)?;
    columns.column(&mut part.calls.caller)?;
    columns.column(&mut part.calls.callee)?;
    columns.column(&mut part.calls.count)?;
    visit_costs(columns, &mut part.calls.costs)?;
    columns.column(&mut part.entries.function)?;
    columns.column(&mut part.entries.count)?;
    optional_stacks(columns, &mut part.samples.stack)?;
    columns.column(&mut part.samples.time)?;
    visit_costs(columns, &mut part.samples.costs)
}

/// Visits a column of optional stacks; `u32::MAX` stands for no stack.
fn optional_stacks(
    columns: &mut impl ColumnVisitor,
    stacks: &mut Vec<Option<StackId>>,
) -> Result<(), IndexError> {
    let mut numbers: Vec<u32> = stacks.iter().map(|stack| stack.map_or(u32::MAX, |stack| stack.0)).collect();
    columns.column(&mut numbers)?;
    *stacks = numbers.into_iter().map(|number| (number != u32::MAX).then_some(StackId(number))).collect();
    Ok(())
}

fn frames(columns: &mut impl ColumnVisitor, frames: &mut Frames) -> Result<(), IndexError> {
    columns.column(&mut frames.function)?;
    columns.column(&mut frames.file)?;
    columns.column(&mut frames.line)?;
    columns.column(&mut frames.address)?;
    columns.flags(&mut frames.inlined)
}

fn stacks(columns: &mut impl ColumnVisitor, stacks: &mut Stacks) -> Result<(), IndexError> {
    optional_stacks(columns, &mut stacks.below)?;
    columns.column(&mut stacks.frame)
}

fn data(columns: &mut impl ColumnVisitor, data: &mut DataStructures) -> Result<(), IndexError> {
    columns.column(&mut data.name)?;
    optional_stacks(columns, &mut data.stack)?;
    columns.column(&mut data.part)?;
    visit_costs(columns, &mut data.costs)?;
    columns.list(&mut data.accesses, |columns, accesses: &mut Vec<Access>| {
        let mut offsets: Vec<u64> = accesses.iter().map(|access| access.offset).collect();
        let mut counts: Vec<u64> = accesses.iter().map(|access| access.count).collect();
        columns.column(&mut offsets)?;
        columns.column(&mut counts)?;
        *accesses = offsets.into_iter().zip(counts).map(|(offset, count)| Access { offset, count }).collect();
        Ok(())
    })
}

/// Address spaces by their numbers in an index.
const SPACES: [AddressSpace; 3] = [AddressSpace::Linked, AddressSpace::FileOffset, AddressSpace::Kernel];

fn unresolved(columns: &mut impl ColumnVisitor, unresolved: &mut Vec<Unresolved>) -> Result<(), IndexError> {
    let mut functions: Vec<_> = unresolved.iter().map(|it| it.function).collect();
    let mut addresses: Vec<u64> = unresolved.iter().map(|it| it.address).collect();
    let mut extents: Vec<u64> = unresolved.iter().map(|it| it.extent).collect();
    let mut spaces: Vec<u8> = unresolved.iter().map(|it| number_of_space(it.space)).collect();
    columns.column(&mut functions)?;
    columns.column(&mut addresses)?;
    columns.column(&mut extents)?;
    columns.column(&mut spaces)?;
    let spaces: Option<Vec<AddressSpace>> =
        spaces.into_iter().map(|number| SPACES.get(usize::from(number)).copied()).collect();
    let spaces = spaces.ok_or(IndexError::Damaged("an unknown space of addresses"))?;
    let rows = functions.into_iter().zip(addresses).zip(extents.into_iter().zip(spaces));
    let row = |((function, address), (extent, space))| Unresolved { function, address, extent, space };
    *unresolved = rows.map(row).collect();
    Ok(())
}

fn number_of_space(space: AddressSpace) -> u8 {
    match space {
        AddressSpace::Linked => 0,
        AddressSpace::FileOffset => 1,
        AddressSpace::Kernel => 2,
    }
}

/// Visits the costs inside functions: a flag whether they are in the profile's file, then their places there, or they
/// themselves. When an index is read, `details` is empty before.
fn details(columns: &mut impl ColumnVisitor, details: &mut Details) -> Result<(), IndexError> {
    let mut on_demand = matches!(details, Details::OnDemand(_));
    columns.flag(&mut on_demand)?;
    match (on_demand, std::mem::take(details)) {
        (true, Details::OnDemand(mut written)) => {
            places(columns, &mut written)?;
            *details = Details::OnDemand(written);
        }
        (true, Details::Loaded(_)) => {
            let mut read = OnDemand::default();
            places(columns, &mut read)?;
            *details = Details::OnDemand(read);
        }
        (false, Details::Loaded(mut whole)) => {
            detail(columns, &mut whole)?;
            *details = Details::Loaded(whole);
        }
        (false, Details::OnDemand(_)) => return Err(IndexError::Damaged("detail of the wrong kind")),
    }
    Ok(())
}

fn places(columns: &mut impl ColumnVisitor, on_demand: &mut OnDemand) -> Result<(), IndexError> {
    columns.text(&mut on_demand.format)?;
    columns.list(&mut on_demand.layouts, layout)?;
    columns.column(&mut on_demand.starts)?;
    let extents = &mut on_demand.extents;
    let mut parts: Vec<_> = extents.iter().map(|it| it.part).collect();
    let mut starts: Vec<u64> = extents.iter().map(|it| it.start).collect();
    let mut ends: Vec<u64> = extents.iter().map(|it| it.end).collect();
    let mut bases: Vec<CodePosition> = extents.iter().map(|it| it.base).collect();
    columns.column(&mut parts)?;
    columns.column(&mut starts)?;
    columns.column(&mut ends)?;
    place_columns(columns, &mut bases)?;
    let rows = parts.into_iter().zip(starts).zip(ends.into_iter().zip(bases));
    *extents = rows.map(|((part, start), (end, base))| Extent { part, start, end, base }).collect();
    Ok(())
}

fn layout(columns: &mut impl ColumnVisitor, layout: &mut PartLayout) -> Result<(), IndexError> {
    columns.optional_text(&mut layout.source)?;
    columns.flag(&mut layout.addresses)?;
    columns.flag(&mut layout.lines)?;
    columns.column(&mut layout.columns)?;
    pairs(columns, &mut layout.objects)?;
    pairs(columns, &mut layout.files)?;
    pairs(columns, &mut layout.functions)
}

fn pairs<T: bytemuck::Pod>(
    columns: &mut impl ColumnVisitor,
    pairs: &mut Vec<(u32, T)>,
) -> Result<(), IndexError> {
    let (mut numbers, mut ids): (Vec<u32>, Vec<T>) = std::mem::take(pairs).into_iter().unzip();
    columns.column(&mut numbers)?;
    columns.column(&mut ids)?;
    *pairs = numbers.into_iter().zip(ids).collect();
    Ok(())
}

fn place_columns(columns: &mut impl ColumnVisitor, places: &mut Vec<CodePosition>) -> Result<(), IndexError> {
    let mut files: Vec<_> = places.iter().map(|place| place.file).collect();
    let mut lines: Vec<u32> = places.iter().map(|place| place.line).collect();
    let mut addresses: Vec<u64> = places.iter().map(|place| place.address).collect();
    columns.column(&mut files)?;
    columns.column(&mut lines)?;
    columns.column(&mut addresses)?;
    let rows = files.into_iter().zip(lines).zip(addresses);
    *places = rows.map(|((file, line), address)| CodePosition { file, line, address }).collect();
    Ok(())
}

fn detail(columns: &mut impl ColumnVisitor, detail: &mut Detail) -> Result<(), IndexError> {
    let Detail { lines, sites, jumps } = detail;
    columns.column(&mut lines.function)?;
    columns.column(&mut lines.part)?;
    place_columns(columns, &mut lines.place)?;
    visit_costs(columns, &mut lines.costs)?;
    columns.column(&mut sites.caller)?;
    columns.column(&mut sites.callee)?;
    columns.column(&mut sites.part)?;
    place_columns(columns, &mut sites.place)?;
    place_columns(columns, &mut sites.target)?;
    columns.column(&mut sites.count)?;
    visit_costs(columns, &mut sites.costs)?;
    jump_columns(columns, jumps)
}

fn jump_columns(columns: &mut impl ColumnVisitor, jumps: &mut Jumps) -> Result<(), IndexError> {
    columns.column(&mut jumps.function)?;
    columns.column(&mut jumps.part)?;
    place_columns(columns, &mut jumps.from)?;
    place_columns(columns, &mut jumps.to)?;
    columns.column(&mut jumps.into)?;
    columns.column(&mut jumps.executed)?;
    columns.column(&mut jumps.taken)?;
    columns.flags(&mut jumps.conditional)
}
