//! Collects the machine's fingerprint from `/proc`, `/sys` and `/etc`. What cannot be read is absent.

use lotse_model::fingerprint::Fingerprint;

use crate::disturbance::parse_load;
use crate::tree::SystemTree;

const CPU: &str = "/sys/devices/system/cpu";

/// The fingerprint of this machine; `lotse` is the version of Lotse.
pub fn fingerprint(lotse: &str) -> Fingerprint {
    fingerprint_of(&SystemTree::real(), lotse)
}

/// The fingerprint of the machine whose pseudo files are in `tree`.
pub fn fingerprint_of(tree: &SystemTree, lotse: &str) -> Fingerprint {
    let cpuinfo = tree.text("/proc/cpuinfo");
    let cpuinfo = cpuinfo.as_deref();
    let status = tree.text("/proc/self/status");
    Fingerprint {
        lotse: lotse.to_owned(),
        host: tree.text("/proc/sys/kernel/hostname").filter(|name| !name.is_empty()),
        system: tree.text("/etc/os-release").as_deref().and_then(pretty_name),
        kernel: tree.text("/proc/sys/kernel/osrelease"),
        architecture: tree.text("/proc/sys/kernel/arch").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        processor: processor(tree, cpuinfo),
        microcode: field(cpuinfo, "microcode").map(str::to_owned),
        usable_cpus: field(status.as_deref(), "Cpus_allowed_list").and_then(count_list),
        online_cpus: tree.text(&format!("{CPU}/online")).as_deref().and_then(count_list),
        memory: tree.text("/proc/meminfo").as_deref().and_then(total_memory),
        page_size: page_size(),
        virtual_machine: virtual_machine(tree, cpuinfo),
        governor: tree.text(&format!("{CPU}/cpu0/cpufreq/scaling_governor")),
        turbo: turbo(tree),
        smt: switch(tree, &format!("{CPU}/smt/active")),
        aslr: tree.number("/proc/sys/kernel/randomize_va_space"),
        clock_source: tree.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        huge_pages: tree.text("/sys/kernel/mm/transparent_hugepage/enabled").as_deref().and_then(chosen),
        load: tree.text("/proc/loadavg").as_deref().and_then(parse_load),
    }
}

/// Whether the clock rate may exceed the nominal one. Intel's file has the inverse meaning (`no_turbo`).
pub(crate) fn turbo(tree: &SystemTree) -> Option<bool> {
    let intel = switch(tree, &format!("{CPU}/intel_pstate/no_turbo")).map(|off| !off);
    intel.or_else(|| switch(tree, &format!("{CPU}/cpufreq/boost")))
}

/// The value of a file that contains 0 or 1.
pub(crate) fn switch(tree: &SystemTree, file: &str) -> Option<bool> {
    match tree.text(file)?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// Whether this is a virtual machine. x86 has a flag for it; on other processors only a positive answer is certain.
pub(crate) fn virtual_machine(tree: &SystemTree, cpuinfo: Option<&str>) -> Option<bool> {
    const VENDORS: [&str; 5] = ["QEMU", "VMware", "innotek", "Xen", "Parallels"];
    if let Some(flags) = field(cpuinfo, "flags") {
        return Some(flags.split_ascii_whitespace().any(|flag| flag == "hypervisor"));
    }
    let vendor = tree.text("/sys/class/dmi/id/sys_vendor");
    let is_hypervisor = |vendor: String| VENDORS.iter().any(|name| vendor.contains(name));
    let seen = tree.has("/sys/hypervisor/type")
        || tree.has("/proc/device-tree/hypervisor")
        || vendor.is_some_and(is_hypervisor);
    seen.then_some(true)
}

fn processor(tree: &SystemTree, cpuinfo: Option<&str>) -> Option<String> {
    let part = || {
        let (implementer, part) = (field(cpuinfo, "CPU implementer")?, field(cpuinfo, "CPU part")?);
        Some(format!("implementer {implementer} part {part}"))
    };
    let board = || tree.text("/proc/device-tree/model");
    let name = field(cpuinfo, "model name").filter(|name| !name.is_empty()).map(str::to_owned);
    name.or_else(|| match (board(), part()) {
        (Some(board), Some(part)) => Some(format!("{board} ({part})")),
        (board, part) => board.or(part),
    })
}

/// The value of the first `name : value` line.
fn field<'a>(text: Option<&'a str>, name: &str) -> Option<&'a str> {
    let values = text?.lines().filter_map(|line| line.split_once(':'));
    values.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

fn pretty_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned())
}

/// Bytes of main memory.
fn total_memory(meminfo: &str) -> Option<u64> {
    let kib: u64 = field(Some(meminfo), "MemTotal")?.strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// How many numbers a list such as `0-3,8` contains.
fn count_list(list: &str) -> Option<u32> {
    list.trim().split(',').try_fold(0u32, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// The word in brackets: the current choice.
fn chosen(choices: &str) -> Option<String> {
    let (_, rest) = choices.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

#[cfg(unix)]
fn page_size() -> Option<u64> {
    Some(rustix::param::page_size() as u64)
}

#[cfg(not(unix))]
fn page_size() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::{chosen, count_list, field, fingerprint, fingerprint_of, pretty_name, total_memory};
    use crate::tree::{SystemTree, recorded};

    #[test]
    fn a_laptop() {
        let it = fingerprint_of(&recorded::laptop().tree, "1.2.3");
        assert_eq!(it.lotse, "1.2.3");
        assert_eq!(it.system.as_deref(), Some("Fedora Linux 42"));
        assert_eq!(it.kernel.as_deref(), Some("6.14.9-300.fc42.x86_64"));
        assert_eq!(it.architecture, "x86_64");
        assert_eq!(it.processor.as_deref(), Some("13th Gen Intel(R) Core(TM) i7-1360P"));
        assert_eq!(it.microcode.as_deref(), Some("0x4121"));
        assert_eq!((it.usable_cpus, it.online_cpus), (Some(16), Some(16)));
        assert_eq!(it.memory, Some(32_558_100 * 1024));
        assert_eq!(it.governor.as_deref(), Some("powersave"));
        assert_eq!((it.turbo, it.smt, it.virtual_machine), (Some(true), Some(true), Some(false)));
        assert_eq!((it.aslr, it.clock_source.as_deref()), (Some(2), Some("tsc")));
        assert_eq!((it.huge_pages.as_deref(), it.load), (Some("madvise"), Some(0.31)));
    }

    #[test]
    fn a_virtual_machine() {
        let it = fingerprint_of(&recorded::virtual_machine().tree, "");
        assert_eq!((it.turbo, it.smt, it.virtual_machine), (None, Some(false), Some(true)));
        assert_eq!((it.usable_cpus, it.online_cpus, it.governor), (Some(1), Some(2), None));
        assert_eq!((it.aslr, it.huge_pages, it.load), (Some(0), None, None));
    }

    #[test]
    fn an_arm_board() {
        let it = fingerprint_of(&recorded::aarch64().tree, "");
        let name = "Raspberry Pi 4 Model B Rev 1.4 (implementer 0x41 part 0xd08)";
        assert_eq!(it.processor.as_deref(), Some(name));
        assert_eq!((it.architecture.as_str(), it.turbo, it.smt), ("aarch64", Some(false), None));
        assert_eq!((it.virtual_machine, it.system, it.microcode), (None, None, None));
    }

    #[test]
    fn nothing_is_known_of_an_empty_tree() {
        let it = fingerprint_of(&SystemTree::at("/nonexistent"), "");
        assert_eq!((it.kernel, it.processor, it.memory, it.online_cpus), (None, None, None, None));
        assert_eq!(it.architecture, std::env::consts::ARCH);
    }

    #[test]
    fn lists_are_counted() {
        assert_eq!(count_list("0"), Some(1));
        assert_eq!(count_list("0-3,8,10-11"), Some(7));
        assert_eq!(count_list("3-0"), None);
        assert_eq!(count_list(""), None);
        assert_eq!(chosen("a [b] c").as_deref(), Some("b"));
        assert_eq!(chosen("a b"), None);
    }

    #[test]
    fn fields_names_and_sizes_are_parsed() {
        let text = Some("a : 1\nab\t: 2 : 3\nb:\n");
        assert_eq!((field(text, "a"), field(text, "ab")), (Some("1"), Some("2 : 3")));
        assert_eq!((field(text, "b"), field(text, "c"), field(None, "a")), (Some(""), None, None));
        assert_eq!(pretty_name("A=1\nPRETTY_NAME='Void Linux'\n").as_deref(), Some("Void Linux"));
        assert_eq!(pretty_name("NAME=x\n"), None);
        assert_eq!(total_memory("MemTotal: 2 kB"), Some(2048));
        for unread in ["MemTotal: 2 MB", "MemTotal: kB", "MemTotal: 18446744073709551615 kB", ""] {
            assert_eq!(total_memory(unread), None, "{unread}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_knows_its_kernel() {
        let uname = rustix::system::uname();
        assert_eq!(fingerprint("").kernel.as_deref(), uname.release().to_str().ok());
    }
}
