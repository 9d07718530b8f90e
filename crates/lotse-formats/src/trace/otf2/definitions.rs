//! The global definitions as they stand in the file: numbers for references, in the order of the records.
//!
//! A first pass, because recorders name strings, groups and parents before they define them. Of several definitions
//! with one number the first is kept; how many there were is counted.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use lotse_model::trace::Clock;

use super::chunks::Oddity;
use super::definition_records::DefinitionRecords;
use super::fields::{Fields, UNDEFINED, narrow};
use super::names::MPI;

/// Rows by number, in the order in which they were first defined.
#[derive(Debug)]
pub(super) struct Rows<T> {
    pub(super) rows: Vec<(u64, T)>,
    positions: HashMap<u64, usize>,
    /// Rows defined again, and those among them that say something else.
    pub(super) again: (u64, u64),
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), positions: HashMap::new(), again: (0, 0) }
    }
}

impl<T: PartialEq> Rows<T> {
    fn put(&mut self, number: u64, row: T) {
        match self.positions.entry(number) {
            Entry::Vacant(free) => {
                free.insert(self.rows.len());
                self.rows.push((number, row));
            }
            Entry::Occupied(taken) => {
                self.again.0 += 1;
                self.again.1 += u64::from(self.rows[*taken.get()].1 != row);
            }
        }
    }

    /// Where the row with a number stands.
    pub(super) fn position(&self, number: u64) -> Option<usize> {
        self.positions.get(&number).copied()
    }

    /// The row with a number.
    pub(super) fn get(&self, number: u64) -> Option<&T> {
        self.position(number).map(|it| &self.rows[it].1)
    }
}

/// All that is kept of the global definitions.
#[derive(Debug, Default)]
pub(super) struct Raw<'a> {
    pub(super) clock: Option<Clock>,
    pub(super) strings: Rows<&'a [u8]>,
    /// The names of attributes.
    pub(super) attributes: Rows<u64>,
    pub(super) machines: Rows<Machine>,
    pub(super) processes: Rows<Process>,
    pub(super) locations: Rows<Location>,
    pub(super) regions: Rows<Region>,
    pub(super) groups: Rows<Group>,
    /// The locations by which the groups of a paradigm number their members. Apart from the groups, because
    /// recorders give them and a group the same number.
    pub(super) numbering: HashMap<u8, Vec<u64>>,
    pub(super) communicators: Rows<Communicator>,
    pub(super) windows: Rows<Window>,
    /// All records, known or not.
    pub(super) records: u64,
    /// Names used when they were not defined yet.
    pub(super) early: Vec<u64>,
    /// Records that end before their last field.
    pub(super) short: u64,
    pub(super) oddities: Vec<Oddity>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Machine {
    pub(super) name: u64,
    pub(super) class: u64,
    pub(super) parent: u64,
}

#[derive(Debug, PartialEq)]
pub(super) struct Process {
    pub(super) name: u64,
    pub(super) kind: u8,
    pub(super) machine: u64,
    /// The process that made an accelerator's context; not said by OTF2 before 3.0.
    pub(super) creator: u64,
}

#[derive(Debug, PartialEq)]
pub(super) struct Location {
    pub(super) name: u64,
    pub(super) kind: u8,
    pub(super) events: u64,
    pub(super) process: u64,
}

#[derive(Debug, PartialEq)]
pub(super) struct Region {
    pub(super) name: u64,
    pub(super) file: u64,
    pub(super) lines: (u32, u32),
    /// Not said by OTF2 before 1.1.
    pub(super) role: Option<u8>,
    pub(super) paradigm: u8,
}

#[derive(Debug, PartialEq)]
pub(super) struct Group {
    pub(super) name: u64,
    pub(super) kind: GroupKind,
    pub(super) paradigm: u8,
    /// Whether ranks in events count in the paradigm's locations and not in the group.
    pub(super) global_ranks: bool,
    pub(super) members: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum GroupKind {
    /// Members are locations.
    Locations,
    /// Members are locations, by which the paradigm's groups number theirs.
    CommLocations,
    /// Members are positions in the paradigm's locations.
    CommGroup,
    /// Each is alone.
    CommSelf,
    /// Members are something else.
    Other,
}

#[derive(Debug, PartialEq)]
pub(super) struct Communicator {
    pub(super) name: u64,
    pub(super) group: u64,
    /// The other side's group, where there are two.
    pub(super) remote: Option<u64>,
    pub(super) parent: u64,
}

#[derive(Debug, PartialEq)]
pub(super) struct Window {
    pub(super) name: u64,
    pub(super) communicator: u64,
}

/// Reads the file of global definitions.
pub(super) fn read(bytes: &[u8], chunk: Option<u64>) -> Raw<'_> {
    let mut raw = Raw::default();
    let mut records = DefinitionRecords::new(bytes, chunk);
    for (number, fields) in records.by_ref() {
        raw.records += 1;
        if raw.take(number, fields).is_none() {
            raw.short += 1;
        }
    }
    raw.oddities = records.oddities;
    raw
}

impl<'a> Raw<'a> {
    fn take(&mut self, number: u8, fields: Fields<'a>) -> Option<()> {
        match number {
            5 => self.clock(fields),
            10 => self.string(fields),
            11 => self.attribute(fields),
            12 => self.machine(fields),
            13 => self.process(fields),
            14 => self.location(fields),
            15 => self.region(fields),
            18 => self.group(fields),
            22 => self.communicator(fields),
            24 => self.window(fields),
            43 => self.inter_communicator(fields),
            _ => Some(()),
        }
    }

    fn clock(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let known = |number: u64| if number == UNDEFINED { 0 } else { number };
        let resolution = fields.number()?;
        let (offset, length) = (known(fields.number()?), known(fields.number()?));
        self.clock.get_or_insert(Clock { resolution, offset, length });
        Some(())
    }

    fn string(&mut self, mut fields: Fields<'a>) -> Option<()> {
        let number = fields.reference()?;
        self.strings.put(number, fields.text()?);
        Some(())
    }

    fn attribute(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.reference()?;
        self.attributes.put(number, fields.reference()?);
        Some(())
    }

    /// A reference to a string.
    fn name(&mut self, fields: &mut Fields<'_>) -> Option<u64> {
        let name = fields.reference()?;
        if name != UNDEFINED && self.strings.position(name).is_none() {
            self.early.push(name);
        }
        Some(name)
    }

    fn machine(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.reference()?;
        let (name, class) = (self.name(&mut fields)?, self.name(&mut fields)?);
        self.machines.put(number, Machine { name, class, parent: fields.reference()? });
        Some(())
    }

    fn process(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        let (kind, machine) = (fields.byte()?, fields.reference()?);
        let creator = fields.reference().unwrap_or(UNDEFINED);
        self.processes.put(number, Process { name, kind, machine, creator });
        Some(())
    }

    fn location(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.number()?;
        let name = self.name(&mut fields)?;
        let (kind, events, process) = (fields.byte()?, fields.number()?, fields.reference()?);
        self.locations.put(number, Location { name, kind, events, process });
        Some(())
    }

    /// The fourth field is the type of OTF2 1.0, the last four came with 1.1.
    fn region(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.reference()?;
        let (name, _description) = (self.name(&mut fields)?, self.name(&mut fields)?);
        let _former_type = fields.byte()?;
        let file = self.name(&mut fields)?;
        let lines = (line(fields.number()?), line(fields.number()?));
        let canonical = fields.reference();
        let (role, paradigm) = (fields.byte(), fields.byte().unwrap_or(0));
        let name = if name == UNDEFINED { canonical.unwrap_or(UNDEFINED) } else { name };
        self.regions.put(number, Region { name, file, lines, role, paradigm });
        Some(())
    }

    /// The third field is the type of OTF2 1.0, those after the members came with 1.2.
    fn group(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        let former = fields.byte()?;
        let count = fields.number()?;
        let mut members = Vec::new();
        for _ in 0..count {
            members.push(fields.number()?);
        }
        let kind = fields.byte().map_or_else(|| former_kind(former), group_kind);
        let paradigm = fields.byte().unwrap_or(MPI);
        if kind == GroupKind::CommLocations {
            self.numbering.entry(paradigm).or_insert_with(|| members.clone());
        }
        let global_ranks = fields.number().is_some_and(|flags| flags & 1 == 1);
        self.groups.put(number, Group { name, kind, paradigm, global_ranks, members });
        Some(())
    }

    fn communicator(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        let (group, parent) = (fields.reference()?, fields.reference()?);
        self.communicators.put(number, Communicator { name, group, remote: None, parent });
        Some(())
    }

    fn inter_communicator(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        let (group, remote, parent) = (fields.reference()?, fields.reference()?, fields.reference()?);
        self.communicators.put(number, Communicator { name, group, remote: Some(remote), parent });
        Some(())
    }

    fn window(&mut self, mut fields: Fields<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        self.windows.put(number, Window { name, communicator: fields.reference()? });
        Some(())
    }
}

/// A line number; 0 where it is undefined.
fn line(number: u64) -> u32 {
    match narrow(number) {
        u32::MAX => 0,
        line => line,
    }
}

fn group_kind(number: u8) -> GroupKind {
    match number {
        1 => GroupKind::Locations,
        4 => GroupKind::CommLocations,
        5 => GroupKind::CommGroup,
        6 => GroupKind::CommSelf,
        _ => GroupKind::Other,
    }
}

/// By the types of OTF2 1.0.
fn former_kind(number: u8) -> GroupKind {
    match number {
        1 => GroupKind::Locations,
        4 => GroupKind::CommGroup,
        5 => GroupKind::CommSelf,
        6 => GroupKind::CommLocations,
        _ => GroupKind::Other,
    }
}
