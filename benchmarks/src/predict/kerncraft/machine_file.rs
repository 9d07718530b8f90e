//! The machine file of kerncraft, made from Lotse's description, so that both know the same.
//!
//! Lotse's cost of a line is what the next level adds to the time, and kerncraft adds up the levels: a line from L3 costs both the
//! transfer from L2 and the one from L3 in both. Bandwidths follow from the cost of a line that is read and of one that is written back.

use lotse_predict::machine::{Cache, Machine, Transfer};

/// The in-core model of OSACA, and which of its ports load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Architecture {
    /// OSACA's name for it.
    pub name: &'static str,
    loads: &'static [&'static str],
    others: &'static [&'static str],
}

/// Those that are known here; OSACA has more.
const KNOWN: [Architecture; 4] = [
    Architecture {
        name: "SPR",
        loads: &["2", "3", "11"],
        others: &["0", "0DV", "1", "1DV", "4", "5", "6", "7", "8", "9", "10"],
    },
    Architecture {
        name: "ICX",
        loads: &["2D", "3D"],
        others: &["0", "0DV", "1", "1DV", "2", "3", "4", "5", "6", "7", "8", "9"],
    },
    Architecture {
        name: "CSX",
        loads: &["2D", "3D"],
        others: &["0", "0DV", "1", "2", "3", "4", "5", "6", "7"],
    },
    Architecture {
        name: "SKX",
        loads: &["2D", "3D"],
        others: &["0", "0DV", "1", "2", "3", "4", "5", "6", "7"],
    },
];

impl Architecture {
    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        KNOWN.into_iter().find(|it| it.name.eq_ignore_ascii_case(name))
    }

    /// The one that is nearest to the processor that `/proc/cpuinfo` describes.
    pub fn of_processor(cpuinfo: &str) -> Option<Self> {
        let field = |key: &str| {
            let line =
                cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|it| it.trim() == key))?;
            line.split_once(':')?.1.trim().parse::<u32>().ok()
        };
        if !cpuinfo.contains("GenuineIntel") || field("cpu family") != Some(6) {
            return None;
        }
        match (field("model")?, field("stepping").unwrap_or(0)) {
            // Sapphire, Emerald and Granite Rapids.
            (143 | 207 | 173 | 174, _) => Self::named("SPR"),
            (106 | 108, _) => Self::named("ICX"),
            (85, 5..) => Self::named("CSX"),
            (85, _) => Self::named("SKX"),
            _ => None,
        }
    }
}

/// The file, for one core and programs that gcc compiles with these options.
pub fn machine_file(machine: &Machine, architecture: &Architecture, options: &str) -> String {
    let Architecture { name, loads, others } = architecture;
    let (loads, others) = (list(loads), list(others));
    let line = machine.caches.first().map_or(64, |cache| cache.line);
    let clock = machine.core.clock_ghz;
    let mut text = format!(
        "kerncraft version: 0.8.18\nmodel name: '{}'\nmodel type: '{name}'\nclock: {clock:.4} GHz\n\
         sockets: 1\ncores per socket: 1\nthreads per core: 1\nNUMA domains per socket: 1\ncores per NUMA domain: 1\n\
         in-core model: !!omap\n- OSACA: {name}\nisa: x86\n\
         FLOPs per cycle:\n  DP: {{ADD: 4, FMA: 8, MUL: 4, total: 4}}\n  SP: {{ADD: 8, FMA: 16, MUL: 8, total: 8}}\n\
         compiler: !!omap\n- gcc: {options}\n\
         non-overlapping model:\n  ports:\n    OSACA: {loads}\n  performance counter metric: T_OL\n\
         overlapping model:\n  ports:\n    OSACA: {others}\n  performance counter metric: T_OL\n\
         cacheline size: {line} B\nmemory hierarchy:\n",
        machine.name.replace('\'', " "),
    );
    for (level, cache) in machine.caches.iter().enumerate() {
        let next = machine.caches.get(level + 1).map(|next| next.name.as_str());
        let throughput = match level {
            0 => format!("[architecture code analyzer, {loads}]"),
            _ => format!("[{:.3} B/cy, {}]", bytes_per_cycle(machine, level - 1), duplex(machine, level - 1)),
        };
        text.push_str(&cache_level(cache, next, &throughput));
    }
    text.push_str(
        "- level: MEM\n  size per group:\n  groups: 1\n  cores per group: 1\n  threads per group: 1\n  \
         upstream throughput: [full socket memory bandwidth, half-duplex]\n  transfers overlap: false\n",
    );
    text.push_str(&benchmarks(machine));
    text
}

fn list(ports: &[&str]) -> String {
    let quoted: Vec<String> = ports.iter().map(|port| format!("'{port}'")).collect();
    format!("[{}]", quoted.join(", "))
}

/// Bytes of a line by the cycles that a miss of this level costs.
fn bytes_per_cycle(machine: &Machine, level: usize) -> f64 {
    let cost = machine.transfer(level).map_or(1.0, |it| it.stream_ns);
    machine.caches[level].line as f64 / (cost * machine.core.clock_ghz)
}

/// Lines that are written back cost as much as lines that are read, or nothing beside them, whichever is nearer.
fn duplex(machine: &Machine, level: usize) -> &'static str {
    match machine.transfer(level) {
        Some(cost) if cost.write_back_ns < cost.stream_ns / 2.0 => "full-duplex",
        _ => "half-duplex",
    }
}

fn cache_level(cache: &Cache, next: Option<&str>, throughput: &str) -> String {
    let Cache { name, capacity, line, ways } = cache;
    let sets = capacity / (line * ways);
    let next = next.map_or_else(String::new, |next| format!(", load_from: {next}, store_to: {next}"));
    format!(
        "- level: {name}\n  cache per group: {{sets: {sets}, ways: {ways}, cl_size: {line}, replacement_policy: LRU, \
         write_allocate: true, write_back: true{next}}}\n  size per group: {capacity} B\n  groups: 1\n  \
         cores per group: 1\n  threads per group: 1\n  upstream throughput: {throughput}\n  transfers overlap: false\n"
    )
}

/// A loop over arrays that kerncraft takes bandwidths from: how many it reads, and whether it writes one, which it may read, too.
struct Streams {
    name: &'static str,
    reads: u32,
    writes: u32,
    is_update: bool,
}

const STREAMS: [Streams; 5] = [
    Streams { name: "load", reads: 1, writes: 0, is_update: false },
    Streams { name: "copy", reads: 1, writes: 1, is_update: false },
    Streams { name: "update", reads: 1, writes: 1, is_update: true },
    Streams { name: "triad", reads: 3, writes: 1, is_update: false },
    Streams { name: "daxpy", reads: 2, writes: 1, is_update: true },
];

impl Streams {
    /// Bytes that the loop asks for in a nanosecond: lines that are fetched only to be written are not among them.
    fn gigabytes(&self, line: f64, cost: &Transfer) -> f64 {
        let (reads, writes) = (f64::from(self.reads), f64::from(self.writes));
        let fetched = if self.is_update { reads } else { reads + writes };
        (reads + writes) * line / (fetched * cost.stream_ns + writes * cost.write_back_ns)
    }
}

fn benchmarks(machine: &Machine) -> String {
    let stream = |count: u32| format!("{{bytes: {} B, streams: {count}}}", 8 * count);
    let kernel = |it: &Streams| {
        let both = u32::from(it.is_update);
        format!(
            "    {}:\n      FLOPs per iteration: 0\n      read streams: {}\n      read+write streams: {}\n      \
             write streams: {}\n",
            it.name,
            stream(it.reads),
            stream(both),
            stream(it.writes)
        )
    };
    let kernels: String = STREAMS.iter().map(kernel).collect();
    let last = machine.caches.len().saturating_sub(1);
    let (line, cost) = (machine.caches[last].line as f64, machine.transfer(last));
    let result = |it: &Streams| {
        cost.map(|cost| format!("          {}: [{:.3} GB/s]\n", it.name, it.gigabytes(line, cost)))
    };
    let results: String = STREAMS.iter().filter_map(result).collect();
    format!(
        "benchmarks:\n  kernels:\n{kernels}  measurements:\n    MEM:\n      1:\n        threads per core: 1\n        \
         cores: [1]\n        threads: [1]\n        results:\n{results}"
    )
}

#[cfg(test)]
mod tests {
    use super::{Architecture, machine_file};
    use lotse_predict::machine::Machine;

    const MACHINE: &str = "name = \"it's one\"\n[[cache]]\nname = \"L1\"\ncapacity = 49152\nline = 64\nways = 12\n\
        [[cache]]\nname = \"L2\"\ncapacity = 2097152\nline = 64\nways = 16\n[core]\nclock_ghz = 2.0\n\
        [[transfer]]\ncache = \"L1\"\nstream_ns = 0.5\nscattered_ns = 1\nlatency_ns = 4\nwrite_back_ns = 0.5\n\
        [[transfer]]\ncache = \"L2\"\nstream_ns = 4.0\nscattered_ns = 8\nlatency_ns = 90\nwrite_back_ns = 2.0\n";

    #[test]
    fn caches_and_costs_are_those_of_the_description() {
        let machine = Machine::from_toml(MACHINE).unwrap();
        let text = machine_file(&machine, &Architecture::named("spr").unwrap(), "-O3 -g");
        let has = |line: &str| assert!(text.lines().any(|it| it.trim() == line), "{line}\n{text}");
        has("clock: 2.0000 GHz");
        has("model name: 'it s one'");
        has("- gcc: -O3 -g");
        has("- OSACA: SPR");
        has(
            "cache per group: {sets: 64, ways: 12, cl_size: 64, replacement_policy: LRU, write_allocate: true, \
            write_back: true, load_from: L2, store_to: L2}",
        );
        has("upstream throughput: [64.000 B/cy, half-duplex]");
        has("upstream throughput: [full socket memory bandwidth, half-duplex]");
        // A read line takes 4 ns; a copied one is fetched twice and written once.
        has("load: [16.000 GB/s]");
        has("copy: [12.800 GB/s]");
        has("update: [21.333 GB/s]");
        assert_eq!(text.matches("- level: ").count(), 3);
    }

    #[test]
    fn lines_that_are_written_back_for_nothing_do_not_count() {
        let free = MACHINE.replacen("write_back_ns = 0.5", "write_back_ns = 0.1", 1);
        let machine = Machine::from_toml(&free).unwrap();
        let text = machine_file(&machine, &Architecture::named("SPR").unwrap(), "-O3");
        assert!(text.contains("upstream throughput: [64.000 B/cy, full-duplex]"), "{text}");
    }

    #[test]
    fn the_architecture_is_that_of_the_processor() {
        let cpu = |model: u32, stepping: u32| {
            let text = format!(
                "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: {model}\nmodel name\t: X\nstepping\t: {stepping}\n"
            );
            Architecture::of_processor(&text).map(|it| it.name)
        };
        assert_eq!(
            (cpu(173, 1), cpu(106, 6), cpu(85, 7), cpu(85, 4)),
            (Some("SPR"), Some("ICX"), Some("CSX"), Some("SKX"))
        );
        assert_eq!(cpu(23, 1), None);
        assert_eq!(
            Architecture::of_processor("vendor_id : AuthenticAMD\ncpu family : 6\nmodel : 173\n"),
            None
        );
        assert_eq!(Architecture::named("M1"), None);
    }

    /// The whole file, for a machine with two caches.
    #[test]
    fn the_file_is_complete() {
        let machine = Machine::from_toml(MACHINE).unwrap();
        let text = machine_file(&machine, &Architecture::named("CSX").unwrap(), "-O2");
        assert_eq!(text, GOLDEN);
    }

    /// kerncraft 0.8.18 reads files of this form.
    const GOLDEN: &str = "\
kerncraft version: 0.8.18
model name: 'it s one'
model type: 'CSX'
clock: 2.0000 GHz
sockets: 1
cores per socket: 1
threads per core: 1
NUMA domains per socket: 1
cores per NUMA domain: 1
in-core model: !!omap
- OSACA: CSX
isa: x86
FLOPs per cycle:
  DP: {ADD: 4, FMA: 8, MUL: 4, total: 4}
  SP: {ADD: 8, FMA: 16, MUL: 8, total: 8}
compiler: !!omap
- gcc: -O2
non-overlapping model:
  ports:
    OSACA: ['2D', '3D']
  performance counter metric: T_OL
overlapping model:
  ports:
    OSACA: ['0', '0DV', '1', '2', '3', '4', '5', '6', '7']
  performance counter metric: T_OL
cacheline size: 64 B
memory hierarchy:
- level: L1
  cache per group: {sets: 64, ways: 12, cl_size: 64, replacement_policy: LRU, write_allocate: true, write_back: true, load_from: L2, store_to: L2}
  size per group: 49152 B
  groups: 1
  cores per group: 1
  threads per group: 1
  upstream throughput: [architecture code analyzer, ['2D', '3D']]
  transfers overlap: false
- level: L2
  cache per group: {sets: 2048, ways: 16, cl_size: 64, replacement_policy: LRU, write_allocate: true, write_back: true}
  size per group: 2097152 B
  groups: 1
  cores per group: 1
  threads per group: 1
  upstream throughput: [64.000 B/cy, half-duplex]
  transfers overlap: false
- level: MEM
  size per group:
  groups: 1
  cores per group: 1
  threads per group: 1
  upstream throughput: [full socket memory bandwidth, half-duplex]
  transfers overlap: false
benchmarks:
  kernels:
    load:
      FLOPs per iteration: 0
      read streams: {bytes: 8 B, streams: 1}
      read+write streams: {bytes: 0 B, streams: 0}
      write streams: {bytes: 0 B, streams: 0}
    copy:
      FLOPs per iteration: 0
      read streams: {bytes: 8 B, streams: 1}
      read+write streams: {bytes: 0 B, streams: 0}
      write streams: {bytes: 8 B, streams: 1}
    update:
      FLOPs per iteration: 0
      read streams: {bytes: 8 B, streams: 1}
      read+write streams: {bytes: 8 B, streams: 1}
      write streams: {bytes: 8 B, streams: 1}
    triad:
      FLOPs per iteration: 0
      read streams: {bytes: 24 B, streams: 3}
      read+write streams: {bytes: 0 B, streams: 0}
      write streams: {bytes: 8 B, streams: 1}
    daxpy:
      FLOPs per iteration: 0
      read streams: {bytes: 16 B, streams: 2}
      read+write streams: {bytes: 8 B, streams: 1}
      write streams: {bytes: 8 B, streams: 1}
  measurements:
    MEM:
      1:
        threads per core: 1
        cores: [1]
        threads: [1]
        results:
          load: [16.000 GB/s]
          copy: [12.800 GB/s]
          update: [21.333 GB/s]
          triad: [14.222 GB/s]
          daxpy: [19.200 GB/s]
";
}
