//! Control groups: version 1 on the real kernel if the machine has it, version 2 on a fake kernel.

use super::super::super::action::Target;
use super::super::super::error::QuietError;
use super::super::super::fake::FakeKernel;
use super::super::super::trial::{Trial, fake_context, probed, undo_all};
use super::{ACTION, group_of, hierarchy};
use crate::quiet::process::own_pid;

#[test]
fn a_child_gets_a_cpu_of_its_own_and_everything_goes_away() {
    let trial = Trial::new();
    let changes = match trial.try_save(ACTION, None) {
        Err(QuietError::Absent(why) | QuietError::Forbidden(why)) => {
            return test_support::skip_here(why);
        }
        changes => changes.unwrap(),
    };
    let effect = trial.apply_and_check(ACTION, None, &changes);
    let cpus = &changes[1].new;
    assert_eq!(effect, format!("cpuset {cpus}"));
    let allowed = trial.status("Cpus_allowed_list");
    assert_eq!(allowed, *cpus);
    trial.undo(&changes);
    assert_ne!(trial.status("Cpus_allowed_list"), *cpus);
    for change in &changes {
        if let Target::Group(group) = &change.target {
            assert!(!std::path::Path::new(group).exists(), "{group}");
        }
    }
}

#[test]
fn others_are_moved_away_and_back() {
    let mut trial = Trial::in_own_session();
    trial.disown();
    let changes = match trial.try_save(ACTION, None) {
        Err(QuietError::Absent(why) | QuietError::Forbidden(why)) => {
            return test_support::skip_here(why);
        }
        changes => changes.unwrap(),
    };
    let before = trial.status("Cpus_allowed_list");
    // The orphan is the other process; there is no launcher.
    let others: Vec<_> = changes.iter().filter(|change| change.new.ends_with("-others")).cloned().collect();
    assert_eq!(others.len(), 1, "{changes:?}");
    let changes = [vec![changes[0].clone()], others].concat();
    trial.apply_and_check(ACTION, None, &changes);
    assert_eq!(trial.status("Cpus_allowed_list"), changes[0].new);
    trial.undo(&changes);
    assert_eq!(trial.status("Cpus_allowed_list"), before);
}

/// A machine with control groups version 2 and the cpuset controller, with the files in the kernel's documentation.
fn unified(partition: &str) -> FakeKernel {
    let kernel = FakeKernel::new(&[
        ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0"),
        ("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids"),
        ("/sys/fs/cgroup/cgroup.subtree_control", "cpu memory"),
        ("/sys/fs/cgroup/cgroup.procs", "1"),
        ("/sys/fs/cgroup/cpuset.cpus.effective", "0-3"),
    ]);
    kernel.groups_have(&[("cpuset.cpus", ""), ("cpuset.cpus.partition", partition), ("cgroup.procs", "")]);
    kernel.process(own_pid(), "lotse", 1, 1, 0, 0, 0);
    kernel.put(&format!("/proc/{}/cgroup", own_pid()), "0::/user.slice");
    kernel
}

#[test]
fn version_2_makes_a_partition() {
    let kernel = unified("member");
    let context = fake_context(&kernel, Some("2-3"));
    let changes = ACTION.save(&context).unwrap();
    let shown: Vec<String> =
        changes.iter().map(|change| format!("{} -> {}", change.old, change.new)).collect();
    assert_eq!(shown, ["-cpuset -> +cpuset", "absent -> 2-3", "/user.slice -> /lotse-test"]);
    ACTION.apply(&context, &changes).unwrap();
    assert_eq!(kernel.text("/sys/fs/cgroup/lotse-test/cpuset.cpus"), "2-3");
    assert_eq!(kernel.text("/sys/fs/cgroup/lotse-test/cpuset.cpus.partition"), "root");
    assert_eq!(kernel.text("/sys/fs/cgroup/lotse-test/cgroup.procs"), own_pid().to_string());
    undo_all(&kernel, &changes[..2]);
    assert_eq!(kernel.text("/sys/fs/cgroup/cgroup.subtree_control"), "cpu memory");
    assert!(!kernel.snapshot().keys().any(|file| file.contains("lotse-test")));
}

#[test]
fn a_partition_that_the_kernel_calls_invalid_has_no_effect() {
    let kernel = unified("member");
    kernel.ignores("/sys/fs/cgroup/lotse-test/cpuset.cpus.partition");
    let context = fake_context(&kernel, None);
    let changes = ACTION.save(&context).unwrap();
    ACTION.apply(&context, &changes[..2]).unwrap();
    let error = ACTION.check(&context, &changes[1..2]).unwrap_err().to_string();
    assert_eq!(error, "no effect: `/sys/fs/cgroup/lotse-test` is no partition: member");
}

#[test]
fn refusals() {
    let none = FakeKernel::new(&[("/proc/mounts", "proc /proc proc rw 0 0")]);
    assert_eq!(
        probed(ACTION, &none).unwrap_err().to_string(),
        "no control group offers the controller cpuset"
    );
    let single = unified("member");
    single.put("/sys/fs/cgroup/cpuset.cpus.effective", "0");
    assert!(probed(ACTION, &single).unwrap_err().to_string().contains("no CPU would be left"));
    let locked = unified("member");
    locked.forbids("/sys/fs/cgroup/cgroup.procs");
    assert!(probed(ACTION, &locked).unwrap_err().to_string().contains("needs root"));
}

#[test]
fn version_1_is_taken_first_and_groups_are_read_from_its_line() {
    let both = FakeKernel::new(&[(
        "/proc/mounts",
        "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0",
    )]);
    let found = hierarchy(&both).unwrap();
    assert_eq!((found.root.as_str(), found.unified), ("/sys/fs/cgroup/cpuset", false));
    assert_eq!(group_of("3:cpuset:/a\n2:cpuacct:/b\n0::/c").as_deref(), Some("/a"));
    assert_eq!(group_of("2:cpuacct:/b\n0::/c").as_deref(), Some("/c"));
    assert_eq!(group_of(""), None);
}
