//! Descriptions of machines: caches, costs of their misses, constants of a core. They are read and written as TOML; nothing
//! here queries the machine itself.
//!
//! ```toml
//! name = "laptop"
//! [[cache]]
//! name = "L1"
//! capacity = 49152      # bytes
//! line = 64             # bytes
//! ways = 12
//! [core]                # constants that are left out get typical values
//! clock_ghz = 3.1
//! [[transfer]]
//! cache = "L1"          # a miss in L1 that hits in L2
//! stream_ns = 0.8
//! scattered_ns = 1.2
//! latency_ns = 4.5
//! write_back_ns = 0.8
//! [pages]
//! entries = 2048        # address translations that the TLB holds
//! miss_ns = 4.0         # page walk after a TLB miss
//! ```

mod core;
mod pages;
mod transfer;

use std::collections::BTreeMap;

pub use core::Core;
pub use pages::Pages;
use serde::{Deserialize, Serialize};
pub use transfer::Transfer;

/// The description of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    pub name: String,
    /// Data caches of one core, the nearest first.
    #[serde(rename = "cache")]
    pub caches: Vec<Cache>,
    #[serde(default)]
    pub core: Core,
    /// Costs of misses, one for each cache; typical costs fill the gaps.
    #[serde(default, rename = "transfer")]
    pub transfers: Vec<Transfer>,
    #[serde(default)]
    pub pages: Pages,
    /// How the constants were measured; absent if they are typical or written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
}

/// How the constants of a machine were measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The day, as year-month-day.
    pub date: String,
    /// Repetitions of each measurement.
    pub repetitions: u32,
    /// For each measured constant, the interquartile range of its repetitions divided by the value.
    pub spread: BTreeMap<String, f64>,
}

/// One set-associative data cache with LRU replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// "L1", "L2", "L3".
    pub name: String,
    /// Total bytes.
    pub capacity: u64,
    /// Bytes of one line.
    pub line: u64,
    /// Lines of one set.
    pub ways: u64,
}

/// Why a description cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// Not TOML, or not of this form.
    #[error("the description of the machine cannot be read: {0}")]
    Form(String),
    #[error("the description of the machine has no [[cache]]")]
    NoCache,
    /// A constant that no core can have.
    #[error("the description of the machine: {0}")]
    Core(&'static str),
    /// A transfer of a cache that is not described.
    #[error("the description of the machine has a [[transfer]] of cache {0}, but no such [[cache]]")]
    UnknownCache(String),
    /// A size that no cache can have.
    #[error("cache {name}: {problem}")]
    Geometry { name: String, problem: &'static str },
}

impl Machine {
    /// Reads and checks a description.
    pub fn from_toml(text: &str) -> Result<Self, MachineError> {
        let machine: Self = toml::from_str(text).map_err(|error| MachineError::Form(error.to_string()))?;
        machine.checked()
    }

    /// A machine with these caches and typical constants.
    pub fn typical(name: &str, caches: Vec<Cache>) -> Result<Self, MachineError> {
        let (core, transfers) = (Core::default(), Vec::new());
        let pages = Pages::default();
        Self { name: name.to_owned(), caches, core, transfers, pages, calibration: None }.checked()
    }

    /// The description as TOML.
    pub fn to_toml(&self) -> Result<String, MachineError> {
        toml::to_string(self).map_err(|error| MachineError::Form(error.to_string()))
    }

    /// The cost of a miss in the cache at this position.
    pub fn transfer(&self, cache: usize) -> Option<&Transfer> {
        self.transfers.get(cache)
    }

    /// The description with the transfers in the order of the caches, or an error if it is inconsistent.
    fn checked(mut self) -> Result<Self, MachineError> {
        if self.caches.is_empty() {
            return Err(MachineError::NoCache);
        }
        self.caches.iter().try_for_each(Cache::check)?;
        let grows = self.caches.windows(2).all(|pair| pair[0].capacity < pair[1].capacity);
        if let Some(last) = self.caches.last().filter(|_| !grows) {
            return Err(last.problem("caches must grow from the first to the last"));
        }
        if let Some(problem) = self.core.problem().or_else(|| self.pages.problem()) {
            return Err(MachineError::Core(problem));
        }
        self.complete_transfers()?;
        Ok(self)
    }

    /// Brings the transfers into the order of the caches and adds typical costs for caches without a transfer.
    fn complete_transfers(&mut self) -> Result<(), MachineError> {
        let names: Vec<&str> = self.caches.iter().map(|cache| cache.name.as_str()).collect();
        if let Some(unknown) = self.transfers.iter().find(|cost| !names.contains(&cost.cache.as_str())) {
            return Err(MachineError::UnknownCache(unknown.cache.clone()));
        }
        let given = |typical: Transfer| {
            let own = self.transfers.iter().find(|cost| cost.cache == typical.cache);
            own.cloned().unwrap_or(typical)
        };
        let transfers: Vec<Transfer> = transfer::typical(&names).into_iter().map(given).collect();
        let numbers =
            |cost: &Transfer| [cost.stream_ns, cost.scattered_ns, cost.latency_ns, cost.write_back_ns];
        if transfers.iter().flat_map(numbers).any(|number| !(0.0..=1e9).contains(&number)) {
            return Err(MachineError::Core("every cost of [[transfer]] must be between 0 and 1000000000"));
        }
        self.transfers = transfers;
        Ok(())
    }
}

impl Cache {
    /// Number of sets.
    pub fn sets(&self) -> u64 {
        (self.capacity / self.line / self.ways).max(1)
    }

    /// Number of lines.
    pub fn lines(&self) -> u64 {
        self.sets() * self.ways
    }

    fn check(&self) -> Result<(), MachineError> {
        if self.line < 8 || !self.line.is_power_of_two() {
            Err(self.problem("the line must be a power of two of at least 8 bytes"))
        } else if self.ways == 0 || self.ways > 4096 {
            Err(self.problem("there must be 1 to 4096 ways"))
        } else if !self.capacity.is_multiple_of(self.line * self.ways) || self.capacity == 0 {
            Err(self.problem("the capacity must be a multiple of line times ways"))
        } else if self.capacity > 1 << 40 {
            Err(self.problem("the capacity is above 1 TiB"))
        } else {
            Ok(())
        }
    }

    fn problem(&self, problem: &'static str) -> MachineError {
        MachineError::Geometry { name: self.name.clone(), problem }
    }
}

#[cfg(test)]
mod tests {
    use super::{Machine, MachineError};

    fn with(geometry: &str) -> Result<Machine, MachineError> {
        Machine::from_toml(&format!("name = \"m\"\n[[cache]]\nname = \"L1\"\n{geometry}\n"))
    }

    #[test]
    fn geometry_is_read_and_checked() {
        let machine = with("capacity = 49152\nline = 64\nways = 12").unwrap();
        assert_eq!((machine.caches[0].sets(), machine.caches[0].lines()), (64, 768));
        for wrong in [
            "capacity = 1000\nline = 64\nways = 8",
            "capacity = 4096\nline = 48\nways = 8",
            "capacity = 4096",
        ] {
            assert!(with(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Machine::from_toml("name = \"m\"\ncache = []"), Err(MachineError::NoCache));
    }

    #[test]
    fn constants_are_completed_checked_and_written() {
        let geometry = "capacity = 49152\nline = 64\nways = 12\n[core]\nclock_ghz = 2.5";
        let machine = with(geometry).unwrap();
        assert_eq!((machine.core.clock_ghz, machine.core.fp_add, machine.transfers.len()), (2.5, 4.0, 1));
        assert_eq!(Machine::from_toml(&machine.to_toml().unwrap()), Ok(machine));
        for wrong in ["clock_ghz = 0", "clock_ghz = nan", "fp_add = -1", "no_such = 1", "window = inf"] {
            assert!(with(&geometry.replace("clock_ghz = 2.5", wrong)).is_err(), "{wrong}");
        }
        let costs = "stream_ns = 1.0\nscattered_ns = 1.0\nlatency_ns = 1.0\nwrite_back_ns = 1.0";
        let other = with(&format!("{geometry}\n[[transfer]]\ncache = \"L9\"\n{costs}"));
        assert_eq!(other, Err(MachineError::UnknownCache("L9".into())));
    }

    #[test]
    fn caches_must_grow() {
        let two = "capacity = 4096\nline = 64\nways = 1\n[[cache]]\nname = \"L2\"\ncapacity = 4096\nline = 64\nways = 1";
        assert!(with(two).unwrap_err().to_string().contains("must grow"));
    }
}
