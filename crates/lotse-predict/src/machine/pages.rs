//! Pages of memory and the TLB, which holds the address translations of some of them.

use serde::{Deserialize, Serialize};

use super::Cache;

/// The pages that data are on. The TLB of a core holds the translations of some pages; for others the core walks the page table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pages {
    /// Bytes of a page.
    pub bytes: u64,
    /// Translations that the TLB holds.
    pub entries: u64,
    /// Nanoseconds of a page walk, if addresses jump but do not depend on each other.
    pub miss_ns: f64,
}

impl Default for Pages {
    /// Pages of 4 KiB, and a second-level TLB as in cores of the last ten years.
    fn default() -> Self {
        Self { bytes: 4096, entries: 2048, miss_ns: 4.0 }
    }
}

impl Pages {
    /// The TLB as a cache whose lines are pages.
    pub(crate) fn as_cache(&self) -> Cache {
        /// Entries of a set.
        const WAYS: u64 = 8;
        let ways = if self.entries.is_multiple_of(WAYS) { WAYS } else { 1 };
        Cache { name: "pages".to_owned(), capacity: self.entries * self.bytes, line: self.bytes, ways }
    }

    /// What is wrong with the numbers, if anything.
    pub(super) fn problem(&self) -> Option<&'static str> {
        if !self.bytes.is_power_of_two() || !(512..=1 << 30).contains(&self.bytes) {
            Some("[pages] bytes must be a power of two between 512 and 1 GiB")
        } else if !(1..=1 << 20).contains(&self.entries) {
            Some("[pages] entries must be between 1 and 1048576")
        } else if !(0.0..=1e6).contains(&self.miss_ns) {
            Some("[pages] miss_ns must be between 0 and 1000000")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pages;
    use crate::machine::Machine;

    fn with(pages: &str) -> Result<Machine, crate::machine::MachineError> {
        let cache = "[[cache]]\nname = \"L1\"\ncapacity = 32768\nline = 64\nways = 8\n";
        Machine::from_toml(&format!("name = \"m\"\n{cache}{pages}"))
    }

    #[test]
    fn pages_are_read_and_checked() {
        assert_eq!(with("").unwrap().pages, Pages::default());
        let own = with("[pages]\nentries = 64\nmiss_ns = 9.5\n").unwrap().pages;
        assert_eq!(own, Pages { bytes: 4096, entries: 64, miss_ns: 9.5 });
        assert_eq!((own.as_cache().lines(), own.as_cache().sets()), (64, 8));
        for wrong in ["bytes = 3000", "entries = 0", "miss_ns = -1.0", "size = 4096"] {
            assert!(with(&format!("[pages]\n{wrong}\n")).is_err(), "{wrong}");
        }
    }
}
