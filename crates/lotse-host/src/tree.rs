//! The files of `/proc`, `/sys` and `/etc`, which tests replace by recorded ones.

use std::path::{Path, PathBuf};

/// The root of the system's pseudo files.
#[derive(Debug, Clone)]
pub struct SystemTree {
    root: PathBuf,
}

impl SystemTree {
    /// The files of the running system.
    pub fn real() -> Self {
        Self::at("/")
    }

    /// Recorded files: a directory with `proc`, `sys` and `etc` in it.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The real path of a file such as `/proc/cpuinfo`.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.root.join(Path::new(file).strip_prefix("/").unwrap_or(Path::new(file)))
    }

    /// The text of a file, trimmed. `None` if it cannot be read: a facility that is missing and one that is hidden are treated
    /// alike.
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        let bytes = self.bytes(file)?;
        Some(
            String::from_utf8_lossy(&bytes).trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned(),
        )
    }

    /// The bytes of a file; `None` if it cannot be read.
    pub fn bytes(&self, file: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path(file)).ok()
    }

    /// The value of a file that contains one number.
    pub(crate) fn number<T: std::str::FromStr>(&self, file: &str) -> Option<T> {
        self.text(file)?.parse().ok()
    }

    /// Whether a file exists.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.path(file).exists()
    }
}

#[cfg(test)]
pub(crate) mod recorded {
    //! Recorded files of three kinds of machine, reduced to those that Lotse reads.

    use super::SystemTree;

    /// A recorded tree in a temporary directory.
    pub(crate) struct Recorded {
        pub(crate) tree: SystemTree,
        _directory: tempfile::TempDir,
    }

    fn record(files: &[(&str, &str)]) -> Recorded {
        let directory = tempfile::tempdir().unwrap();
        let tree = SystemTree::at(directory.path());
        for (file, text) in files {
            let path = tree.path(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Recorded { tree, _directory: directory }
    }

    /// A laptop: frequency scaling, turbo, two threads per core, PSI, cgroup v2.
    pub(crate) fn laptop() -> Recorded {
        record(&[
            ("/etc/os-release", "NAME=\"Fedora Linux\"\nPRETTY_NAME=\"Fedora Linux 42\"\nID=fedora\n"),
            (
                "/proc/cpuinfo",
                "processor\t: 0\nmodel name\t: 13th Gen Intel(R) Core(TM) i7-1360P\nmicrocode\t: 0x4121\nflags\t\t: fpu vme ht tsc\n\nprocessor\t: 1\nmodel name\t: 13th Gen Intel(R) Core(TM) i7-1360P\n",
            ),
            ("/proc/meminfo", "MemTotal:       32558100 kB\nMemFree:        1000 kB\n"),
            ("/proc/loadavg", "0.31 0.20 0.10 1/900 4242\n"),
            ("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=123456\n"),
            ("/proc/self/status", "Name:\tlotse\nCpus_allowed:\tffff\nCpus_allowed_list:\t0-15\n"),
            ("/proc/self/sched", "lotse (1, #threads: 1)\n"),
            ("/proc/self/schedstat", "1 2 3\n"),
            ("/proc/sys/kernel/arch", "x86_64\n"),
            ("/proc/sys/kernel/osrelease", "6.14.9-300.fc42.x86_64\n"),
            ("/proc/sys/kernel/perf_event_paranoid", "2\n"),
            ("/proc/sys/kernel/randomize_va_space", "2\n"),
            ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
            ("/sys/devices/system/cpu/online", "0-15\n"),
            ("/sys/devices/system/cpu/smt/active", "1\n"),
            ("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n"),
            ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
        ])
    }

    /// A small virtual machine: no frequency scaling, cgroup v1, no PSI.
    pub(crate) fn virtual_machine() -> Recorded {
        record(&[
            ("/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            (
                "/proc/cpuinfo",
                "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor\nmicrocode\t: 0x1\nflags\t\t: fpu hypervisor lahf_lm\n",
            ),
            ("/proc/meminfo", "MemTotal:        4014984 kB\n"),
            ("/proc/self/status", "Cpus_allowed_list:\t0\n"),
            ("/proc/self/schedstat", "1 2 3\n"),
            ("/proc/sys/kernel/osrelease", "5.10.0\n"),
            ("/proc/sys/kernel/perf_event_paranoid", "4\n"),
            ("/proc/sys/kernel/randomize_va_space", "0\n"),
            ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n"),
            ("/sys/devices/system/cpu/online", "0-1\n"),
            ("/sys/devices/system/cpu/smt/active", "0\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n"),
        ])
    }

    /// A board with an ARM processor, an AMD-style boost file and no flags.
    pub(crate) fn aarch64() -> Recorded {
        record(&[
            (
                "/proc/cpuinfo",
                "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd08\nCPU revision\t: 3\n",
            ),
            ("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0"),
            ("/proc/meminfo", "MemTotal:        8045880 kB\n"),
            ("/proc/sys/kernel/arch", "aarch64\n"),
            ("/proc/sys/kernel/osrelease", "6.6.20+rpt-rpi-v8\n"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "ondemand\n"),
            ("/sys/devices/system/cpu/cpufreq/boost", "0\n"),
            ("/sys/devices/system/cpu/online", "0-3\n"),
            ("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"),
        ])
    }
}
