//! Reserves CPUs for the measured programs by control groups.
//!
//! Version 1: the launcher is moved into a group with the reserved CPUs, and every other process into a group with the remaining
//! CPUs. Version 2: one group that is a partition; the kernel takes its CPUs away from all other groups.

use std::time::{Duration, Instant};

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use super::super::others::others;
use super::affinity;
use crate::cpus::{format_list, parse_list};

pub(super) const ACTION: &dyn Action = &Cpuset;

/// The value of a group that does not exist.
const ABSENT: &str = "absent";

/// How long killed processes may stay in a group.
const PATIENCE: Duration = Duration::from_secs(2);

struct Cpuset;

/// The mounted hierarchy of the cpuset controller.
struct Hierarchy {
    root: String,
    unified: bool,
}

impl Action for Cpuset {
    fn name(&self) -> &'static str {
        "cpuset"
    }

    fn explanation(&self) -> &'static str {
        "reserves CPUs for the programs and moves other processes to the rest; a program of several threads needs as many CPUs"
    }

    fn preset(&self) -> Preset {
        Preset::All
    }

    fn argument(&self) -> Option<&'static str> {
        affinity::ACTION.argument()
    }

    fn accepts(&self, argument: &str) -> bool {
        affinity::is_list(argument)
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let hierarchy = hierarchy(context.kernel)?;
        let usable = read_first(context.kernel, &hierarchy.root, &["cpuset.cpus.effective", "cpuset.cpus"])?;
        let own = affinity::chosen(context.argument, &usable)?;
        let kept = parse_list(&own);
        let rest = format_list(parse_list(&usable).into_iter().filter(|cpu| !kept.contains(cpu)));
        if rest.is_empty() {
            return Err(QuietError::Absent(format!("no CPU would be left for others: there are {usable}")));
        }
        if !context.kernel.is_writable(&format!("{}/cgroup.procs", hierarchy.root)) {
            return Err(QuietError::Forbidden(format!(
                "`{}` may not be changed: it needs root",
                hierarchy.root
            )));
        }
        if hierarchy.unified {
            return self.save_unified(context, &hierarchy.root, &own);
        }
        let (ours, theirs) = (format!("/{}", context.session), format!("/{}-others", context.session));
        let group = |name: &str| Target::Group(format!("{}{name}", hierarchy.root));
        let mut changes = vec![
            Change::new(self.name(), group(&theirs), ABSENT.to_owned(), rest),
            Change::new(self.name(), group(&ours), ABSENT.to_owned(), own),
        ];
        for stat in others(context.kernel, context.rule)? {
            let target = Target::Process(stat.id);
            // Processes in a group that somebody created on purpose stay there.
            if self.present(context.kernel, &target).is_ok_and(|path| path == "/") {
                changes.push(Change::new(self.name(), target, "/".to_owned(), theirs.clone()));
            }
        }
        let target = Target::Process(context.launcher);
        let old = self.present(context.kernel, &target)?;
        changes.push(Change::new(self.name(), target, old, ours));
        Ok(changes)
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        match target {
            Target::Process(process) => {
                process.checked(kernel)?;
                let file = format!("/proc/{}/cgroup", process.pid);
                let text = kernel.read(&file).map_err(QuietError::file("read", &file))?;
                group_of(&text).ok_or(QuietError::Gone)
            }
            Target::Group(group) if kernel.has(group) => Ok(kernel.offered(&format!("{group}/cpuset.cpus"))),
            Target::Group(_) => Ok(ABSENT.to_owned()),
            Target::File(file) => {
                let text = kernel.read(file).map_err(QuietError::file("read", file))?;
                let on = text.split_whitespace().any(|controller| controller == "cpuset");
                Ok(if on { "+cpuset" } else { "-cpuset" }.to_owned())
            }
            _ => Err(QuietError::Gone),
        }
    }

    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        match target {
            Target::Process(process) => {
                process.checked(kernel)?;
                let file = format!("{}{}/cgroup.procs", hierarchy(kernel)?.root, value.trim_end_matches('/'));
                kernel.write(&file, &process.pid.to_string()).map_err(|error| match error.raw_os_error() {
                    Some(libc::ESRCH) => QuietError::Gone,
                    _ => QuietError::file("write", &file)(error),
                })
            }
            Target::Group(group) if value == ABSENT => remove(kernel, group),
            Target::Group(group) => make(kernel, group, value),
            Target::File(file) => kernel.write(file, value).map_err(QuietError::file("write", file)),
            _ => Err(QuietError::Gone),
        }
    }

    fn is_ours(&self, target: &Target) -> bool {
        matches!(target, Target::Group(_))
    }

    fn check(&self, context: &Context<'_>, changes: &[Change]) -> Result<String, QuietError> {
        for change in changes {
            match self.present(context.kernel, &change.target) {
                Err(QuietError::Gone) => {}
                Ok(present) if present == change.new => {}
                Ok(present) => {
                    return Err(QuietError::NoEffect(format!("{} is {present}", change.target)));
                }
                Err(error) => return Err(error),
            }
            if let Target::Group(group) = &change.target
                && let Ok(state) = context.kernel.read(&format!("{group}/cpuset.cpus.partition"))
                && state != "root"
            {
                return Err(QuietError::NoEffect(format!("`{group}` is no partition: {state}")));
            }
        }
        Ok(self.summary(context, changes))
    }

    fn summary(&self, context: &Context<'_>, changes: &[Change]) -> String {
        let is_ours = |change: &&Change| matches!(&change.target, Target::Group(group) if group.ends_with(&format!("/{}", context.session)));
        let cpus = changes.iter().find(is_ours).map_or("", |change| change.new.as_str());
        let moved = changes.iter().filter(|change| change.new.ends_with("-others")).count();
        if moved == 0 {
            format!("cpuset {cpus}")
        } else {
            format!("cpuset {cpus} ({moved} processes moved away)")
        }
    }
}

impl Cpuset {
    fn save_unified(&self, context: &Context<'_>, root: &str, own: &str) -> Result<Vec<Change>, QuietError> {
        let mut changes = Vec::new();
        let control = Target::File(format!("{root}/cgroup.subtree_control"));
        let old = self.present(context.kernel, &control)?;
        if old != "+cpuset" {
            changes.push(Change::new(self.name(), control, old, "+cpuset"));
        }
        let name = format!("/{}", context.session);
        changes.push(Change::new(
            self.name(),
            Target::Group(format!("{root}{name}")),
            ABSENT.to_owned(),
            own,
        ));
        let target = Target::Process(context.launcher);
        let old = self.present(context.kernel, &target)?;
        changes.push(Change::new(self.name(), target, old, name));
        Ok(changes)
    }
}

/// Finds the cpuset controller: mounted separately (version 1), or part of the unified hierarchy (version 2).
fn hierarchy(kernel: &dyn Kernel) -> Result<Hierarchy, QuietError> {
    let mounts = kernel.read("/proc/mounts").map_err(QuietError::file("read", "/proc/mounts"))?;
    let fields = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let fields: Vec<_> = fields.filter(|fields| fields.len() >= 4).collect();
    let own =
        |fields: &&Vec<&str>| fields[2] == "cgroup" && fields[3].split(',').any(|word| word == "cpuset");
    if let Some(found) = fields.iter().find(own) {
        return Ok(Hierarchy { root: found[1].to_owned(), unified: false });
    }
    let offered = |fields: &&Vec<&str>| {
        let controllers = kernel.offered(&format!("{}/cgroup.controllers", fields[1]));
        fields[2] == "cgroup2" && controllers.split_whitespace().any(|controller| controller == "cpuset")
    };
    match fields.iter().find(offered) {
        Some(found) => Ok(Hierarchy { root: found[1].to_owned(), unified: true }),
        None => Err(QuietError::Absent("no control group offers the controller cpuset".to_owned())),
    }
}

/// The group of a process, from the text of `/proc/PID/cgroup`: the line of the cpuset controller, else the unified one.
fn group_of(text: &str) -> Option<String> {
    let lines = || text.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    let own =
        lines().find(|(controllers, _)| controllers.split(',').any(|controller| controller == "cpuset"));
    let (_, path) = own.or_else(|| lines().find(|(controllers, _)| controllers.is_empty()))?;
    Some(path.to_owned())
}

fn read_first(kernel: &dyn Kernel, root: &str, names: &[&str]) -> Result<String, QuietError> {
    let found = names.iter().find_map(|name| kernel.read(&format!("{root}/{name}")).ok());
    found.filter(|text| !text.is_empty()).ok_or_else(|| QuietError::Absent(format!("`{root}` names no CPUs")))
}

fn make(kernel: &dyn Kernel, group: &str, cpus: &str) -> Result<(), QuietError> {
    let write = |name: &str, value: &str| {
        let file = format!("{group}/{name}");
        kernel.write(&file, value).map_err(QuietError::file("write", &file))
    };
    kernel.make_directory(group).map_err(QuietError::file("make", group))?;
    if kernel.has(&format!("{group}/cpuset.cpus.partition")) {
        write("cpuset.cpus", cpus)?;
        return write("cpuset.cpus.partition", "root");
    }
    // A group of version 1 takes no process before it has memory nodes.
    let (above, _) = group.rsplit_once('/').unwrap_or((group, ""));
    write("cpuset.mems", &read_first(kernel, above, &["cpuset.mems"])?)?;
    write("cpuset.cpus", cpus)
}

/// Removes a group. Processes that are still in it move to its parent.
fn remove(kernel: &dyn Kernel, group: &str) -> Result<(), QuietError> {
    let begin = Instant::now();
    let (above, _) = group.rsplit_once('/').unwrap_or((group, ""));
    loop {
        for process in kernel.offered(&format!("{group}/cgroup.procs")).lines() {
            // Moving a process that has just ended fails. A process that remains makes removing the group fail, which is reported.
            drop(kernel.write(&format!("{above}/cgroup.procs"), process));
        }
        match kernel.remove_directory(group) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(_) if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => return Err(QuietError::file("remove", group)(error)),
        }
    }
}

#[cfg(test)]
mod tests;
