//! Writes the file in valgrind's format: functions grouped by object and file, names written once and then numbered, relative line
//! numbers.

use std::io::{self, Write};
use std::mem;

use super::costs::Costs;
use super::graph::{Call, Graph};
use super::lines::Program;
use super::names::Places;
use super::numbers::{push, push_costs, push_position};
use super::{Cost, EVENTS};

/// One of so many pairs has two call sites.
const TWO_SITES: u32 = 8;
/// Size of the buffer in bytes.
const CHUNK: usize = 1 << 16;

/// Writes the file. Returns the number of bytes.
pub(super) fn write(
    program: &Program,
    graph: &Graph,
    costs: &Costs,
    output: &mut impl Write,
) -> io::Result<u64> {
    let mut writer = Writer::new(program, graph, costs);
    let mut bytes = 0;
    writer.header();
    for (_, file, function) in order(program) {
        writer.function(function, file);
        if writer.text.len() > CHUNK {
            bytes += writer.text.len() as u64;
            output.write_all(&writer.text)?;
            writer.text.clear();
        }
    }
    writer.costs_line("\ntotals:", &costs.total());
    bytes += writer.text.len() as u64;
    output.write_all(&writer.text)?;
    Ok(bytes)
}

/// Object, file and number of all functions.
fn order(program: &Program) -> Vec<(u32, u32, u32)> {
    let places = Places::new(program.size);
    let place = |function| {
        let file = places.file(function);
        (places.object(file), file, function)
    };
    let mut all: Vec<_> = (0..program.size.functions).map(place).collect();
    all.sort_unstable();
    all
}

struct Writer<'a> {
    program: &'a Program,
    graph: &'a Graph,
    costs: &'a Costs,
    places: Places,
    text: Vec<u8>,
    named_objects: Vec<bool>,
    named_files: Vec<bool>,
    named_functions: Vec<bool>,
    object: Option<u32>,
    file: Option<u32>,
    /// `None` at the beginning of a function.
    line: Option<u32>,
}

/// The calls of one pair from one call site.
struct Site {
    callee: u32,
    count: u32,
    cost: Cost,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, graph: &'a Graph, costs: &'a Costs) -> Self {
        let places = Places::new(program.size);
        Self {
            program,
            graph,
            costs,
            places,
            text: Vec::with_capacity(2 * CHUNK),
            named_objects: vec![false; places.all_objects() as usize],
            named_files: vec![false; places.all_files() as usize],
            named_functions: vec![false; program.size.functions as usize],
            object: None,
            file: None,
            line: None,
        }
    }

    fn header(&mut self) {
        self.text.extend_from_slice(
            b"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 4711\ncmd:  /usr/bin/subject --all\n\
              part: 1\n\n\ndesc: I1 cache: 32768 B, 64 B, 8-way associative\n\
              desc: D1 cache: 49152 B, 64 B, 12-way associative\n\
              desc: LL cache: 109051904 B, 64 B, 26-way associative\n\n\
              desc: Timerange: Basic block 0 - 504539957\ndesc: Trigger: Program termination\n\n\
              positions: line\nevents:",
        );
        for event in EVENTS {
            self.text.push(b' ');
            self.text.extend_from_slice(event.as_bytes());
        }
        self.costs_line("\nsummary:", &self.costs.total());
        self.text.push(b'\n');
    }

    fn costs_line(&mut self, title: &str, cost: &Cost) {
        self.text.extend_from_slice(title.as_bytes());
        push_costs(&mut self.text, cost);
        self.text.push(b'\n');
    }

    fn function(&mut self, function: u32, file: u32) {
        self.text.push(b'\n');
        let object = self.places.object(file);
        if self.object.replace(object) != Some(object) {
            self.object_name("ob", object);
        }
        if self.file.replace(file) != Some(file) {
            self.file_name("fl", file);
        }
        self.function_name("fn", function);
        self.line = None;
        self.body(function, file);
        // The next function begins in the file of the last `fl=`.
        self.file = Some(file);
    }

    /// Cost lines with the calls spread among them.
    fn body(&mut self, function: u32, file: u32) {
        let mut sites = self.sites(function).into_iter();
        let (calls, lines) = (sites.len() as u64, u64::from(self.program.length(function)));
        let due = |line: u64| line * calls / lines;
        for (at, line) in (0..).zip(self.program.lines(function)) {
            self.change_file(if line.inlined { self.places.header(file) } else { file }, file);
            push_position(&mut self.text, line.number, self.line);
            self.line = Some(line.number);
            push_costs(&mut self.text, &line.cost);
            self.text.push(b'\n');
            for site in sites.by_ref().take((due(at + 1) - due(at)) as usize) {
                self.call(&site, file);
            }
        }
    }

    /// The call sites of a function.
    fn sites(&self, function: u32) -> Vec<Site> {
        let calls = self.graph.calls(function);
        let mut sites = Vec::with_capacity(calls.len() + calls.len() / TWO_SITES as usize + 1);
        let mut others = Vec::new();
        for call in calls {
            let mut site = self.site(call);
            if call.callee % TWO_SITES == function % TWO_SITES && site.count > 1 {
                others.push(split(&mut site));
            }
            sites.push(site);
        }
        sites.append(&mut others);
        sites
    }

    fn site(&self, call: &Call) -> Site {
        Site { callee: call.callee, count: call.count, cost: self.costs.call(self.graph, call) }
    }

    fn call(&mut self, site: &Site, caller_file: u32) {
        let file = self.places.file(site.callee);
        let object = self.places.object(file);
        if object != self.places.object(caller_file) {
            self.object_name("cob", object);
        }
        if self.file != Some(file) {
            self.file_name("cfi", file);
        }
        self.function_name("cfn", site.callee);
        self.text.extend_from_slice(b"calls=");
        push(&mut self.text, u64::from(site.count));
        self.text.push(b' ');
        push_position(&mut self.text, 1 + site.callee % 3000, self.line);
        // valgrind writes a space after the target.
        self.text.extend_from_slice(b" \n*");
        push_costs(&mut self.text, &site.cost);
        self.text.push(b'\n');
    }

    fn change_file(&mut self, file: u32, own: u32) {
        if self.file.replace(file) != Some(file) {
            self.file_name(if file == own { "fe" } else { "fi" }, file);
        }
    }

    fn object_name(&mut self, key: &str, object: u32) {
        let is_known = mem::replace(&mut self.named_objects[object as usize], true);
        let name = (!is_known).then(|| self.places.object_name(object));
        self.name(key, object, name);
    }

    fn file_name(&mut self, key: &str, file: u32) {
        let is_known = mem::replace(&mut self.named_files[file as usize], true);
        let name = (!is_known).then(|| self.places.file_name(file));
        self.name(key, file, name);
    }

    fn function_name(&mut self, key: &str, function: u32) {
        let is_known = mem::replace(&mut self.named_functions[function as usize], true);
        let name = (!is_known).then(|| self.places.function_name(function));
        self.name(key, function, name);
    }

    fn name(&mut self, key: &str, number: u32, name: Option<String>) {
        self.text.extend_from_slice(key.as_bytes());
        self.text.extend_from_slice(b"=(");
        push(&mut self.text, u64::from(number) + 1);
        self.text.push(b')');
        if let Some(name) = name {
            self.text.push(b' ');
            self.text.extend_from_slice(name.as_bytes());
        }
        self.text.push(b'\n');
    }
}

/// Moves a part of the calls to a second call site.
fn split(site: &mut Site) -> Site {
    let (count, cost) = (site.count / 3, site.cost.map(|cost| cost / 3));
    let count = count.max(1);
    site.count -= count;
    site.cost.iter_mut().zip(cost).for_each(|(whole, part)| *whole -= part);
    Site { callee: site.callee, count, cost }
}
