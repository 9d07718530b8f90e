//! Other processes: those that may be stopped, slowed down or moved to other CPUs.
//!
//! Exempt are Lotse, its ancestors and descendants (the launcher, the watchdog, the runs), its process group (`lotse … | tee`),
//! processes of its terminal, process 1, kernel threads, sshd and the processes that a desktop or a login needs, and names that
//! the user exempts. Without root only the user's own processes may be touched.

use std::collections::BTreeSet;

use super::error::QuietError;
use super::kernel::Kernel;
use super::process::{self, ProcessStat, own_pid};

/// Programs that a login or a desktop needs: if they were stopped, the user's terminal would hang.
const EXEMPT: &[&str] = &[
    "sshd",
    "systemd",
    "dbus-",
    "login",
    "init",
    "tmux",
    "screen",
    "mosh-server",
    "Xorg",
    "Xwayland",
    "gnome-shell",
    "kwin_",
    "sway",
    "weston",
    "plasmashell",
];

/// The error message if there are no other processes.
const NO_OTHERS: &str = "there is no process of others that may be touched";

/// Which processes are exempt beyond the fixed rules.
#[derive(Debug, Clone, Default)]
pub(crate) struct OthersRule {
    /// Names of programs that the user exempts.
    pub(crate) keep: Vec<String>,
    /// If set, only these processes may be touched.
    pub(crate) only: Option<Vec<u32>>,
}

/// The processes that may be touched, sorted by id; an error if there are none.
pub(super) fn some_others(kernel: &dyn Kernel, rule: &OthersRule) -> Result<Vec<ProcessStat>, QuietError> {
    let others = others(kernel, rule)?;
    if others.is_empty() { Err(QuietError::Absent(NO_OTHERS.to_owned())) } else { Ok(others) }
}

/// The processes that may be touched, sorted by id.
pub(super) fn others(kernel: &dyn Kernel, rule: &OthersRule) -> Result<Vec<ProcessStat>, QuietError> {
    let all = process::all(kernel)?;
    let exempt = family(&all);
    let own = all.iter().find(|stat| stat.id.pid == own_pid());
    let near = |stat: &ProcessStat| {
        own.is_some_and(|own| stat.group == own.group || (own.terminal != 0 && stat.terminal == own.terminal))
    };
    let user = process::user(kernel, own_pid());
    let ours = |stat: &ProcessStat| user == Some(0) || process::user(kernel, stat.id.pid) == user;
    let allowed = |stat: &&ProcessStat| {
        let listed = rule.only.as_ref().is_none_or(|only| only.contains(&stat.id.pid.cast_unsigned()));
        listed && !exempt.contains(&stat.id.pid) && !near(stat) && !is_exempt(stat, rule) && ours(stat)
    };
    Ok(all.iter().filter(allowed).cloned().collect())
}

fn is_exempt(stat: &ProcessStat, rule: &OthersRule) -> bool {
    let fixed = EXEMPT.iter().any(|name| stat.name.starts_with(name));
    // The kernel truncates names to 15 characters.
    let cut = |name: &String| name.chars().take(15).collect::<String>();
    let named = rule.keep.iter().any(|name| stat.name == cut(name));
    fixed || named || stat.kernel_thread || stat.id.pid == 1 || matches!(stat.state, 'Z' | 'X')
}

/// Lotse with all its ancestors and descendants.
fn family(all: &[ProcessStat]) -> BTreeSet<i32> {
    let parent = |pid: i32| all.iter().find(|stat| stat.id.pid == pid).map(|stat| stat.parent);
    let mut family = BTreeSet::from([own_pid()]);
    let mut ancestor = own_pid();
    while let Some(next) = parent(ancestor).filter(|&next| next > 0 && !family.contains(&next)) {
        family.insert(next);
        ancestor = next;
    }
    let mut descendants = BTreeSet::from([own_pid()]);
    loop {
        let known = descendants.len();
        let children = all.iter().filter(|stat| descendants.contains(&stat.parent)).map(|stat| stat.id.pid);
        descendants.extend(children.collect::<Vec<_>>());
        if descendants.len() == known {
            break;
        }
    }
    family.append(&mut descendants);
    family
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeKernel;
    use super::super::process::own_pid;
    use super::{OthersRule, others};

    /// A terminal with a shell, Lotse, its launcher and a pager; sshd, a kernel thread and two other programs.
    fn machine() -> FakeKernel {
        let own = own_pid();
        let kernel = FakeKernel::new(&[]);
        // number, name, parent, group, terminal, flags
        kernel.process(1, "init", 0, 1, 0, 0, 0);
        kernel.process(2, "kthreadd", 0, 0, 0, 0x0020_0000, 0);
        kernel.process(3, "rcu_gp", 2, 0, 0, 0x0020_0000, 0);
        kernel.process(9_000_010, "sshd-session", 1, 10, 0, 0, 0);
        kernel.process(9_000_011, "bash", 9_000_010, 11, 34816, 0, 0);
        kernel.process(own, "lotse", 9_000_011, 12, 34816, 0, 0);
        kernel.process(9_000_013, "lotse-launch", own, 12, 34816, 0, 0);
        kernel.process(9_000_014, "measured", 9_000_013, 14, 0, 0, 0);
        kernel.process(9_000_015, "less", 9_000_011, 12, 34816, 0, 0);
        kernel.process(9_000_016, "vi", 9_000_011, 16, 34816, 0, 0);
        kernel.process(9_000_020, "firefox", 1, 20, 0, 0, 0);
        kernel.process(9_000_021, "a-very-long-nam", 1, 21, 0, 0, 1000);
        kernel.process(9_000_022, "gnome-shell", 1, 22, 0, 0, 1000);
        kernel
    }

    fn pids(kernel: &FakeKernel, rule: &OthersRule) -> Vec<i32> {
        others(kernel, rule).unwrap().iter().map(|stat| stat.id.pid).collect()
    }

    #[test]
    fn what_the_user_and_lotse_need_is_left_alone() {
        assert_eq!(pids(&machine(), &OthersRule::default()), [9_000_020, 9_000_021]);
    }

    #[test]
    fn names_can_be_kept_and_processes_chosen() {
        let keep = OthersRule { keep: vec!["a-very-long-name-indeed".into()], only: None };
        assert_eq!(pids(&machine(), &keep), [9_000_020]);
        let only = OthersRule { keep: Vec::new(), only: Some(vec![9_000_021, 9_000_010, 1]) };
        assert_eq!(pids(&machine(), &only), [9_000_021]);
        assert_eq!(pids(&machine(), &OthersRule { keep: vec![], only: Some(vec![]) }), [0; 0]);
    }

    #[test]
    fn an_ordinary_user_reaches_only_own_processes() {
        let kernel = machine();
        kernel.process(own_pid(), "lotse", 9_000_011, 12, 34816, 0, 1000);
        assert_eq!(pids(&kernel, &OthersRule::default()), [9_000_021]);
    }
}
