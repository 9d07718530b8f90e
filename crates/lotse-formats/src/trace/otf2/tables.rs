//! From definitions as they stand in the file to the tables of the model: names for references, locations for ranks.

use std::sync::Arc;

use lotse_model::id::{CommunicatorId, MachineId, ProcessId};
use lotse_model::trace::{
    Clock, Communicator, Definitions, Group, Location, LocationKind, Machine, Process, ProcessKind, Region,
    RegionRole, Window,
};

use super::definitions::{self as raw, GroupKind, Raw, Rows};
use super::fields::UNDEFINED;
use super::ids::Ids;
use super::members::Members;
use super::names::{location_kind, paradigm, role};

/// The tables, and how numbers point into them.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) definitions: Definitions,
    pub(super) regions: Arc<Ids>,
    pub(super) communicators: Arc<Ids>,
    pub(super) windows: Arc<Ids>,
    pub(super) groups: Arc<Ids>,
    /// Of attributes that say what a call is about; nothing where there are none.
    pub(super) attributes: Option<Arc<Ids>>,
    /// How many events each location is said to have.
    pub(super) claimed: Vec<Option<u64>>,
    /// What was odd.
    pub(super) notes: Vec<String>,
}

/// Makes the tables; `files` are the numbers of locations that have events.
pub(super) fn build(raw: &Raw<'_>, properties: Vec<(String, String)>, files: &[u64]) -> Built {
    let mut builder = Builder { raw, missing: 0 };
    let mut definitions = Definitions::new(raw.clock.map_or_else(Clock::default, sane));
    definitions.properties = properties;
    definitions.regions.extend(raw.regions.rows.iter().map(|(number, it)| builder.region(*number, it)));
    definitions.machines = builder.machines();
    definitions.processes =
        raw.processes.rows.iter().map(|(number, it)| builder.process(*number, it)).collect();
    let claimed = builder.locations(&mut definitions, files);
    let mut members = Members::new(raw, &definitions.locations);
    for (_, it) in &raw.groups.rows {
        definitions.groups.push(Group { name: builder.text(it.name), members: members.of_group(it) });
    }
    definitions.communicators.extend(builder.communicators(&mut members));
    definitions.windows.extend(raw.windows.rows.iter().map(|(_, it)| builder.window(it)));
    let notes = notes(raw, builder.missing, &members);
    Built {
        definitions,
        regions: ids(&raw.regions),
        communicators: ids(&raw.communicators),
        windows: ids(&raw.windows),
        groups: ids(&raw.groups),
        attributes: attributes(raw),
        claimed,
        notes,
    }
}

/// Positions after the unknown entry.
fn ids<T>(rows: &Rows<T>) -> Arc<Ids> {
    let pairs: Vec<(u64, u32)> =
        (1..).zip(&rows.rows).map(|(position, (number, _))| (*number, position)).collect();
    Arc::new(Ids::of(&pairs))
}

fn attributes(raw: &Raw<'_>) -> Option<Arc<Ids>> {
    let told =
        |(number, name): &(u64, u64)| Some((*number, super::attributes::position(raw.strings.get(*name)?)?));
    let pairs: Vec<(u64, u32)> = raw.attributes.rows.iter().filter_map(told).collect();
    (!pairs.is_empty()).then(|| Arc::new(Ids::of(&pairs)))
}

fn sane(clock: Clock) -> Clock {
    let resolution = match clock.resolution {
        0 | UNDEFINED => Clock::default().resolution,
        resolution => resolution,
    };
    Clock { resolution, ..clock }
}

/// What was odd about the definitions, for people.
fn notes(raw: &Raw<'_>, missing: u64, members: &Members<'_>) -> Vec<String> {
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
    let again = [
        ("strings", raw.strings.again),
        ("machines", raw.machines.again),
        ("processes", raw.processes.again),
        ("locations", raw.locations.again),
        ("regions", raw.regions.again),
        ("groups", raw.groups.again),
        ("communicators", raw.communicators.again),
        ("windows", raw.windows.again),
    ];
    for (what, (again, other)) in again.into_iter().filter(|(_, (_, other))| *other > 0) {
        note(again, &format!("{what} are defined again, {other} of them otherwise: the first was kept"));
    }
    notes
}

struct Builder<'a> {
    raw: &'a Raw<'a>,
    /// References to what is not defined.
    missing: u64,
}

impl Builder<'_> {
    fn text(&mut self, name: u64) -> String {
        match self.raw.strings.get(name) {
            Some(text) => String::from_utf8_lossy(text).into_owned(),
            None => {
                self.missing += u64::from(name != UNDEFINED);
                String::new()
            }
        }
    }

    /// The text of a name, or something to call it by.
    fn named(&mut self, name: u64, what: &str, number: u64) -> String {
        let text = self.text(name);
        if text.is_empty() { format!("({what} {number})") } else { text }
    }

    /// Where a row stands that another points to.
    fn position<T: PartialEq>(&mut self, rows: &Rows<T>, number: u64) -> Option<usize> {
        let position = rows.position(number);
        self.missing += u64::from(position.is_none() && number != UNDEFINED);
        position
    }

    fn region(&mut self, number: u64, it: &raw::Region) -> Region {
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
        self.missing += cut_circles(&mut parents);
        let machine = |((number, it), parent): (&(u64, raw::Machine), Option<usize>)| Machine {
            name: self.named(it.name, "machine", *number),
            class: self.text(it.class),
            parent: parent.map(MachineId::from),
        };
        rows.rows.iter().zip(parents).map(machine).collect()
    }

    fn process(&mut self, number: u64, it: &raw::Process) -> Process {
        Process {
            name: self.named(it.name, "process", number),
            machine: self.position(&self.raw.machines, it.machine).map(MachineId::from),
            kind: self.process_kind(it),
        }
    }

    /// What a process is; of an accelerator, which process uses it.
    fn process_kind(&mut self, it: &raw::Process) -> ProcessKind {
        match it.kind {
            2 => {
                let creator = self.position(&self.raw.processes, it.creator).map(ProcessId::from);
                ProcessKind::Accelerator { creator }
            }
            _ => ProcessKind::System,
        }
    }

    /// Fills in the locations, those with events but no definition after the others; tells their counts of events.
    fn locations(&mut self, definitions: &mut Definitions, files: &[u64]) -> Vec<Option<u64>> {
        let mut claimed = Vec::new();
        for (number, it) in &self.raw.locations.rows {
            let process = self.position(&self.raw.processes, it.process);
            let process = process.unwrap_or_else(|| unknown_process(definitions));
            let name = self.named(it.name, "location", *number);
            let kind = location_kind(it.kind);
            definitions.locations.push(Location { number: *number, name, kind, process: process.into() });
            claimed.push(Some(it.events).filter(|it| *it != UNDEFINED));
        }
        for &number in files.iter().filter(|it| self.raw.locations.position(**it).is_none()) {
            let process: ProcessId = unknown_process(definitions).into();
            let (name, kind) = (format!("(location {number})"), LocationKind::Unknown);
            definitions.locations.push(Location { number, name, kind, process });
            claimed.push(None);
        }
        claimed
    }

    fn window(&mut self, it: &raw::Window) -> Window {
        let communicator = self.position(&self.raw.communicators, it.communicator);
        let communicator = communicator.map_or(CommunicatorId(0), |it| CommunicatorId::from(it + 1));
        Window { name: self.text(it.name), communicator }
    }

    fn communicators(&mut self, members: &mut Members<'_>) -> Vec<Communicator> {
        let rows = &self.raw.communicators;
        let mut parents: Vec<_> = rows.rows.iter().map(|(_, it)| self.position(rows, it.parent)).collect();
        self.missing += cut_circles(&mut parents);
        let communicator = |((number, it), parent): (&(u64, raw::Communicator), Option<usize>)| {
            let group = self.position(&self.raw.groups, it.group).map(|at| &self.raw.groups.rows[at].1);
            let remote = it.remote.and_then(|remote| self.position(&self.raw.groups, remote));
            Communicator {
                name: self.named(it.name, "communicator", *number),
                members: group.map_or_else(Vec::new, |it| members.of_communicator(it)),
                remote: remote
                    .map_or_else(Vec::new, |at| members.of_communicator(&self.raw.groups.rows[at].1)),
                parent: parent.map(|it| CommunicatorId::from(it + 1)),
                of_self: group.is_some_and(|it| it.kind == GroupKind::CommSelf),
            }
        };
        rows.rows.iter().zip(parents).map(communicator).collect()
    }
}

/// The process of locations that have none.
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

/// Takes the parent from one of each circle of rows; says from how many.
fn cut_circles(parents: &mut [Option<usize>]) -> u64 {
    let (mut cut, mut walk_of) = (0, vec![0; parents.len()]);
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = start;
        while walk_of[at] == 0 {
            walk_of[at] = walk;
            match parents[at] {
                Some(parent) if walk_of[parent] == walk => {
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
