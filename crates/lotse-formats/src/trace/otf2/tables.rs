//! Builds the tables of the model from the definitions in the file: replaces references by names and ids.

use std::sync::Arc;

use lotse_model::id::{CommunicatorId, MachineId, ProcessId};
use lotse_model::trace::{
    Clock, Communicator, Definitions, Group, Location, LocationKind, Machine, Process, ProcessKind, Region,
    RegionRole, Window,
};

use super::definitions::{self as raw, GroupKind, NumberedRows, RawDefinitions};
use super::fields::UNDEFINED;
use super::ids::IdTable;
use super::members::MemberResolver;
use super::names::{location_kind, paradigm, role};

/// The tables of the model, and the translation of the file's numbers to positions in them.
#[derive(Debug)]
pub(super) struct BuiltTables {
    pub(super) definitions: Definitions,
    pub(super) regions: Arc<IdTable>,
    pub(super) communicators: Arc<IdTable>,
    pub(super) windows: Arc<IdTable>,
    pub(super) groups: Arc<IdTable>,
    /// Attributes that name synchronization objects; `None` if there are none.
    pub(super) attributes: Option<Arc<IdTable>>,
    /// The number of events that the definition of each location states.
    pub(super) stated_events: Vec<Option<u64>>,
    /// Problems in the definitions, for people.
    pub(super) notes: Vec<String>,
}

/// Builds the tables; `files` are the numbers of the locations that have event files.
pub(super) fn build(
    raw: &RawDefinitions<'_>,
    properties: Vec<(String, String)>,
    files: &[u64],
) -> BuiltTables {
    let mut builder = TableBuilder { raw, missing: 0 };
    let mut definitions = Definitions::new(raw.clock.map_or_else(Clock::default, with_valid_resolution));
    definitions.properties = properties;
    definitions.regions.extend(raw.regions.rows.iter().map(|(number, it)| builder.region(*number, it)));
    definitions.machines = builder.machines();
    definitions.processes =
        raw.processes.rows.iter().map(|(number, it)| builder.process(*number, it)).collect();
    let stated_events = builder.locations(&mut definitions, files);
    let mut members = MemberResolver::new(raw, &definitions.locations);
    for (_, it) in &raw.groups.rows {
        definitions.groups.push(Group { name: builder.text(it.name), members: members.group_members(it) });
    }
    definitions.communicators.extend(builder.communicators(&mut members));
    definitions.windows.extend(raw.windows.rows.iter().map(|(_, it)| builder.window(it)));
    let notes = notes(raw, builder.missing, &members);
    BuiltTables {
        definitions,
        regions: ids(&raw.regions),
        communicators: ids(&raw.communicators),
        windows: ids(&raw.windows),
        groups: ids(&raw.groups),
        attributes: attributes(raw),
        stated_events,
        notes,
    }
}

/// The positions of rows, from 1 on, because 0 is the undefined entry.
fn ids<T>(rows: &NumberedRows<T>) -> Arc<IdTable> {
    let pairs: Vec<(u64, u32)> =
        (1..).zip(&rows.rows).map(|(position, (number, _))| (*number, position)).collect();
    Arc::new(IdTable::from_pairs(&pairs))
}

fn attributes(raw: &RawDefinitions<'_>) -> Option<Arc<IdTable>> {
    let position =
        |(number, name): &(u64, u64)| Some((*number, super::attributes::position(raw.strings.get(*name)?)?));
    let pairs: Vec<(u64, u32)> = raw.attributes.rows.iter().filter_map(position).collect();
    (!pairs.is_empty()).then(|| Arc::new(IdTable::from_pairs(&pairs)))
}

fn with_valid_resolution(clock: Clock) -> Clock {
    let resolution = match clock.resolution {
        0 | UNDEFINED => Clock::default().resolution,
        resolution => resolution,
    };
    Clock { resolution, ..clock }
}

/// Sentences about the problems in the definitions.
fn notes(raw: &RawDefinitions<'_>, missing: u64, members: &MemberResolver<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    };
    let early = raw.early.iter().filter(|it| raw.strings.position(**it).is_some()).count();
    note(early as u64, "names were used before they were defined: they were taken all the same");
    note(raw.short, "definitions end before their last field: they were left out");
    note(missing, "references point to what is not defined");
    note(members.unnumbered, "groups number their members by locations that are not defined");
    note(members.unknown, "members of groups are not among the locations");
    note(members.left_out, "communicators have too many members together: theirs were left out");
    let redefined = [
        ("strings", raw.strings.redefined),
        ("machines", raw.machines.redefined),
        ("processes", raw.processes.redefined),
        ("locations", raw.locations.redefined),
        ("regions", raw.regions.redefined),
        ("groups", raw.groups.redefined),
        ("communicators", raw.communicators.redefined),
        ("windows", raw.windows.redefined),
    ];
    for (what, (count, differing)) in redefined.into_iter().filter(|(_, (_, differing))| *differing > 0) {
        note(count, &format!("{what} are defined again, {differing} of them otherwise: the first was kept"));
    }
    notes
}

struct TableBuilder<'a> {
    raw: &'a RawDefinitions<'a>,
    /// The number of references without a definition.
    missing: u64,
}

impl TableBuilder<'_> {
    fn text(&mut self, name: u64) -> String {
        match self.raw.strings.get(name) {
            Some(text) => String::from_utf8_lossy(text).into_owned(),
            None => {
                self.missing += u64::from(name != UNDEFINED);
                String::new()
            }
        }
    }

    /// The text of a name, or a made-up name such as `(region 7)`.
    fn named(&mut self, name: u64, what: &str, number: u64) -> String {
        let text = self.text(name);
        if text.is_empty() { format!("({what} {number})") } else { text }
    }

    /// The position of a referenced row.
    fn position<T: PartialEq>(&mut self, rows: &NumberedRows<T>, number: u64) -> Option<usize> {
        let position = rows.position(number);
        self.missing += u64::from(position.is_none() && number != UNDEFINED);
        position
    }

    fn region(&mut self, number: u64, it: &raw::RawRegion) -> Region {
        Region {
            name: self.named(it.name, "region", number),
            role: it.role.map_or(RegionRole::Function, role),
            paradigm: paradigm(it.paradigm),
            file: self.text(it.file),
            begin_line: it.lines.0,
            end_line: it.lines.1,
        }
    }

    fn machines(&mut self) -> Vec<Machine> {
        let rows = &self.raw.machines;
        let mut parents: Vec<_> = rows.rows.iter().map(|(_, it)| self.position(rows, it.parent)).collect();
        self.missing += break_cycles(&mut parents);
        let machine = |((number, it), parent): (&(u64, raw::RawMachine), Option<usize>)| Machine {
            name: self.named(it.name, "machine", *number),
            class: self.text(it.class),
            parent: parent.map(MachineId::from),
        };
        rows.rows.iter().zip(parents).map(machine).collect()
    }

    fn process(&mut self, number: u64, it: &raw::RawProcess) -> Process {
        Process {
            name: self.named(it.name, "process", number),
            machine: self.position(&self.raw.machines, it.machine).map(MachineId::from),
            kind: self.process_kind(it),
        }
    }

    /// The kind of a process; for an accelerator with the process that uses it.
    fn process_kind(&mut self, it: &raw::RawProcess) -> ProcessKind {
        match it.kind {
            2 => {
                let creator = self.position(&self.raw.processes, it.creator).map(ProcessId::from);
                ProcessKind::Accelerator { creator }
            }
            _ => ProcessKind::System,
        }
    }

    /// Adds the locations, first the defined ones, then those that only have event files. Returns their stated numbers of
    /// events.
    fn locations(&mut self, definitions: &mut Definitions, files: &[u64]) -> Vec<Option<u64>> {
        let mut stated_events = Vec::new();
        for (number, it) in &self.raw.locations.rows {
            let process = self.position(&self.raw.processes, it.process);
            let process = process.unwrap_or_else(|| unknown_process(definitions));
            let name = self.named(it.name, "location", *number);
            let kind = location_kind(it.kind);
            definitions.locations.push(Location { number: *number, name, kind, process: process.into() });
            stated_events.push(Some(it.events).filter(|it| *it != UNDEFINED));
        }
        for &number in files.iter().filter(|it| self.raw.locations.position(**it).is_none()) {
            let process: ProcessId = unknown_process(definitions).into();
            let (name, kind) = (format!("(location {number})"), LocationKind::Unknown);
            definitions.locations.push(Location { number, name, kind, process });
            stated_events.push(None);
        }
        stated_events
    }

    fn window(&mut self, it: &raw::RawWindow) -> Window {
        let communicator = self.position(&self.raw.communicators, it.communicator);
        let communicator = communicator.map_or(CommunicatorId(0), |it| CommunicatorId::from(it + 1));
        Window { name: self.text(it.name), communicator }
    }

    fn communicators(&mut self, members: &mut MemberResolver<'_>) -> Vec<Communicator> {
        let rows = &self.raw.communicators;
        let mut parents: Vec<_> = rows.rows.iter().map(|(_, it)| self.position(rows, it.parent)).collect();
        self.missing += break_cycles(&mut parents);
        let communicator = |((number, it), parent): (&(u64, raw::RawCommunicator), Option<usize>)| {
            let group = self.position(&self.raw.groups, it.group).map(|at| &self.raw.groups.rows[at].1);
            let remote = it.remote.and_then(|remote| self.position(&self.raw.groups, remote));
            Communicator {
                name: self.named(it.name, "communicator", *number),
                members: group.map_or_else(Vec::new, |it| members.communicator_members(it)),
                remote: remote
                    .map_or_else(Vec::new, |at| members.communicator_members(&self.raw.groups.rows[at].1)),
                parent: parent.map(|it| CommunicatorId::from(it + 1)),
                of_self: group.is_some_and(|it| it.kind == GroupKind::CommSelf),
            }
        };
        rows.rows.iter().zip(parents).map(communicator).collect()
    }
}

/// The position of the process for locations without one; it is added if necessary.
fn unknown_process(definitions: &mut Definitions) -> usize {
    const NAME: &str = "(unknown)";
    match definitions.processes.iter().rposition(|it| it.name == NAME) {
        Some(position) => position,
        None => {
            definitions.processes.push(Process {
                name: NAME.to_owned(),
                machine: None,
                kind: ProcessKind::System,
            });
            definitions.processes.len() - 1
        }
    }
}

/// Breaks cycles of parents by removing the parent of one row of each. Returns the number of cycles.
///
/// From each row the parents are followed until a row that was visited before; if that was in the same walk, the walk
/// has closed a cycle:
///
/// ```text
/// parents  0 → 1 → 2 → 0   walk 1 visits 0, 1, 2; the parent of 2 is in walk 1: removed
///          3 → 1           walk 4 visits 3; its parent is in walk 1: nothing to do
/// ```
fn break_cycles(parents: &mut [Option<usize>]) -> u64 {
    let (mut cut, mut walk_of_row) = (0, vec![0; parents.len()]);
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = start;
        while walk_of_row[at] == 0 {
            walk_of_row[at] = walk;
            match parents[at] {
                Some(parent) if walk_of_row[parent] == walk => {
                    parents[at] = None;
                    cut += 1;
                }
                Some(parent) => at = parent,
                None => {}
            }
        }
    }
    cut
}

#[cfg(test)]
mod tests;
