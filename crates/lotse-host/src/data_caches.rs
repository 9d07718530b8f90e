//! The data caches of the first CPU, from sysfs. A virtual machine often shows the caches of its host, and shared caches with
//! their full size.

use crate::tree::SystemTree;

/// A data cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataCache {
    /// 1 for the cache nearest to the core.
    pub level: u32,
    pub bytes: u64,
    pub line: u64,
    /// Associativity.
    pub ways: u64,
}

/// The data caches of this machine, the nearest first; empty if the system does not describe them.
pub fn data_caches() -> Vec<DataCache> {
    data_caches_of(&SystemTree::real())
}

/// The data caches of a recorded machine.
pub fn data_caches_of(tree: &SystemTree) -> Vec<DataCache> {
    let mut caches: Vec<DataCache> = (0..8).filter_map(|index| cache(tree, index)).collect();
    caches.sort_by_key(|cache| cache.level);
    caches.dedup_by_key(|cache| cache.level);
    caches
}

fn cache(tree: &SystemTree, index: u32) -> Option<DataCache> {
    let file = |name: &str| format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
    if tree.text(&file("type"))? == "Instruction" {
        return None;
    }
    let (level, line) = (tree.number(&file("level"))?, tree.number(&file("coherency_line_size"))?);
    let bytes = size(&tree.text(&file("size"))?)?;
    // 0 means fully associative.
    let ways = tree.number(&file("ways_of_associativity")).filter(|ways| *ways > 0).unwrap_or(bytes / line);
    Some(DataCache { level, bytes, line, ways })
}

/// Parses a size such as `48K` or `2M`.
fn size(text: &str) -> Option<u64> {
    let (digits, factor) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) if text.ends_with('K') => (digits, 1 << 10),
        Some(digits) if text.ends_with('M') => (digits, 1 << 20),
        Some(digits) => (digits, 1 << 30),
        None => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::{DataCache, data_caches_of};
    use crate::tree::SystemTree;

    #[test]
    fn caches_as_sysfs_shows_them() {
        let directory = tempfile::tempdir().unwrap();
        let tree = SystemTree::at(directory.path());
        let rows = [
            (0, "1", "Data", "48K", "12"),
            (1, "1", "Instruction", "32K", "8"),
            (2, "2", "Unified", "2M", "16"),
            (3, "3", "Unified", "no number", "15"),
        ];
        for (index, level, kind, size, ways) in rows {
            let folder = directory.path().join(format!("sys/devices/system/cpu/cpu0/cache/index{index}"));
            std::fs::create_dir_all(&folder).unwrap();
            let files = [("level", level), ("type", kind), ("size", size), ("ways_of_associativity", ways)];
            for (name, text) in files.into_iter().chain([("coherency_line_size", "64\n")]) {
                std::fs::write(folder.join(name), text).unwrap();
            }
        }
        let first = DataCache { level: 1, bytes: 49152, line: 64, ways: 12 };
        assert_eq!(
            data_caches_of(&tree),
            [first, DataCache { level: 2, bytes: 2 << 20, line: 64, ways: 16 }]
        );
        assert_eq!(data_caches_of(&SystemTree::at(directory.path().join("nothing"))), []);
    }
}
