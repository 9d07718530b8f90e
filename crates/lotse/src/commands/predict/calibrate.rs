//! `lotse predict calibrate`: measures the constants of this machine.

use std::collections::BTreeMap;

use lotse_host::{
    FileSink, Latencies, LineTimes, MeasuredConstant, OperationCosts, latencies, line_times, operation_costs,
    page_walks, utc_now,
};
use lotse_model::bytes::Sink as _;
use lotse_predict::machine::{Cache, Calibration, Machine, Transfer};
use lotse_report::{Block, Cell, Column, Document, Table};

use super::machine::{state, uncalibrated};
use crate::args::predict::CalibrateArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

/// The largest amount of memory that a measurement uses, however large the last cache is.
const MOST_BYTES: u64 = 256 << 20;
/// How often the usable part of the last cache is measured.
const TRIES: u32 = 3;
/// Constants whose relative spread is larger are reported as uncertain.
const WIDE_SPREAD: f64 = 0.25;

/// Measures all constants, prints them, and keeps them for later predictions unless `--dry-run` is given or Lotse is not optimised.
pub(super) fn run(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let repetitions = args.repetitions.clamp(4, 1000);
    let mut machine = uncalibrated()?;
    let mut spread = BTreeMap::new();
    set_latencies(&mut machine, &latencies(repetitions), &mut spread);
    if let Some(found) = operation_costs(repetitions) {
        set_costs(&mut machine, &found, &mut spread);
    }
    measure_transfers(&mut machine, repetitions, &mut spread);
    measure_usable_cache(&mut machine, repetitions);
    measure_pages(&mut machine, repetitions, &mut spread);
    let date = utc_now().chars().take(10).collect();
    machine.calibration = Some(Calibration { date, repetitions, spread });
    let text = machine.to_toml().map_err(|error| Failure::new(Exit::Missing, &error))?;
    // A later prediction must be able to read this description.
    Machine::from_toml(&text).map_err(|error| Failure::new(Exit::Missing, &error))?;
    if let Some(path) = &args.out {
        FileSink::new(path).put(text.as_bytes()).map_err(|error| Failure::new(Exit::Missing, &error))?;
    }
    let mut document = report(&machine);
    let optimised = !cfg!(debug_assertions);
    if !optimised {
        screen::remark("this build of Lotse is not optimised: the constants mean nothing and are not kept");
    }
    match state().filter(|_| !args.dry_run && optimised) {
        Some(file) => {
            file.write(&text).map_err(|error| Failure::new(Exit::Missing, &error))?;
            document.paragraph(format!("Kept in {} for later predictions.", file.path().display()));
        }
        None => {
            document.paragraph("Not kept.");
        }
    }
    screen::document(&document)
}

/// Sets the clock, and the latencies of operations in cycles.
fn set_latencies(machine: &mut Machine, found: &Latencies, spread: &mut BTreeMap<String, f64>) {
    let cycle = found.cycle.nanoseconds.max(1e-3);
    machine.core.clock_ghz = 1.0 / cycle;
    spread.insert("clock_ghz".to_owned(), found.cycle.spread);
    let mut set = |name: &str, place: &mut f64, measured: MeasuredConstant| {
        *place = measured.nanoseconds / cycle;
        spread.insert(name.to_owned(), measured.spread);
    };
    let core = &mut machine.core;
    set("fp_add", &mut core.fp_add, found.fp_add);
    set("fp_add_other", &mut core.fp_add_other, found.fp_add_other);
    set("fp_multiply", &mut core.fp_multiply, found.fp_multiply);
    set("fp_select", &mut core.fp_select, found.fp_select);
    set("fp_divide64", &mut core.fp_divide64, found.fp_divide64);
    set("fp_divide32", &mut core.fp_divide32, found.fp_divide32);
    set("square_root", &mut core.square_root, found.square_root);
    set("integer_multiply", &mut core.integer_multiply, found.integer_multiply);
    set("fp_divide64_cost", &mut core.fp_divide64_cost, found.fp_divide64_cost);
    set("store_forward", &mut core.store_forward, found.store_forward);
    set("load", &mut core.load, found.load);
    set("mispredict", &mut core.mispredict, found.mispredict);
}

/// Sets how long each kind of operation occupies the core.
fn set_costs(machine: &mut Machine, found: &OperationCosts, spread: &mut BTreeMap<String, f64>) {
    let mut set = |name: &str, place: &mut f64, measured: MeasuredConstant| {
        *place = measured.nanoseconds;
        spread.insert(name.to_owned(), measured.spread);
    };
    let core = &mut machine.core;
    // The clock of a core changes under load, and disturbances only make it slower: the faster of two measurements counts.
    core.clock_ghz = core.clock_ghz.max(1.0 / found.cycle.nanoseconds.max(1e-3));
    set("issue_cost", &mut core.issue_cost, found.issue);
    set("integer_cost", &mut core.integer_cost, found.integer);
    set("integer_multiply_cost", &mut core.integer_multiply_cost, found.integer_multiply);
    set("integer_divide_cost", &mut core.integer_divide_cost, found.integer_divide);
    set("integer_divide", &mut core.integer_divide, found.integer_divide_latency);
    // The measured loop also extends the sign before the division and adds after it.
    core.integer_divide = (core.integer_divide - 2.0 * core.integer).max(core.integer_divide_cost);
    set("load_cost", &mut core.load_cost, found.load);
    set("store_cost", &mut core.store_cost, found.store);
    set("fp_cost", &mut core.fp_cost, found.float);
    set("fp_divide32_cost", &mut core.fp_divide32_cost, found.divide32);
    set("fp_divide64_cost", &mut core.fp_divide64_cost, found.divide64);
    set("square_root_cost", &mut core.square_root_cost, found.square_root);
}

/// Measures the cost of a miss of each cache: the cost of a line in a working set that fits only the next level.
///
/// ```text
/// miss of   working set   its lines come from   cost of a miss
/// L1        3 x L1        L2                    a line from L2
/// L2        3 x L2        L3                    a line from L3 minus a line from L2
/// L3        4 x L3        memory                a line from memory minus a line from L3
/// ```
///
/// The working set is three times the cache, or half of the next one if that is less: a last cache that other programs use as
/// well is slower the more of it is used. Transfers overlap with the measuring loop, which does next to nothing, so the time of
/// the loop is not subtracted. From a latency, that of the first cache is subtracted, because every load includes it.
fn measure_transfers(machine: &mut Machine, repetitions: u32, spread: &mut BTreeMap<String, f64>) {
    let sizes: Vec<(u64, u64)> = machine.caches.iter().map(|cache| (cache.capacity, cache.line)).collect();
    let Some((first, line)) = sizes.first().copied() else { return };
    let near = line_times(first / 2, line, repetitions);
    let mut before = LineCosts::default();
    for (level, (capacity, line)) in sizes.iter().copied().enumerate() {
        let set = match sizes.get(level + 1) {
            Some((next, _)) => (3 * capacity).min((next / 2).max(2 * capacity)),
            None => 4 * capacity,
        };
        let set = set.min(MOST_BYTES).max(first);
        let found = line_times(set, line, repetitions.min(9));
        // A line from further away also passes the nearer caches, whose misses are counted separately.
        let all = LineCosts::new(&found, &near);
        let name = machine.caches[level].name.clone();
        spread.insert(format!("{name}.stream_ns"), found.stream.spread);
        spread.insert(format!("{name}.latency_ns"), found.latency.spread);
        machine.transfers[level] = all.cost_beyond(&before, name);
        before = all;
    }
}

/// Measures the time to translate the address of a page that is not in the TLB.
fn measure_pages(machine: &mut Machine, repetitions: u32, spread: &mut BTreeMap<String, f64>) {
    let line = machine.caches.first().map_or(64, |cache| cache.line);
    let found = page_walks(machine.pages.bytes, line, repetitions.min(9));
    machine.pages.miss_ns = found.nanoseconds;
    spread.insert("pages.miss_ns".to_owned(), found.spread);
}

/// Reduces the last cache to its usable size. A virtual machine sees the size of the cache of its host, of which it may use only
/// a part.
fn measure_usable_cache(machine: &mut Machine, repetitions: u32) {
    let [.., inner, last] = machine.caches.as_mut_slice() else { return };
    // Other programs that use the cache can only make it look smaller, so the largest result counts.
    let found = (0..TRIES).map(|_| usable_bytes(inner, last, repetitions)).max();
    last.capacity = found.unwrap_or(last.capacity);
}

/// The largest working set whose lines are still fast: below the geometric mean of the times of a line in the last cache and in
/// memory. Sizes are doubled from four times the inner cache on; the result is a multiple of lines times ways.
fn usable_bytes(inner: &Cache, last: &Cache, repetitions: u32) -> u64 {
    let stream = |bytes: u64| line_times(bytes, last.line, repetitions.min(5)).stream.nanoseconds;
    let (near, far) = (stream(3 * inner.capacity), stream((4 * last.capacity).min(MOST_BYTES)));
    let halfway = (near * far).sqrt();
    // Without a clear step between cache and memory the size cannot be measured.
    if far < 1.5 * near {
        return last.capacity;
    }
    let sizes = std::iter::successors(Some(4 * inner.capacity), |size| size.checked_mul(2));
    let still_near =
        sizes.take_while(|size| *size < last.capacity).take_while(|size| stream(*size) < halfway);
    let usable = still_near.last().map_or(3 * inner.capacity, |size| size * 3 / 2).min(last.capacity);
    let unit = last.line * last.ways;
    (usable / unit).max(1) * unit
}

/// The cost of a line in nanoseconds; `latency` is the part above the latency of the first cache.
#[derive(Debug, Clone, Copy, Default)]
struct LineCosts {
    stream: f64,
    scattered: f64,
    latency: f64,
    written: f64,
}

impl LineCosts {
    fn new(found: &LineTimes, near: &LineTimes) -> Self {
        Self {
            stream: found.stream.nanoseconds,
            scattered: found.scattered.nanoseconds,
            latency: (found.latency.nanoseconds - near.latency.nanoseconds).max(0.0),
            written: found.written.nanoseconds,
        }
    }

    /// The cost of a miss of `cache`: what a line costs more than in the level before.
    fn cost_beyond(&self, before: &Self, cache: String) -> Transfer {
        let stream_ns = (self.stream - before.stream).max(0.01);
        Transfer {
            cache,
            stream_ns,
            scattered_ns: (self.scattered - before.scattered).max(stream_ns),
            latency_ns: (self.latency - before.latency).max(stream_ns),
            write_back_ns: (self.written - before.written - stream_ns).max(0.0),
        }
    }
}

/// The clock, a table of the costs of misses, and the constants that are uncertain.
fn report(machine: &Machine) -> Document {
    let mut document = Document::new();
    let spread = machine.calibration.iter().flat_map(|calibration| &calibration.spread);
    let wide: Vec<&str> =
        spread.filter(|(_, spread)| **spread > WIDE_SPREAD).map(|(name, _)| name.as_str()).collect();
    document.lead(format!(
        "{} runs at {:.2} GHz; an addition of floating-point numbers takes {:.1} cycles.",
        machine.name, machine.core.clock_ghz, machine.core.fp_add
    ));
    let columns = ["a miss of", "stream", "scattered", "latency", "write back"];
    let mut table = Table::new("Nanoseconds for each line", columns.map(Column::left).to_vec());
    for cost in &machine.transfers {
        let numbers = [cost.stream_ns, cost.scattered_ns, cost.latency_ns, cost.write_back_ns];
        let cells = numbers.map(|number| Cell::number(format!("{number:.2}"), number));
        table.rows.push([vec![Cell::text(&*cost.cache)], cells.to_vec()].concat());
    }
    document.push(Block::Table(table));
    document.paragraph(format!(
        "Data on more than {} pages: {:.1} ns to look up each of the others.",
        machine.pages.entries, machine.pages.miss_ns
    ));
    if !wide.is_empty() {
        document.paragraph(format!(
            "These spread by more than a quarter from repetition to repetition: {}. Something else uses the machine; \
             calibrate again when it is idle.",
            wide.join(", ")
        ));
    }
    document
}
