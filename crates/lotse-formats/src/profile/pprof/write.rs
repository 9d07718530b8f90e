//! Writes a profile with stacks as a pprof file, compressed with gzip. Equal stacks of a thread are added up.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use hashbrown::HashMap;
use lotse_model::bytes::Sink;
use lotse_model::id::{FrameId, FunctionId, ObjectId, StackId};
use lotse_model::profile::{AddressSpace, EventType, Part, Unresolved};
use lotse_model::{Profile, Unit};

use super::wire::MessageWriter;
use crate::error::Place;
use crate::reading::Diagnostic;
use crate::write::{Naming, Needs, Writer};

pub(crate) const WRITER: Writer = Writer {
    id: "pprof",
    title: "pprof protocol buffer",
    extension: "pb.gz",
    needs: Needs::Stacks,
    names: Naming::Distinct,
    write,
};

/// Nanoseconds since 1970, in 2001. Clocks that start at boot show less than that for thirty years.
const FIRST_DATE: i64 = 1_000_000_000_000_000_000;

fn write(profile: &Profile, sink: &mut dyn Sink) -> io::Result<Vec<Diagnostic>> {
    let mut file = PprofWriter::new(profile);
    file.types();
    for part in profile.parts.iter().filter(|part| part.selected) {
        file.part(part);
    }
    file.mappings();
    file.functions();
    file.header_and_strings();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&file.message.0)?;
    sink.put(&packed.finish()?)?;
    Ok(file.missing())
}

/// The file being written.
struct PprofWriter<'a> {
    profile: &'a Profile,
    message: MessageWriter,
    strings: HashMap<String, u64>,
    /// Ids of locations by their frames, innermost first.
    locations: HashMap<Vec<FrameId>, u64>,
    unresolved: HashMap<FunctionId, &'a Unresolved>,
    too_large: u64,
}

impl<'a> PprofWriter<'a> {
    fn new(profile: &'a Profile) -> Self {
        Self {
            profile,
            message: MessageWriter::default(),
            strings: HashMap::from([(String::new(), 0)]),
            locations: HashMap::new(),
            unresolved: profile.unresolved.iter().map(|it| (it.function, it)).collect(),
            too_large: 0,
        }
    }

    fn string(&mut self, text: &str) -> u64 {
        let next = self.strings.len() as u64;
        *self.strings.entry_ref(text).or_insert(next)
    }

    fn types(&mut self) {
        for event in &self.profile.events {
            let (name, unit) = (self.string(&event.name), self.string(&unit(event).0));
            self.message.bytes(1, &MessageWriter::default().number(1, name).number(2, unit).0);
        }
        if let Some(default) = self.profile.events.get(self.profile.default_event.unwrap_or(0)) {
            let name = self.string(&default.name);
            self.message.number(14, name);
        }
    }

    /// Writes a sample per distinct stack of a part, with labels for its thread.
    fn part(&mut self, part: &Part) {
        let labels = self.labels(part);
        let width = self.profile.events.len();
        let (mut stacks, mut sums) = (Vec::new(), Vec::new());
        let mut rows: HashMap<Option<StackId>, usize> = HashMap::new();
        for (row, &stack) in part.samples.stack.iter().enumerate() {
            let at = *rows.entry(stack).or_insert_with(|| {
                stacks.push(stack);
                sums.push(vec![0_i128; width]);
                sums.len() - 1
            });
            (0..width).for_each(|event| sums[at][event] += part.samples.costs.value(row, event));
        }
        for (stack, sums) in stacks.into_iter().zip(sums) {
            let locations = self.stack(stack);
            let scales = self.profile.events.iter().map(|event| unit(event).1);
            let scaled: Vec<i128> =
                sums.into_iter().zip(scales).map(|(sum, scale)| sum.saturating_mul(scale)).collect();
            let values: Vec<u64> = scaled.into_iter().map(|sum| self.value(sum)).collect();
            let mut sample = MessageWriter::default();
            sample.packed(1, locations).packed(2, values);
            for label in &labels {
                sample.bytes(3, &label.0);
            }
            self.message.bytes(2, &sample.0);
        }
    }

    /// The sum as a signed 64-bit number, the largest or smallest one where it does not fit.
    fn value(&mut self, sum: i128) -> u64 {
        i64::try_from(sum).unwrap_or_else(|_| {
            self.too_large += 1;
            if sum < 0 { i64::MIN } else { i64::MAX }
        }) as u64
    }

    fn labels(&mut self, part: &Part) -> Vec<MessageWriter> {
        let mut labels = Vec::new();
        for (key, number) in [("pid", part.process), ("tid", part.thread)] {
            if let Some(number) = number {
                let mut label = MessageWriter::default();
                label.number(1, self.string(key)).number(3, number);
                labels.push(label);
            }
        }
        if !labels.is_empty() || self.profile.parts.len() > 1 {
            let mut label = MessageWriter::default();
            label.number(1, self.string("thread")).number(2, self.string(&part.name));
            labels.push(label);
        }
        labels
    }

    /// The locations of a stack, innermost first. Inlined frames are lines of the location of their caller.
    fn stack(&mut self, stack: Option<StackId>) -> Vec<u64> {
        let (mut locations, mut lines) = (Vec::new(), Vec::new());
        for frame in self.profile.stacks.frames(stack) {
            lines.push(frame);
            if !self.profile.frames.inlined[frame.index()] {
                locations.push(self.location(std::mem::take(&mut lines)));
            }
        }
        if !lines.is_empty() {
            locations.push(self.location(lines));
        }
        locations
    }

    /// The id of a location, which is written when it is first needed.
    fn location(&mut self, lines: Vec<FrameId>) -> u64 {
        if let Some(&id) = self.locations.get(&lines) {
            return id;
        }
        let id = self.locations.len() as u64 + 1;
        let outermost = self.profile.frames.get(lines[lines.len() - 1]);
        let object = self.profile.functions.object[outermost.function.index()];
        let mut location = MessageWriter::default();
        let unresolved = self.unresolved.get(&outermost.function).filter(|_| lines.len() == 1);
        let address = unresolved.map_or(outermost.address, |it| it.address);
        location.number(1, id).number(2, object.index() as u64).number(3, address);
        // An address without a name also gets a function: pprof would show all of them as one row.
        for line in lines.iter().map(|&line| self.profile.frames.get(line)) {
            let (function, number) = (line.function.index() as u64 + 1, u64::from(line.line));
            location.bytes(4, &MessageWriter::default().number(1, function).number(2, number).0);
        }
        self.message.bytes(4, &location.0);
        self.locations.insert(lines, id);
        id
    }

    /// Writes objects as mappings. A mapping whose addresses are file offsets covers all addresses, so that they stay offsets.
    fn mappings(&mut self) {
        let mut offsets = vec![false; self.profile.objects.len()];
        for it in self.profile.unresolved.iter().filter(|it| it.space == AddressSpace::FileOffset) {
            offsets[self.profile.functions.object[it.function.index()].index()] = true;
        }
        let mut named = vec![true; self.profile.objects.len()];
        for it in &self.profile.unresolved {
            named[self.profile.functions.object[it.function.index()].index()] = false;
        }
        for (id, offsets) in offsets.into_iter().enumerate().skip(1) {
            let name = self.profile.object_name(ObjectId::from(id)).unwrap_or("");
            let name = self.string(name);
            let build = self.profile.build(ObjectId::from(id)).map(ToString::to_string);
            let build = build.map_or(0, |build| self.string(&build));
            let mut mapping = MessageWriter::default();
            mapping.number(1, id as u64).number(3, if offsets { u64::MAX } else { 0 });
            mapping.number(5, name).number(6, build);
            // Functions, files, lines and inlined frames are known: pprof need not look them up in the binary.
            if named[id] {
                (7..=10).for_each(|known| {
                    mapping.number(known, 1);
                });
            }
            self.message.bytes(3, &mapping.0);
        }
    }

    fn functions(&mut self) {
        for function in self.profile.functions.ids() {
            let name = self.string(self.profile.function_name(function));
            let file = self.string(self.profile.function_file(function).unwrap_or(""));
            let line = u64::from(self.profile.functions.line[function.index()]);
            let mut message = MessageWriter::default();
            // Without a system name, pprof shows the name as it is and keeps arguments.
            message.number(1, function.index() as u64 + 1).number(2, name);
            message.number(4, file).number(5, line);
            self.message.bytes(5, &message.0);
        }
    }

    /// Writes time, period and the string table, which is complete only now.
    fn header_and_strings(&mut self) {
        if let Some((start, end)) = self.profile.parts.iter().find_map(|part| part.time) {
            // The time in the format is a date; most profilers count from boot or from the start of the program.
            let date = if start >= FIRST_DATE { start } else { 0 };
            self.message.number(9, date as u64).number(10, end.saturating_sub(start) as u64);
        }
        if let Some(period) = &self.profile.period {
            let (unit, scale) = unit(&period.event);
            let length = self.value(i128::from(period.length).saturating_mul(scale));
            let (name, unit) = (self.string(&period.event.name), self.string(&unit));
            self.message
                .bytes(11, &MessageWriter::default().number(1, name).number(2, unit).0)
                .number(12, length);
        }
        let mut strings: Vec<(&String, &u64)> = self.strings.iter().collect();
        strings.sort_by_key(|&(_, id)| id);
        for (text, _) in strings {
            self.message.bytes(6, text.as_bytes());
        }
    }

    fn missing(&self) -> Vec<Diagnostic> {
        let timed = self.profile.parts.iter().any(|part| !part.samples.time.is_empty());
        let times = timed.then(|| "the times of samples are left out".to_owned());
        let large =
            (self.too_large > 0).then(|| format!("{} costs are too large for 63 bits", self.too_large));
        times.into_iter().chain(large).map(|message| Diagnostic::loss(Place::Whole, message)).collect()
    }
}

/// A unit that pprof knows, and the factor to convert to it: a tick of gprof, `10ms`, is 10 milliseconds.
fn unit(event: &EventType) -> (String, i128) {
    const TIMES: [(i8, &str); 4] =
        [(0, "seconds"), (-3, "milliseconds"), (-6, "microseconds"), (-9, "nanoseconds")];
    let known = match event.unit {
        Unit::Seconds => TIMES.iter().find(|(exponent, _)| *exponent <= event.exponent),
        Unit::Bytes => Some(&(0, "bytes")).filter(|_| event.exponent >= 0),
        Unit::Count | Unit::Number => None,
    };
    let scale = |exponent: i8| 10_i128.checked_pow(event.exponent.abs_diff(exponent).into());
    match known.and_then(|&(exponent, name)| Some((name, scale(exponent)?))) {
        Some((name, scale)) => (name.to_owned(), scale),
        None => (event.unit_label(), 1),
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::Unit;
    use lotse_model::profile::EventType;

    use super::unit;

    #[test]
    fn units_are_those_that_pprof_knows() {
        let event = |unit, exponent| EventType { unit, exponent, ..EventType::count("x") };
        for (event, name, scale) in [
            (event(Unit::Seconds, -9), "nanoseconds", 1),
            (event(Unit::Seconds, -2), "milliseconds", 10),
            (event(Unit::Seconds, -7), "nanoseconds", 100),
            (event(Unit::Seconds, 2), "seconds", 100),
            (event(Unit::Bytes, 3), "bytes", 1000),
            (event(Unit::Count, 0), "count", 1),
            (event(Unit::Seconds, -12), "ps", 1),
            (event(Unit::Bytes, 127), "1e127 bytes", 1),
        ] {
            assert_eq!(unit(&event), (name.to_owned(), scale));
        }
    }
}
