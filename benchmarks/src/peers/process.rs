//! What `/proc` tells about the processes that the launcher has started.

use std::fs;

/// The name of KCachegrind's program.
pub(super) const KCACHEGRIND: &str = "kcachegrind";

/// A running process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pid(pub(super) i32);

impl Pid {
    fn file(self, name: &str) -> Option<String> {
        // A process may end at any time: then there is nothing to know about it.
        fs::read_to_string(format!("/proc/{}/{name}", self.0)).ok()
    }

    /// Name of its program, as far as the kernel keeps it.
    pub(super) fn name(self) -> Option<String> {
        Some(self.file("comm")?.trim_end().to_owned())
    }

    /// Anonymous memory it has now, in bytes.
    pub(super) fn anonymous(self) -> Option<u64> {
        anonymous(&self.file("status")?)
    }

    /// CPU time so far, in ticks of the kernel.
    pub(super) fn ticks(self) -> Option<u64> {
        ticks(&self.file("stat")?)
    }
}

/// All processes that were started by our children, with theirs.
pub(super) fn below_our_children() -> Vec<Pid> {
    let mut open: Vec<Pid> =
        children("self").into_iter().flat_map(|it| children(&it.0.to_string())).collect();
    let mut all = Vec::new();
    while let Some(next) = open.pop() {
        all.push(next);
        open.extend(children(&next.0.to_string()));
    }
    all
}

fn children(process: &str) -> Vec<Pid> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = tasks.flatten().flat_map(|task| fs::read_to_string(task.path().join("children")));
    lists
        .flat_map(|list| list.split_ascii_whitespace().flat_map(str::parse).map(Pid).collect::<Vec<_>>())
        .collect()
}

fn anonymous(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

fn ticks(stat: &str) -> Option<u64> {
    // The name before it may have blanks and brackets of its own.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11).map_while(|field| field.parse::<u64>().ok());
    Some(times.next()? + times.next()?)
}

#[cfg(test)]
mod tests {
    use super::{anonymous, children, ticks};

    #[test]
    fn anonymous_memory_is_in_kib() {
        let status = "Name:\tx\nVmHWM:\t  528784 kB\nRssAnon:\t   440064 kB\nRssFile:\t 1 kB\n";
        assert_eq!(anonymous(status), Some(440_064 * 1024));
        assert_eq!(anonymous("Name:\tkthread\n"), None);
    }

    #[test]
    fn ticks_are_those_in_user_and_kernel_mode() {
        let stat = "5939 (a (b) c) S 5938 1 1 0 -1 4194304 100 0 0 0 121 47 8 9 20 0 1 0";
        assert_eq!(ticks(stat), Some(168));
        assert_eq!(ticks("5939 (a"), None);
    }

    #[test]
    fn children_are_found() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let found = children("self").iter().any(|it| it.0 as u32 == child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found);
    }
}
