//! Collects functions and calls while lines are read, and makes the profile of them.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{FileId, FunctionId, ObjectId};
use lotse_model::profile::{Builder, EventType, Part};
use lotse_model::{Profile, Unit};

use super::decimal::Decimal;
use super::flat;
use super::line::{self, FunctionName, GraphLine};
use super::refine;
use crate::diagnostics::Diagnostics;
use crate::error::Place;

/// The contents of the lines read so far.
pub(super) struct GprofTable {
    builder: Builder,
    /// Functions of the call graph by index.
    indexed: HashMap<u64, FunctionId>,
    /// All names in the call graph.
    named: HashSet<String>,
    /// The names of the functions of the call graph.
    names: HashMap<FunctionId, String>,
    /// Rows of the flat profile.
    flat: Vec<FlatRow>,
    own: HashMap<FunctionId, Decimal>,
    /// Self time and time of callees, as stated by the entries of the call graph.
    inclusive: HashMap<FunctionId, (Decimal, Decimal)>,
    /// The functions with an entry, in order.
    order: Vec<FunctionId>,
    calls: Vec<GraphCall>,
    rows: HashMap<(FunctionId, FunctionId), usize>,
    /// Callers in the current entry, until its function is known.
    callers: Vec<(FunctionId, u64, CallTimes)>,
    entry: EntryState,
    event: String,
    /// The power of ten of the times: 3 where `(K)` is below the titles.
    exponent: i8,
    /// The power of ten of seconds per call.
    per_call: i8,
    /// The time of all samples.
    total: Option<Decimal>,
}

/// Seconds are kept with this many more decimal places than are printed.
const FINE: u8 = 4;

/// A row of the flat profile.
struct FlatRow {
    name: String,
    /// Percent of the total.
    percent: Option<Decimal>,
    own: Decimal,
    calls: u64,
    /// Time of one call including callees.
    total: Option<Decimal>,
}

type CallTimes = Option<(Decimal, Decimal)>;

/// The part of an entry of the call graph that is being read.
enum EntryState {
    /// Before the line of its function.
    Callers,
    /// After the line of its function.
    Callees(FunctionId),
    /// In an entry for a cycle as a whole.
    Cycle,
}

struct GraphCall {
    caller: FunctionId,
    callee: FunctionId,
    count: u64,
    times: CallTimes,
    /// Whether it is from the entry of the caller; the entry of the callee may repeat it.
    by_caller: bool,
}

impl GprofTable {
    /// A table without functions, for times in seconds.
    pub(super) fn new() -> Self {
        Self {
            builder: Builder::new(),
            indexed: HashMap::new(),
            named: HashSet::new(),
            names: HashMap::new(),
            flat: Vec::new(),
            own: HashMap::new(),
            inclusive: HashMap::new(),
            order: Vec::new(),
            calls: Vec::new(),
            rows: HashMap::new(),
            callers: Vec::new(),
            entry: EntryState::Callers,
            event: "seconds".to_owned(),
            exponent: 0,
            per_call: 0,
            total: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flat.is_empty() && self.order.is_empty()
    }

    /// Reads a line of titles: the unit of times and calls.
    pub(super) fn header(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        self.per_call = words.iter().find_map(|word| flat::per_call(word)).unwrap_or(self.per_call);
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
        let (calls, total) = row.calls.unzip();
        let (name, calls) = (row.name.to_owned(), calls.unwrap_or(0));
        self.total = Some(row.cumulative);
        self.flat.push(FlatRow { name, percent: Some(row.percent), own: row.own, calls, total });
        Ok(())
    }

    /// Reads `granularity: each sample hit covers 2 byte(s) for 2.00% of 0.50 seconds`, before a call graph.
    pub(super) fn granularity(&mut self, line: &str) {
        let stated = line.strip_prefix("granularity:").and_then(|line| line.strip_suffix(" seconds"));
        let total = stated.and_then(|line| Decimal::parse(line.rsplit(' ').next()?));
        self.total = total.or(self.total);
    }

    /// Reads a line of the call graph.
    pub(super) fn graph_line(&mut self, line: &str) -> Result<(), &'static str> {
        let trimmed = line.trim();
        if trimmed.starts_with("-----") {
            self.callers.clear();
            self.entry = EntryState::Callers;
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
        matches!(self.entry, EntryState::Callers) && self.callers.is_empty()
    }

    fn entry(&mut self, line: &GraphLine<'_>) -> Result<(), &'static str> {
        if line.function.is_cycle() {
            self.callers.clear();
            self.entry = EntryState::Cycle;
            return Ok(());
        }
        let function = self.function(line.function);
        self.entry = EntryState::Callees(function);
        for (caller, count, times) in std::mem::take(&mut self.callers) {
            self.call(GraphCall { caller, callee: function, count, times, by_caller: false });
        }
        let (own, callees) = line.times.unwrap_or((Decimal::ZERO, Decimal::ZERO));
        self.inclusive.insert(function, (own, callees));
        if self.own.insert(function, own).is_some() {
            return Err("the function has a second entry; its self time replaces the first");
        }
        self.order.push(function);
        Ok(())
    }

    fn related(&mut self, line: &GraphLine<'_>) {
        let count = line.calls.unwrap_or(0);
        match self.entry {
            EntryState::Cycle => {}
            EntryState::Callers => {
                let caller = self.function(line.function);
                self.callers.push((caller, count, line.times));
            }
            EntryState::Callees(caller) => {
                let callee = self.function(line.function);
                self.call(GraphCall { caller, callee, count, times: line.times, by_caller: true });
            }
        }
    }

    /// Adds a call, once: the entries of caller and callee both state it.
    fn call(&mut self, call: GraphCall) {
        let next = self.calls.len();
        let row = *self.rows.entry((call.caller, call.callee)).or_insert(next);
        match self.calls.get_mut(row) {
            None => self.calls.push(call),
            Some(known) if call.by_caller && !known.by_caller => *known = call,
            Some(_) => {}
        }
    }

    fn function(&mut self, FunctionName { name, index }: FunctionName<'_>) -> FunctionId {
        let Some(index) = index else { return self.builder.bare_function(name) };
        if let Some(&known) = self.indexed.get(&index) {
            return known;
        }
        let function = match self.named.insert(name.to_owned()) {
            true => self.builder.bare_function(name),
            false => self.namesake(name),
        };
        self.indexed.insert(index, function);
        self.names.insert(function, name.to_owned());
        function
    }

    /// Makes another function of the same name.
    fn namesake(&mut self, name: &str) -> FunctionId {
        let name = self.builder.name(name);
        self.builder.profile.functions.push(name, ObjectId(0), FileId(0), (0, 0))
    }

    /// The percentages in the flat profile of the functions of the call graph. Functions of the same name cannot be
    /// distinguished there: they have none.
    fn percents(&self) -> HashMap<FunctionId, Decimal> {
        let mut named: HashMap<&str, Option<Decimal>> = HashMap::new();
        for row in &self.flat {
            named.entry(&row.name).and_modify(|known| *known = None).or_insert(row.percent);
        }
        let nothing = if self.flat.is_empty() { None } else { Some(Decimal::ZERO) };
        let percent = |&function: &FunctionId| {
            let name = self.names.get(&function).map_or("", String::as_str);
            Some((function, named.get(name).copied().unwrap_or(nothing)?))
        };
        self.order.iter().filter_map(percent).collect()
    }

    /// Makes the profile: self times that add up to the total, stated inclusive times, and calls.
    pub(super) fn profile(mut self, diagnostics: &mut Diagnostics) -> Profile {
        let with_calls = self.order.is_empty();
        let own = self.self_costs();
        let times = self.calls.iter().filter_map(|call| call.times).chain(self.inclusive.values().copied());
        let times = times.flat_map(|(own, callees)| [own, callees]);
        let printed = own.iter().map(|row| row.1.own).chain(times).map(|it| it.places).max().unwrap_or(0);
        let places = if self.event == "seconds" { printed + FINE } else { printed };
        let own = self.refined(own, places);
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
        for row in &own {
            let function = &row.function;
            part.own.function.push(*function);
            part.own.costs.push(&[row.time, row.calls][..width]);
        }
        self.state_inclusive(&own, (places, 10_u64.pow(u32::from(places - printed))), &mut part, diagnostics);
        for call in self.calls {
            let cost = call.times.map_or(0, |times| inclusive_time(times, places));
            part.calls.caller.push(call.caller);
            part.calls.callee.push(call.callee);
            part.calls.count.push(call.count);
            part.calls.costs.push(&[cost]);
        }
        self.builder.profile.parts.push(part);
        self.builder.finish()
    }

    /// Adds the inclusive times that the file states: of an entry of the call graph its self time and that of its callees,
    /// else the calls of the flat profile times the time of one call.
    fn state_inclusive(
        &self,
        own: &[TimedFunction],
        (places, digit): (u8, u64),
        part: &mut Part,
        diagnostics: &mut Diagnostics,
    ) {
        let width = part.own.costs.width();
        // Variants of gprof that count something else do not state the unit of a call.
        let scale = (self.event == "seconds").then_some(self.per_call - self.exponent);
        let entering = self.entering(places);
        let all: u64 = own.iter().map(|row| row.time).sum();
        // The stated time is the sum of two rounded ones: of the function and of its callees.
        let clamped = |time: u64| if time <= all.saturating_add(2 * digit) { time.min(all) } else { time };
        let mut unknown = 0;
        for row in own {
            let stated = match (self.inclusive.get(&row.function), row.total.zip(scale)) {
                (Some(&times), _) => Some(inclusive_time(times, places)),
                (None, Some((total, scale))) => flat::inclusive(row.calls, total, scale, (places, digit)),
                (None, None) => None,
            };
            unknown += usize::from(stated.is_none());
            let least = row.time.max(entering.get(&row.function).copied().unwrap_or(0));
            part.inclusive.function.push(row.function);
            part.inclusive.costs.push(&[clamped(stated.unwrap_or(least).max(least)), row.calls][..width]);
        }
        if unknown > 0 && self.order.is_empty() {
            diagnostics.note(
                Place::Whole,
                format!(
                    "a flat profile does not state the inclusive time of {unknown} {} precisely; their self time \
                     stands for it (gprof -q prints the call graph)",
                    if unknown == 1 { "function" } else { "functions" }
                ),
            );
        }
    }

    /// The cost of calls from outside its cycle, for every member of a cycle. Calls inside a cycle have no time.
    fn entering(&self, places: u8) -> HashMap<FunctionId, u64> {
        let inside = self.calls.iter().filter(|call| call.times.is_none() && call.caller != call.callee);
        let mut entering: HashMap<FunctionId, u64> =
            inside.flat_map(|call| [(call.caller, 0), (call.callee, 0)]).collect();
        for call in &self.calls {
            if let (Some(times), Some(sum)) = (call.times, entering.get_mut(&call.callee)) {
                *sum = sum.saturating_add(inclusive_time(times, places));
            }
        }
        entering
    }

    /// Self times in units of `10^-places`, adjusted to add up to the total where the file states it.
    fn refined(&self, own: Vec<(FunctionId, FlatRow)>, places: u8) -> Vec<TimedFunction> {
        let printed: Vec<u64> = own.iter().map(|(_, row)| row.own.scaled(places)).collect();
        let percents: Option<Vec<u64>> = own.iter().map(|(_, row)| Some(row.percent?.scaled(2))).collect();
        let digit = own.iter().map(|(_, row)| row.own.places).max().unwrap_or(0);
        let digit = 10_u64.pow(u32::from(places.saturating_sub(digit)));
        let refine = |weights: &[u64]| {
            let total = self.total.filter(|_| self.event == "seconds")?.scaled(places);
            refine::self_times(&printed, weights, total, digit)
        };
        let times =
            percents.and_then(|it| refine(&it)).or_else(|| refine(&printed)).unwrap_or(printed.clone());
        let timed = |((function, row), time): ((FunctionId, FlatRow), u64)| TimedFunction {
            function,
            time,
            calls: row.calls,
            total: row.total,
        };
        own.into_iter().zip(times).map(timed).collect()
    }

    /// The self times of the functions of the call graph, then of those that only the flat profile has.
    fn self_costs(&mut self) -> Vec<(FunctionId, FlatRow)> {
        let percents = self.percents();
        let entry = |&function: &FunctionId| {
            let own = self.own[&function];
            let percent = percents.get(&function).copied();
            (function, FlatRow { name: String::new(), percent, own, calls: 0, total: None })
        };
        let mut costs: Vec<_> = self.order.iter().map(entry).collect();
        let mut seen: HashSet<FunctionId> = self.order.iter().copied().collect();
        for row in std::mem::take(&mut self.flat) {
            if self.named.contains(&row.name) && !self.order.is_empty() {
                continue;
            }
            let mut function = self.builder.bare_function(&row.name);
            if !seen.insert(function) {
                function = self.namesake(&row.name);
                seen.insert(function);
            }
            costs.push((function, row));
        }
        costs
    }
}

/// A function with its self time in the unit of the profile.
struct TimedFunction {
    function: FunctionId,
    time: u64,
    calls: u64,
    /// Time of a call with its callees.
    total: Option<Decimal>,
}

/// The sum of self time and time of callees.
fn inclusive_time((own, callees): (Decimal, Decimal), places: u8) -> u64 {
    own.scaled(places).saturating_add(callees.scaled(places))
}
