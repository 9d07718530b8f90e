//! Writes the global definitions.

use std::collections::HashSet;
use std::io;

use lotse_model::trace::{Communicator, Definitions, ProcessKind, Region};

use super::attributes;
use super::chunks::ChunkWriter;
use super::codes::{self, ParadigmDeclaration};
use super::event::reference_of_id;
use super::groups::{GroupLists, WrittenGroup, is_inter, known};
use super::names::StringTable;
use super::record::{FieldBuffer, UNDEFINED};

/// The type of regions and groups in OTF2 1.0; newer readers ignore it.
const OLD_KIND: u8 = 0;

/// Writes all definitions and returns their number. `numbers` are the numbers of the locations, `counts` their numbers of
/// events; `has_objects` means that events have attributes.
pub(super) fn write(
    chunks: ChunkWriter<'_>,
    definitions: &Definitions,
    groups: &GroupLists,
    (numbers, counts): (&[u64], &[u64]),
    has_objects: bool,
) -> io::Result<u64> {
    let groups = groups.all_groups(definitions);
    let paradigms = paradigms(definitions, &groups);
    let attributes = if has_objects { &attributes::NAMES[..] } else { &[] };
    let names = names(definitions, &paradigms, attributes);
    let mut out = DefinitionWriter { chunks, names: &names, count: 0 };
    out.clock(definitions)?;
    out.strings()?;
    out.attributes(attributes)?;
    out.paradigms(&paradigms)?;
    out.machines(definitions)?;
    out.locations(definitions, numbers, counts)?;
    known(&definitions.regions).zip(0..).try_for_each(|(region, number)| out.region(number, region))?;
    groups.iter().zip(0..).try_for_each(|(group, number)| out.group(number, group, numbers))?;
    out.communicators(definitions, groups.len())?;
    out.windows(definitions)?;
    out.chunks.finish()?;
    Ok(out.count)
}

/// The paradigms that regions and groups use.
fn paradigms(definitions: &Definitions, groups: &[WrittenGroup<'_>]) -> Vec<ParadigmDeclaration> {
    let of_regions = known(&definitions.regions).map(|it| codes::paradigm(it.paradigm));
    let used: HashSet<u8> = of_regions.chain(groups.iter().map(|it| it.paradigm)).collect();
    codes::DECLARED.into_iter().filter(|it| used.contains(&it.0)).collect()
}

/// All strings that definitions refer to.
fn names<'a>(
    definitions: &'a Definitions,
    paradigms: &[ParadigmDeclaration],
    attributes: &[&'static str],
) -> StringTable<'a> {
    let mut names = StringTable::new();
    attributes.iter().for_each(|name| names.add(name));
    paradigms.iter().for_each(|(_, name, _)| names.add(name));
    definitions.machines.iter().flat_map(|it| [&it.name, &it.class]).for_each(|name| names.add(name));
    definitions.processes.iter().for_each(|it| names.add(&it.name));
    definitions.locations.iter().for_each(|it| names.add(&it.name));
    known(&definitions.regions).flat_map(|it| [&it.name, &it.file]).for_each(|name| names.add(name));
    known(&definitions.groups).for_each(|it| names.add(&it.name));
    known(&definitions.communicators).for_each(|it| names.add(&it.name));
    known(&definitions.windows).for_each(|it| names.add(&it.name));
    names
}

struct DefinitionWriter<'a, 'n> {
    chunks: ChunkWriter<'a>,
    names: &'a StringTable<'n>,
    count: u64,
}

impl DefinitionWriter<'_, '_> {
    fn put(&mut self, kind: u8, fields: FieldBuffer) -> io::Result<()> {
        self.count += 1;
        self.chunks.append(&fields.record(kind))
    }

    fn clock(&mut self, definitions: &Definitions) -> io::Result<()> {
        let clock = definitions.clock;
        let fields = FieldBuffer::default().wide(clock.resolution).wide(clock.offset).wide(clock.length);
        // The date of the recording is not known.
        self.put(5, fields.wide(u64::MAX))
    }

    fn strings(&mut self) -> io::Result<()> {
        let names = self.names.all();
        names
            .iter()
            .zip(0..)
            .try_for_each(|(name, number)| self.put(10, FieldBuffer::default().narrow(number).text(name)))
    }

    fn attributes(&mut self, attributes: &[&str]) -> io::Result<()> {
        for (name, number) in attributes.iter().zip(0..) {
            let (name, description) = (self.names.number(name), self.names.number(""));
            let fields = FieldBuffer::default().narrow(number).narrow(name).byte(attributes::ADDRESS);
            self.put(11, fields.narrow(description))?;
        }
        Ok(())
    }

    fn paradigms(&mut self, paradigms: &[ParadigmDeclaration]) -> io::Result<()> {
        for &(paradigm, name, class) in paradigms {
            let name = self.names.number(name);
            self.put(6, FieldBuffer::default().byte(paradigm).narrow(name).byte(class))?;
        }
        Ok(())
    }

    fn machines(&mut self, definitions: &Definitions) -> io::Result<()> {
        for (machine, number) in definitions.machines.iter().zip(0..) {
            let (name, class) = (self.names.number(&machine.name), self.names.number(&machine.class));
            let parent = machine.parent.map_or(UNDEFINED, |it| it.0);
            self.put(12, FieldBuffer::default().narrow(number).narrow(name).narrow(class).narrow(parent))?;
        }
        Ok(())
    }

    fn locations(&mut self, definitions: &Definitions, numbers: &[u64], counts: &[u64]) -> io::Result<()> {
        for (process, number) in definitions.processes.iter().zip(0..) {
            let (kind, creator) = match process.kind {
                ProcessKind::System => (1, None),
                ProcessKind::Accelerator { creator } => (2, creator),
            };
            let machine = process.machine.map_or(UNDEFINED, |it| it.0);
            let fields =
                FieldBuffer::default().narrow(number).narrow(self.names.number(&process.name)).byte(kind);
            self.put(13, fields.narrow(machine).narrow(creator.map_or(UNDEFINED, |it| it.0)))?;
        }
        for (location, (&number, &count)) in definitions.locations.iter().zip(numbers.iter().zip(counts)) {
            let fields = FieldBuffer::default().wide(number).narrow(self.names.number(&location.name));
            self.put(14, fields.byte(codes::location(location.kind)).wide(count).narrow(location.process.0))?;
        }
        Ok(())
    }

    fn region(&mut self, number: u32, region: &Region) -> io::Result<()> {
        let name = self.names.number(&region.name);
        let file = if region.file.is_empty() { UNDEFINED } else { self.names.number(&region.file) };
        let description = self.names.number("");
        let fields = FieldBuffer::default().narrow(number).narrow(name).narrow(description).byte(OLD_KIND);
        let fields = fields.narrow(file).narrow(region.begin_line).narrow(region.end_line).narrow(name);
        let flags = 0;
        self.put(
            15,
            fields.byte(codes::role(region.role)).byte(codes::paradigm(region.paradigm)).narrow(flags),
        )
    }

    fn group(&mut self, number: u32, group: &WrittenGroup<'_>, numbers: &[u64]) -> io::Result<()> {
        let name = self.names.number(group.name);
        let mut fields = FieldBuffer::default().narrow(number).narrow(name).byte(OLD_KIND);
        fields = fields.narrow(group.members.len() as u32);
        for member in &group.members {
            let location = |position: u64| numbers.get(position as usize).copied().unwrap_or(u64::MAX);
            let written =
                member.map_or(u64::MAX, |it| if group.lists_locations() { location(it) } else { it });
            fields = fields.wide(written);
        }
        let flags = 0;
        self.put(18, fields.byte(group.kind).byte(group.paradigm).narrow(flags))
    }

    /// Writes the communicators. Their groups are the last ones of all groups, in the same order; inter-communicators have
    /// two groups each.
    fn communicators(&mut self, definitions: &Definitions, groups: usize) -> io::Result<()> {
        let width = |it: &Communicator| if is_inter(it) && !it.of_self { 2 } else { 1 };
        let groups_of_communicators: usize = known(&definitions.communicators).map(width).sum();
        let mut group = (groups - groups_of_communicators) as u32;
        for (communicator, number) in known(&definitions.communicators).zip(0..) {
            let name = self.names.number(&communicator.name);
            let parent = communicator.parent.map_or(UNDEFINED, |it| reference_of_id(it.0));
            let fields = FieldBuffer::default().narrow(number).narrow(name).narrow(group);
            let flags = 0;
            match width(communicator) {
                1 => self.put(22, fields.narrow(parent).narrow(flags))?,
                _ => self.put(43, fields.narrow(group + 1).narrow(parent).narrow(flags))?,
            }
            group += width(communicator) as u32;
        }
        Ok(())
    }

    fn windows(&mut self, definitions: &Definitions) -> io::Result<()> {
        for (window, number) in known(&definitions.windows).zip(0..) {
            let (name, flags) = (self.names.number(&window.name), 0);
            let fields = FieldBuffer::default()
                .narrow(number)
                .narrow(name)
                .narrow(reference_of_id(window.communicator.0));
            self.put(24, fields.narrow(flags))?;
        }
        Ok(())
    }
}
