//! Cost lines that are not plain (`super::plain`): very long, near the end of the input, without a function, or with
//! other words than decimal numbers.

use super::super::faults::FaultKind;
use super::super::scan::{CostEnd, NameSpec, Position};
use super::{CostTarget, Decoder};

impl Decoder<'_, '_> {
    #[inline(never)]
    pub(super) fn unusual_cost_line(&mut self) {
        let start = self.scan.at;
        let good = (!self.format.addresses || self.scan.position(&mut self.chunk.address))
            && (!self.format.lines || self.scan.position(&mut self.chunk.line));
        if good {
            return self.slow_costs(start);
        }
        self.fault(start, FaultKind::Garbage);
        self.next = CostTarget::Own;
        self.scan.skip_line();
    }

    /// Adds the costs of a line by the slow path.
    #[inline(never)]
    pub(super) fn slow_costs(&mut self, start: usize) {
        let width = self.format.width;
        let cells = match self.next {
            CostTarget::Own if self.has_function => &mut self.chunk.own[self.own..self.own + width],
            CostTarget::Call(first) => &mut self.chunk.calls.costs[first..first + width],
            _ => return self.rare_costs(start),
        };
        self.next = CostTarget::Own;
        let from = self.scan;
        let end = match self.slow.reads_every_cost() {
            true => self.slow.add_costs(&mut self.scan, cells),
            false => match self.scan.add_costs(cells) {
                CostEnd::Garbage => self.slow.add_rest(&mut self.scan, from, cells),
                end => end,
            },
        };
        self.odd_end(start, end);
        self.scan.skip_line();
    }

    /// Handles costs without a function, or of calls without a callee.
    #[cold]
    pub(super) fn rare_costs(&mut self, start: usize) {
        if let CostTarget::Lost = self.next {
            self.next = CostTarget::Own;
            return self.scan.skip_line();
        }
        if self.scan.line_ends() {
            return self.scan.skip_line();
        }
        self.fault(start, FaultKind::NoFunction);
        self.scan.at = start;
        // The line is read again from its start; without a reset, relative positions would be added twice.
        (self.chunk.address, self.chunk.line) = (Position::default(), Position::default());
        self.begin_block(NameSpec::Plain(b"???"), start);
        self.cost_line();
    }

    #[cold]
    pub(super) fn odd_end(&mut self, start: usize, end: CostEnd) {
        match end {
            CostEnd::Line => {}
            CostEnd::TooLarge => self.fault(start, FaultKind::TooLarge),
            CostEnd::TooMany => self.fault(start, FaultKind::TooMany),
            CostEnd::Garbage => self.fault(start, FaultKind::Garbage),
            CostEnd::Relative if self.slow.allows_relative() => self.fault(start, FaultKind::RelativeCosts),
            CostEnd::Relative => self.chunk.relative = true,
        }
    }
}
