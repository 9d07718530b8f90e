//! Heaps of programs, which each layout moves if requested and possible.

use lotse_host::{HeapShim, Job};
use lotse_model::results::{FixedHeap, LayoutPart, LayoutRecord};

use crate::layout::Layouts;
use crate::options::{Options, ProgramSpec};

use super::execute;

/// The shared object that moves heaps, and the record of the layouts.
pub(super) struct Heaps {
    shim: Option<HeapShim>,
    record: Option<LayoutRecord>,
}

impl Heaps {
    /// Prepares the shared object; without layouts, or with layouts that do not vary the heap, nothing is moved.
    pub(super) fn prepare(options: &Options) -> Self {
        let Some(layouts) = &options.layouts else { return Self { shim: None, record: None } };
        let mut record =
            LayoutRecord { count: layouts.count, parts: layouts.parts.clone(), fixed_heaps: Vec::new() };
        if !layouts.parts.contains(&LayoutPart::Heap) {
            return Self { shim: None, record: Some(record) };
        }
        let placed = HeapShim::install();
        let problem = placed.as_ref().err().map(ToString::to_string);
        let reason = |spec: &ProgramSpec| problem.clone().or_else(|| unmovable(spec));
        let fixed = options
            .programs
            .iter()
            .filter_map(|spec| Some(FixedHeap { program: spec.program.name.clone(), reason: reason(spec)? }));
        record.fixed_heaps = fixed.collect();
        Self { shim: placed.ok(), record: Some(record) }
    }

    /// The record of the layouts, if layouts are drawn.
    pub(super) fn record(&self) -> Option<&LayoutRecord> {
        self.record.as_ref()
    }

    /// Gives a job the layout of a block.
    pub(super) fn apply(&self, layouts: &Layouts, block: u32, job: &mut Job) {
        layouts.layout_of_block(block).apply(job, self.shim.as_ref());
    }
}

/// The reason why the heap of a program cannot be moved; `None` if it can. All builds of a program are linked in the same way.
fn unmovable(spec: &ProgramSpec) -> Option<String> {
    let argv = spec.alternatives.first()?.clone();
    let environment = execute::variables(spec);
    let job = Job { argv, environment, directory: spec.directory.clone(), ..Job::default() };
    lotse_host::unmovable(&job).map(|reason| reason.to_string())
}
