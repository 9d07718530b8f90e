//! `lotse spy coverage`: how much of what was recorded has a name.

use std::collections::BTreeMap;

use lotse_spy::answer::CoverageAnswer;
use lotse_spy::decode::Consumer;
use lotse_spy::{AccessKind, AccessRun, CodeId, CodeTable, Container, Instance, InstanceId};

use super::digest::digest;
use super::input;
use crate::args::spy::CoverageArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &CoverageArgs) -> Result<Exit, Failure> {
    if args.places {
        return print_places(args);
    }
    let source = input::open(&args.history)?;
    let digest = digest(&source, &input::read(&source)?, &args.reading)?;
    if args.json {
        return screen::json(&CoverageAnswer::new(&digest.coverage));
    }
    screen::document(&lotse_spy::report::coverage(&digest.coverage))
}

/// Prints a line for each place in the code, separated by tabs: its accesses, and the first and the last of them.
fn print_places(args: &CoverageArgs) -> Result<Exit, Failure> {
    let mut accesses = AccessesByPlace::default();
    let decoded = input::decode(&args.history, &mut accesses)?;
    screen::write(|out| {
        for ((code, container, kind), count) in &accesses.counts {
            let site = decoded.codes().site(*code).map_or_else(String::new, ToString::to_string);
            let method = decoded.codes().method(*code).unwrap_or("-");
            let (accesses, first, last) = count;
            writeln!(out, "{site}\t{method}\t{container:?}\t{kind:?}\t{accesses}\t{first}\t{last}")?;
        }
        Ok(())
    })
}

/// Counts accesses by place in the code, container and kind.
#[derive(Debug, Default)]
struct AccessesByPlace {
    containers: BTreeMap<InstanceId, Container>,
    /// The number of accesses, and index and length of the first and of the last one as text.
    counts: BTreeMap<(CodeId, Container, AccessKind), (u64, String, String)>,
}

impl Consumer for AccessesByPlace {
    fn created(&mut self, instance: Instance) {
        self.containers.insert(instance.id, instance.container);
    }

    fn access(&mut self, id: InstanceId, run: AccessRun) {
        let Some(&container) = self.containers.get(&id) else { return };
        let text = |access: lotse_spy::Access| {
            format!("{}/{}", access.index.map_or("-".to_owned(), |index| index.to_string()), access.length)
        };
        let entry = self
            .counts
            .entry((run.first.code, container, run.first.kind))
            .or_insert_with(|| (0, text(run.first), String::new()));
        entry.0 += run.count;
        entry.2 = text(run.last());
    }

    fn grown(&mut self, _: InstanceId, _: u64, _: u64, _: CodeId) {}

    fn dropped(&mut self, id: InstanceId, _: &CodeTable) {
        self.containers.remove(&id);
    }
}
