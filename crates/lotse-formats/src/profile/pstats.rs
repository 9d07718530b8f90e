//! Python pstats: the dumps of `cProfile` and `profile`, by Python 2 and 3.
//!
//! Event types are `calls`, all calls of a function including recursive ones; `time`, its self time in nanoseconds; and
//! `primitive_calls`, its calls without recursive ones. The inclusive time of a function is the stated one (`cumtime`);
//! calls are not inherited by callers, so that there is no inclusive number of calls. The cost of a
//! call is the number of calls and the time until they returned; of nested calls of the same pair only the outermost
//! has time, as Python counts it. `profile` does not time calls.
//!
//! Other profilers write the format too. pyinstrument is a sampler and writes -1 for every number of calls: then the
//! only event type is `time`, and numbers of calls are unknown.
//!
//! Functions of the same name in one file, such as `__init__` or `<lambda>`, are distinguished by their line.

mod marshal;

use hashbrown::{HashMap, HashSet};
use lotse_model::bytes::Source;
use lotse_model::id::{FileId, FunctionId, NameId, ObjectId};
use lotse_model::profile::{Builder, Calls, Costs, EventType, Part};
use lotse_model::{Profile, Unit, Workers};

use self::marshal::{MarshalValue, MarshalValues};
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::{Diagnostic, Reading};

pub(crate) const FORMAT: Format = Format {
    id: "pstats",
    title: "Python pstats",
    extensions: &["pstats"],
    claim,
    reader: Reader::Profile(read),
};

/// Claims a dictionary whose first key is a tuple of three, or an empty one.
fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    let [b'{' | 0xfb, rest @ ..] = bytes else { return Confidence::No };
    match rest {
        [b')' | 0xa9, 3, ..] | [b'(' | 0xa8, 3, 0, 0, 0, ..] => Confidence::Certain,
        [b'0'] => Confidence::Likely,
        _ => Confidence::No,
    }
}

/// Reads the dictionary of functions. An entry that cannot be read is reported and left out.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let (values, flaw) = MarshalValues::read(source.bytes());
    let MarshalValue::Dictionary(entries) = values.get(0) else {
        let flaw =
            flaw.unwrap_or_else(|| Diagnostic::loss(Place::Byte(0), "expected a dictionary of functions"));
        return Err(flaw.into_error(source.name()));
    };
    let mut table = PstatsTable::new(&values, source.bytes().len());
    let mut diagnostics = Diagnostics::starting_with(flaw);
    for (number, entry) in entries.chunks_exact(2).enumerate() {
        if let Err(problem) = table.entry(entry[0], entry[1]) {
            diagnostics.loss(Place::Path(format!("function {number}")), problem);
        }
    }
    if !table.counted {
        let message = "the profiler did not count calls: it wrote -1 for numbers of calls, which are unknown";
        diagnostics.note(Place::Whole, message);
    }
    if table.swap_counts() {
        let message =
            "the profiler wrote more primitive calls than calls, as yappi does: the two numbers were swapped";
        diagnostics.note(Place::Whole, message);
    }
    Ok(Reading { value: table.profile(), format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// Calls, time, primitive calls.
type Cells = [i64; 3];

/// The functions and calls read so far.
struct PstatsTable<'a> {
    values: &'a MarshalValues<'a>,
    builder: Builder,
    /// Names and files already looked up, by index in `values`.
    names: HashMap<u32, NameId>,
    files: HashMap<u32, FileId>,
    functions: HashMap<(FileId, i64, NameId), FunctionId>,
    own: Vec<(FunctionId, Cells)>,
    /// Inclusive times, in the order of `own`.
    inclusive: Vec<i64>,
    has_own: HashSet<FunctionId>,
    calls: Vec<(FunctionId, FunctionId, Cells)>,
    /// Whether calls have times.
    timed: bool,
    /// Whether numbers of calls are known.
    counted: bool,
    /// How many calls are still allowed: all functions may share one dictionary of callers.
    left: usize,
}

impl<'a> PstatsTable<'a> {
    fn new(values: &'a MarshalValues<'a>, size: usize) -> Self {
        Self {
            values,
            builder: Builder::new(),
            names: HashMap::new(),
            files: HashMap::new(),
            functions: HashMap::new(),
            own: Vec::new(),
            inclusive: Vec::new(),
            has_own: HashSet::new(),
            calls: Vec::new(),
            timed: true,
            counted: true,
            left: size,
        }
    }

    /// Adds a function with (primitive calls, calls, self time, inclusive time, callers).
    fn entry(&mut self, key: u32, value: u32) -> Result<(), &'static str> {
        let function = self.function(key)?;
        let &[primitive, calls, own, time, callers] = self.tuple(value)? else {
            return Err("expected five statistics");
        };
        let costs = [self.count(calls)?, self.nanoseconds(own)?, self.count(primitive)?];
        let inclusive = self.nanoseconds(time)?;
        if !self.has_own.insert(function) {
            return Err("the function comes twice; the first counts");
        }
        self.own.push((function, costs));
        self.inclusive.push(inclusive);
        let MarshalValue::Dictionary(callers) = self.values.get(callers) else {
            return Err("expected callers");
        };
        callers.chunks_exact(2).try_for_each(|pair| self.call(pair[0], function, pair[1]))
    }

    /// Adds the calls by one caller: a count, or (calls, primitive calls, self time, inclusive time).
    fn call(&mut self, caller: u32, callee: FunctionId, value: u32) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(1).ok_or("more callers than a file of this size has")?;
        let caller = self.function(caller)?;
        let costs = match self.values.get(value) {
            MarshalValue::Tuple(items) => match items[..] {
                [calls, primitive, _, time] => {
                    [self.count(calls)?, self.nanoseconds(time)?, self.count(primitive)?]
                }
                _ => return Err("expected four statistics of a call"),
            },
            _ => {
                self.timed = false;
                [self.count(value)?, 0, 0]
            }
        };
        self.calls.push((caller, callee, costs));
        Ok(())
    }

    fn function(&mut self, key: u32) -> Result<FunctionId, &'static str> {
        const EXPECTED: &str = "expected file, line and name of a function";
        let &[file, line, name] = self.tuple(key)? else { return Err(EXPECTED) };
        let MarshalValue::Integer(line) = *self.values.get(line) else { return Err(EXPECTED) };
        let file = self.file(file).ok_or(EXPECTED)?;
        let name = self.name(name).ok_or(EXPECTED)?;
        if let Some(&known) = self.functions.get(&(file, line, name)) {
            return Ok(known);
        }
        let place = (u32::try_from(line).unwrap_or(0), 0);
        let function = self.builder.profile.functions.push(name, ObjectId(0), file, place);
        self.functions.insert((file, line, name), function);
        Ok(function)
    }

    fn name(&mut self, index: u32) -> Option<NameId> {
        if let Some(&known) = self.names.get(&index) {
            return Some(known);
        }
        let name = self.builder.name(&self.values.text(index)?);
        self.names.insert(index, name);
        Some(name)
    }

    fn file(&mut self, index: u32) -> Option<FileId> {
        if let Some(&known) = self.files.get(&index) {
            return Some(known);
        }
        let path = self.values.text(index)?;
        // Built-in functions have no file, which Python writes as a tilde.
        let file = self.builder.file(if path == "~" { "" } else { &path });
        self.files.insert(index, file);
        Some(file)
    }

    fn tuple(&self, index: u32) -> Result<&'a [u32], &'static str> {
        match self.values.get(index) {
            MarshalValue::Tuple(items) => Ok(items),
            _ => Err("expected a tuple"),
        }
    }

    fn count(&mut self, index: u32) -> Result<i64, &'static str> {
        match *self.values.get(index) {
            MarshalValue::Integer(count @ 0..) => Ok(count),
            MarshalValue::Integer(-1) => {
                self.counted = false;
                Ok(0)
            }
            _ => Err("expected a number of calls"),
        }
    }

    fn nanoseconds(&self, index: u32) -> Result<i64, &'static str> {
        let seconds = match *self.values.get(index) {
            MarshalValue::Float(seconds) => seconds,
            MarshalValue::Integer(seconds) => seconds as f64,
            _ => return Err("expected seconds"),
        };
        let nanoseconds = (seconds * 1e9).round();
        if nanoseconds.abs() < 9e18 {
            Ok(nanoseconds as i64)
        } else {
            Err("expected a possible number of seconds")
        }
    }

    /// Swaps calls and primitive calls where all functions have them in the wrong order: primitive calls cannot exceed
    /// calls. yappi writes them swapped for functions, but not for calls between functions.
    fn swap_counts(&mut self) -> bool {
        let swapped = self.own.iter().any(|(_, [calls, _, primitive])| primitive > calls)
            && self.own.iter().all(|(_, [calls, _, primitive])| primitive >= calls);
        if swapped {
            self.own.iter_mut().for_each(|(_, costs)| costs.swap(0, 2));
        }
        swapped
    }

    /// Makes the profile of the functions and calls.
    fn profile(self) -> Profile {
        let Self { mut builder, own, inclusive, calls, timed, counted, .. } = self;
        builder.profile.events = vec![
            EventType::count("calls").without_inclusive(),
            EventType::new("time", Unit::Seconds, -9),
            EventType::count("primitive_calls").without_inclusive(),
        ];
        // A calibrated profiler may subtract more overhead than there was time.
        let times = own.iter().map(|row| row.1[1]).chain(calls.iter().map(|row| row.2[1]));
        let signed = times.chain(inclusive.iter().copied()).any(|time| time < 0);
        builder.profile.signed = signed;
        let mut part = Part::new("1", 3, signed);
        for ((function, costs), time) in own.into_iter().zip(inclusive) {
            part.own.function.push(function);
            part.own.costs.push(&costs.map(|cost| cost as u64));
            part.inclusive.function.push(function);
            part.inclusive.costs.push(&[costs[0], time, costs[2]].map(|cost| cost as u64));
        }
        add_calls(&mut part.calls, calls);
        if !timed {
            part.calls.costs = Costs::new(3, signed);
        }
        if !counted {
            without_counts(&mut builder.profile.events, &mut part);
        }
        builder.profile.parts.push(part);
        builder.finish()
    }
}

/// Removes all event types but the time.
fn without_counts(events: &mut Vec<EventType>, part: &mut Part) {
    *events = vec![EventType::new("time", Unit::Seconds, -9)];
    let time = |costs: &Costs| {
        let cells = (0..costs.rows()).map(|row| costs.row(row)[1]).collect();
        Costs::from_cells(1, costs.signed(), cells)
    };
    let Part { own, inclusive, calls, samples, .. } = part;
    for costs in [&mut own.costs, &mut inclusive.costs, &mut calls.costs, &mut samples.costs] {
        *costs = time(costs);
    }
    calls.count.fill(0);
}

/// Adds up calls by pair of caller and callee.
fn add_calls(table: &mut Calls, calls: Vec<(FunctionId, FunctionId, Cells)>) {
    let mut rows: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
    for (caller, callee, costs) in calls {
        let cells = costs.map(|cost| cost as u64);
        let next = table.len();
        let row = *rows.entry((caller, callee)).or_insert(next);
        if row < next {
            table.count[row] = table.count[row].saturating_add(cells[0]);
            table.costs.add(row, &cells);
            continue;
        }
        table.caller.push(caller);
        table.callee.push(callee);
        table.count.push(cells[0]);
        table.costs.push(&cells);
    }
}

#[cfg(test)]
mod tests;
