//! Functions and calls as they are read, and the profile made of them.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{FileId, FunctionId, ObjectId};
use lotse_model::profile::{Builder, EventType, Part};
use lotse_model::{Profile, Unit};

use super::decimal::Decimal;
use super::line::{self, Line, Named};

/// What was read so far.
pub(super) struct Table {
    builder: Builder,
    /// Functions of the call graph by index.
    indexed: HashMap<u64, FunctionId>,
    /// Names that a function has already.
    named: HashSet<String>,
    /// Rows of the flat profile.
    flat: Vec<(String, Decimal, u64)>,
    own: HashMap<FunctionId, Decimal>,
    order: Vec<FunctionId>,
    calls: Vec<Call>,
    rows: HashMap<(FunctionId, FunctionId), usize>,
    /// Callers of the present entry, until its function is known.
    callers: Vec<(FunctionId, u64, Times)>,
    entry: Entry,
    event: String,
    /// `(K)` below the titles: thousands.
    exponent: i8,
}

type Times = Option<(Decimal, Decimal)>;

/// Where in an entry of the call graph the present line is.
enum Entry {
    /// Before its function.
    Callers,
    /// After its function.
    Callees(FunctionId),
    /// In an entry for a cycle as a whole.
    Cycle,
}

struct Call {
    caller: FunctionId,
    callee: FunctionId,
    count: u64,
    times: Times,
    /// Whether the entry of the caller told it; that of the callee may tell it again.
    by_caller: bool,
}

impl Table {
    pub(super) fn new() -> Self {
        Self {
            builder: Builder::new(),
            indexed: HashMap::new(),
            named: HashSet::new(),
            flat: Vec::new(),
            own: HashMap::new(),
            order: Vec::new(),
            calls: Vec::new(),
            rows: HashMap::new(),
            callers: Vec::new(),
            entry: Entry::Callers,
            event: "seconds".to_owned(),
            exponent: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flat.is_empty() && self.order.is_empty()
    }

    /// A line of titles: what is counted, and in thousands or not.
    pub(super) fn header(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [_, unit, again, .., "name"] if unit == again => unit.clone_into(&mut self.event),
            ["(K)", ..] => self.exponent = 3,
            ["(M)", ..] => self.exponent = 6,
            _ => {}
        }
    }

    /// A row of the flat profile.
    pub(super) fn row(&mut self, line: &str) -> Result<(), &'static str> {
        let row = line::row(line).ok_or("expected a row of the flat profile")?;
        self.flat.push((row.name.to_owned(), row.own, row.calls.unwrap_or(0)));
        Ok(())
    }

    /// A line of the call graph.
    pub(super) fn graph_line(&mut self, line: &str) -> Result<(), &'static str> {
        let trimmed = line.trim();
        if trimmed.starts_with("-----") {
            self.callers.clear();
            self.entry = Entry::Callers;
            return Ok(());
        }
        if trimmed == "<spontaneous>" {
            return Ok(());
        }
        if trimmed.starts_with("(K)") || trimmed.starts_with("(M)") {
            self.header(trimmed);
            return Ok(());
        }
        if line.starts_with('[') {
            return self.entry(&line::entry(line).ok_or("expected a function with its times")?);
        }
        let related = line::relative(line).ok_or("expected a caller or a callee with its calls")?;
        self.related(&related);
        Ok(())
    }

    pub(super) fn at_end_of_entry(&self) -> bool {
        matches!(self.entry, Entry::Callers) && self.callers.is_empty()
    }

    fn entry(&mut self, line: &Line<'_>) -> Result<(), &'static str> {
        if line.function.is_cycle() {
            self.callers.clear();
            self.entry = Entry::Cycle;
            return Ok(());
        }
        let function = self.function(line.function);
        self.entry = Entry::Callees(function);
        for (caller, count, times) in std::mem::take(&mut self.callers) {
            self.call(Call { caller, callee: function, count, times, by_caller: false });
        }
        let own = line.times.map_or(Decimal::ZERO, |(own, _)| own);
        if self.own.insert(function, own).is_some() {
            return Err("the function has a second entry; its self time replaces the first");
        }
        self.order.push(function);
        Ok(())
    }

    fn related(&mut self, line: &Line<'_>) {
        let count = line.calls.unwrap_or(0);
        match self.entry {
            Entry::Cycle => {}
            Entry::Callers => {
                let caller = self.function(line.function);
                self.callers.push((caller, count, line.times));
            }
            Entry::Callees(caller) => {
                let callee = self.function(line.function);
                self.call(Call { caller, callee, count, times: line.times, by_caller: true });
            }
        }
    }

    /// Keeps a call; the entries of caller and callee tell the same.
    fn call(&mut self, call: Call) {
        let next = self.calls.len();
        let row = *self.rows.entry((call.caller, call.callee)).or_insert(next);
        match self.calls.get_mut(row) {
            None => self.calls.push(call),
            Some(known) if call.by_caller && !known.by_caller => *known = call,
            Some(_) => {}
        }
    }

    fn function(&mut self, Named { name, index }: Named<'_>) -> FunctionId {
        let Some(index) = index else { return self.builder.bare_function(name) };
        if let Some(&known) = self.indexed.get(&index) {
            return known;
        }
        let function = match self.named.insert(name.to_owned()) {
            true => self.builder.bare_function(name),
            false => self.namesake(name),
        };
        self.indexed.insert(index, function);
        function
    }

    /// Another function of the same name.
    fn namesake(&mut self, name: &str) -> FunctionId {
        let name = self.builder.name(name);
        let functions = &mut self.builder.profile.functions;
        functions.name.push(name);
        functions.object.push(ObjectId(0));
        functions.file.push(FileId(0));
        functions.line.push(0);
        FunctionId::from(functions.len() - 1)
    }

    pub(super) fn profile(mut self) -> Profile {
        let with_calls = self.order.is_empty();
        let own = self.self_costs();
        let times = self.calls.iter().filter_map(|call| call.times).flat_map(|(own, callees)| [own, callees]);
        let places = own.iter().map(|row| row.1).chain(times).map(|it| it.places).max().unwrap_or(0);
        let exponent = self.exponent - places as i8;
        let event = match self.event.as_str() {
            "seconds" => EventType::new("time", Unit::Seconds, exponent),
            other => EventType::new(other, Unit::Count, exponent),
        };
        self.builder.profile.events = vec![event];
        if with_calls {
            self.builder.profile.events.push(EventType::count("calls"));
        }
        self.builder.profile.creator = Some("gprof".to_owned());
        let width = self.builder.profile.events.len();
        let mut part = Part::new("1", width, false);
        for (function, own, calls) in own {
            part.own.function.push(function);
            part.own.costs.push(&[own.scaled(places), calls][..width]);
        }
        for call in self.calls {
            let cost = call.times.map_or(0, |(own, callees)| own.scaled(places) + callees.scaled(places));
            part.calls.caller.push(call.caller);
            part.calls.callee.push(call.callee);
            part.calls.count.push(call.count);
            part.calls.costs.push(&[cost]);
        }
        self.builder.profile.parts.push(part);
        self.builder.finish()
    }

    /// Functions of the call graph, then those that only the flat profile has.
    fn self_costs(&mut self) -> Vec<(FunctionId, Decimal, u64)> {
        let mut costs: Vec<_> =
            self.order.iter().map(|&function| (function, self.own[&function], 0)).collect();
        let mut seen: HashSet<FunctionId> = self.order.iter().copied().collect();
        for (name, own, calls) in std::mem::take(&mut self.flat) {
            if self.named.contains(&name) && !self.order.is_empty() {
                continue;
            }
            let mut function = self.builder.bare_function(&name);
            if !seen.insert(function) {
                function = self.namesake(&name);
                seen.insert(function);
            }
            costs.push((function, own, calls));
        }
        costs
    }
}
