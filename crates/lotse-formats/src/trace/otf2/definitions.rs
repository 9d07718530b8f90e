//! Reads the global definitions as they are in the file, with numbers for references.
//!
//! This is the first of two passes, because recorders refer to strings, groups and parents before they define them. Of
//! several definitions with the same number the first is kept, and the others are counted.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use lotse_model::trace::Clock;

use super::chunks::Oddity;
use super::definition_records::DefinitionRecords;
use super::fields::{FieldReader, UNDEFINED, narrow};
use super::names::MPI;

/// Rows of a table with their numbers in the file, in the order of their first definitions.
#[derive(Debug)]
pub(super) struct NumberedRows<T> {
    pub(super) rows: Vec<(u64, T)>,
    positions: HashMap<u64, usize>,
    /// How many rows were defined again, and how many of these differently.
    pub(super) redefined: (u64, u64),
}

impl<T> Default for NumberedRows<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), positions: HashMap::new(), redefined: (0, 0) }
    }
}

impl<T: PartialEq> NumberedRows<T> {
    fn put(&mut self, number: u64, row: T) {
        match self.positions.entry(number) {
            Entry::Vacant(free) => {
                free.insert(self.rows.len());
                self.rows.push((number, row));
            }
            Entry::Occupied(taken) => {
                self.redefined.0 += 1;
                self.redefined.1 += u64::from(self.rows[*taken.get()].1 != row);
            }
        }
    }

    /// The index of the row with a number.
    pub(super) fn position(&self, number: u64) -> Option<usize> {
        self.positions.get(&number).copied()
    }

    /// The row with a number.
    pub(super) fn get(&self, number: u64) -> Option<&T> {
        self.position(number).map(|it| &self.rows[it].1)
    }
}

/// The global definitions, with references as numbers.
#[derive(Debug, Default)]
pub(super) struct RawDefinitions<'a> {
    pub(super) clock: Option<Clock>,
    pub(super) strings: NumberedRows<&'a [u8]>,
    /// The strings that are the names of attributes.
    pub(super) attributes: NumberedRows<u64>,
    pub(super) machines: NumberedRows<RawMachine>,
    pub(super) processes: NumberedRows<RawProcess>,
    pub(super) locations: NumberedRows<RawLocation>,
    pub(super) regions: NumberedRows<RawRegion>,
    pub(super) groups: NumberedRows<RawGroup>,
    /// For each paradigm the list of locations that its groups number their members by. Kept apart from the groups,
    /// because recorders give such a list and a group the same number.
    pub(super) numbering: HashMap<u8, Vec<u64>>,
    pub(super) communicators: NumberedRows<RawCommunicator>,
    pub(super) windows: NumberedRows<RawWindow>,
    /// The number of records, known or not.
    pub(super) records: u64,
    /// Strings that were used before they were defined.
    pub(super) early: Vec<u64>,
    /// The number of records that end before their last field.
    pub(super) short: u64,
    pub(super) diagnostics: Vec<Oddity>,
}

#[derive(Debug, PartialEq)]
pub(super) struct RawMachine {
    pub(super) name: u64,
    pub(super) class: u64,
    pub(super) parent: u64,
}

#[derive(Debug, PartialEq)]
pub(super) struct RawProcess {
    pub(super) name: u64,
    pub(super) kind: u8,
    pub(super) machine: u64,
    /// The process that created an accelerator's context; undefined before OTF2 3.0.
    pub(super) creator: u64,
}

#[derive(Debug, PartialEq)]
pub(super) struct RawLocation {
    pub(super) name: u64,
    pub(super) kind: u8,
    pub(super) events: u64,
    pub(super) process: u64,
}

#[derive(Debug, PartialEq)]
pub(super) struct RawRegion {
    pub(super) name: u64,
    pub(super) file: u64,
    pub(super) lines: (u32, u32),
    /// Missing before OTF2 1.1.
    pub(super) role: Option<u8>,
    pub(super) paradigm: u8,
}

#[derive(Debug, PartialEq)]
pub(super) struct RawGroup {
    pub(super) name: u64,
    pub(super) kind: GroupKind,
    pub(super) paradigm: u8,
    /// Whether ranks in events are positions in the paradigm's list of locations and not in the group.
    pub(super) global_ranks: bool,
    pub(super) members: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum GroupKind {
    /// Members are locations.
    Locations,
    /// Members are locations: the list that the paradigm's groups number their members by.
    CommLocations,
    /// Members are positions in the paradigm's list of locations.
    CommGroup,
    /// Each location is alone, as in `MPI_COMM_SELF`.
    CommSelf,
    /// Members are not locations.
    Other,
}

#[derive(Debug, PartialEq)]
pub(super) struct RawCommunicator {
    pub(super) name: u64,
    pub(super) group: u64,
    /// The remote group of an inter-communicator.
    pub(super) remote: Option<u64>,
    pub(super) parent: u64,
}

#[derive(Debug, PartialEq)]
pub(super) struct RawWindow {
    pub(super) name: u64,
    pub(super) communicator: u64,
}

/// Reads the file of global definitions.
pub(super) fn read(bytes: &[u8], chunk: Option<u64>) -> RawDefinitions<'_> {
    let mut raw = RawDefinitions::default();
    let mut records = DefinitionRecords::new(bytes, chunk);
    for (number, fields) in records.by_ref() {
        raw.records += 1;
        if raw.take(number, fields).is_none() {
            raw.short += 1;
        }
    }
    raw.diagnostics = records.diagnostics;
    raw
}

impl<'a> RawDefinitions<'a> {
    /// Adds a record; `None` if it ends before its last field.
    fn take(&mut self, number: u8, fields: FieldReader<'a>) -> Option<()> {
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

    fn clock(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let known = |number: u64| if number == UNDEFINED { 0 } else { number };
        let resolution = fields.number()?;
        let (offset, length) = (known(fields.number()?), known(fields.number()?));
        self.clock.get_or_insert(Clock { resolution, offset, length });
        Some(())
    }

    fn string(&mut self, mut fields: FieldReader<'a>) -> Option<()> {
        let number = fields.reference()?;
        self.strings.put(number, fields.text()?);
        Some(())
    }

    fn attribute(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let number = fields.reference()?;
        self.attributes.put(number, fields.reference()?);
        Some(())
    }

    /// Reads a reference to a string.
    fn name(&mut self, fields: &mut FieldReader<'_>) -> Option<u64> {
        let name = fields.reference()?;
        if name != UNDEFINED && self.strings.position(name).is_none() {
            self.early.push(name);
        }
        Some(name)
    }

    fn machine(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let number = fields.reference()?;
        let (name, class) = (self.name(&mut fields)?, self.name(&mut fields)?);
        self.machines.put(number, RawMachine { name, class, parent: fields.reference()? });
        Some(())
    }

    fn process(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        let (kind, machine) = (fields.byte()?, fields.reference()?);
        let creator = fields.reference().unwrap_or(UNDEFINED);
        self.processes.put(number, RawProcess { name, kind, machine, creator });
        Some(())
    }

    fn location(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let number = fields.number()?;
        let name = self.name(&mut fields)?;
        let (kind, events, process) = (fields.byte()?, fields.number()?, fields.reference()?);
        self.locations.put(number, RawLocation { name, kind, events, process });
        Some(())
    }

    /// The fourth field is the type in OTF2 1.0; the last four fields were added in 1.1.
    fn region(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let number = fields.reference()?;
        let (name, _description) = (self.name(&mut fields)?, self.name(&mut fields)?);
        let _former_type = fields.byte()?;
        let file = self.name(&mut fields)?;
        let lines = (line(fields.number()?), line(fields.number()?));
        let canonical = fields.reference();
        let (role, paradigm) = (fields.byte(), fields.byte().unwrap_or(0));
        let name = if name == UNDEFINED { canonical.unwrap_or(UNDEFINED) } else { name };
        self.regions.put(number, RawRegion { name, file, lines, role, paradigm });
        Some(())
    }

    /// The third field is the type in OTF2 1.0; the fields after the members were added in 1.2.
    fn group(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
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
        self.groups.put(number, RawGroup { name, kind, paradigm, global_ranks, members });
        Some(())
    }

    fn communicator(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        let (group, parent) = (fields.reference()?, fields.reference()?);
        self.communicators.put(number, RawCommunicator { name, group, remote: None, parent });
        Some(())
    }

    fn inter_communicator(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        let (group, remote, parent) = (fields.reference()?, fields.reference()?, fields.reference()?);
        self.communicators.put(number, RawCommunicator { name, group, remote: Some(remote), parent });
        Some(())
    }

    fn window(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let number = fields.reference()?;
        let name = self.name(&mut fields)?;
        self.windows.put(number, RawWindow { name, communicator: fields.reference()? });
        Some(())
    }
}

/// A line number; 0 if it is undefined.
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

/// The kind of a group by the type numbers of OTF2 1.0.
fn former_kind(number: u8) -> GroupKind {
    match number {
        1 => GroupKind::Locations,
        4 => GroupKind::CommGroup,
        5 => GroupKind::CommSelf,
        6 => GroupKind::CommLocations,
        _ => GroupKind::Other,
    }
}
