//! Which CPUs this process may use.

/// Two CPUs of this process's affinity, on different cores if the topology is known; `None` if there are fewer than two.
#[cfg(target_os = "linux")]
pub fn two_cpus() -> Option<[u32; 2]> {
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    let usable: Vec<u32> = (0..1024).filter(|&cpu| set.is_set(cpu as usize)).collect();
    let first = *usable.first()?;
    let siblings = siblings(first);
    let apart = usable.iter().find(|cpu| !siblings.contains(cpu));
    apart.or(usable.get(1)).map(|&second| [first, second])
}

/// Other systems have no launcher, so two programs are never run at once.
#[cfg(not(target_os = "linux"))]
pub fn two_cpus() -> Option<[u32; 2]> {
    None
}

/// The CPUs of the same core, including this one.
#[cfg(target_os = "linux")]
fn siblings(cpu: u32) -> Vec<u32> {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    std::fs::read_to_string(path).map_or_else(|_| vec![cpu], |text| parse_list(&text))
}

/// Parses a list such as `0,4-6`.
#[cfg(target_os = "linux")]
pub(crate) fn parse_list(text: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
        Some(first.parse::<u32>().ok()?..=last.parse::<u32>().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

/// Formats CPUs, given in ascending order, as such a list.
#[cfg(target_os = "linux")]
pub(crate) fn format_list(cpus: impl IntoIterator<Item = u32>) -> String {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for cpu in cpus {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push([cpu, cpu]),
        }
    }
    let range = |[first, last]: &[u32; 2]| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

/// A random number as the seed for the order of runs.
pub fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The hasher's keys come from the operating system's random numbers.
    std::hash::RandomState::new().build_hasher().finish()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{format_list, parse_list, random_seed};

    #[test]
    fn lists_of_cpus() {
        assert_eq!(parse_list("0,4-6\n"), [0, 4, 5, 6]);
        assert_eq!(parse_list(""), [0u32; 0]);
        for text in ["0,4-6", "1", "", "0-1,3-4"] {
            assert_eq!(format_list(parse_list(text)), text);
        }
    }

    #[test]
    fn seeds_differ() {
        assert_ne!(random_seed(), random_seed());
    }
}
