//! Reports how much of a history was read, in bytes of its segments: most of the time of an analysis goes there.

use lotse_formats::history::History;
use lotse_model::Progress;
use lotse_spy::decode::Consumer;
use lotse_spy::{AccessRun, CodeId, CodeTable, Instance, InstanceId};

/// A consumer that passes everything on, and reports the bytes that were read.
pub(super) struct ReportedReading<'a> {
    consumer: &'a mut dyn Consumer,
    progress: &'a mut dyn Progress,
    read: u64,
}

impl<'a> ReportedReading<'a> {
    /// Nothing of the history was read yet.
    pub(super) fn new(
        consumer: &'a mut dyn Consumer,
        progress: &'a mut dyn Progress,
        history: &History<'_>,
    ) -> Self {
        let total: u64 = history.segments.iter().map(|segment| segment.bytes() as u64).sum();
        progress.begin("analysing the history", Some(total));
        Self { consumer, progress, read: 0 }
    }

    /// The history was read.
    pub(super) fn end(self) {
        self.progress.end();
    }
}

impl Consumer for ReportedReading<'_> {
    fn created(&mut self, instance: Instance) {
        self.consumer.created(instance);
    }

    fn access(&mut self, id: InstanceId, run: AccessRun) {
        self.consumer.access(id, run);
    }

    fn grown(&mut self, id: InstanceId, old: u64, new: u64, code: CodeId) {
        self.consumer.grown(id, old, new, code);
    }

    fn dropped(&mut self, id: InstanceId, codes: &CodeTable) {
        self.consumer.dropped(id, codes);
    }

    fn bytes_read(&mut self, bytes: u64) {
        self.read += bytes;
        self.progress.advance(self.read, "");
        self.consumer.bytes_read(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lotse_formats::history::History;
    use lotse_model::Progress;
    use lotse_spy::decode::Consumer;
    use lotse_spy::{AccessRun, CodeId, CodeTable, Instance, InstanceId};

    use super::ReportedReading;
    use crate::commands::spy::input;

    #[derive(Default)]
    struct Reports {
        total: Option<u64>,
        done: Vec<u64>,
        ended: bool,
    }

    impl Progress for Reports {
        fn begin(&mut self, _what: &str, total: Option<u64>) {
            self.total = total;
        }
        fn advance(&mut self, done: u64, _note: &str) {
            self.done.push(done);
        }
        fn end(&mut self) {
            self.ended = true;
        }
    }

    /// Counts accesses.
    #[derive(Default)]
    struct Counted(u64);

    impl Consumer for Counted {
        fn created(&mut self, _: Instance) {}
        fn access(&mut self, _: InstanceId, run: AccessRun) {
            self.0 += run.count;
        }
        fn grown(&mut self, _: InstanceId, _: u64, _: u64, _: CodeId) {}
        fn dropped(&mut self, _: InstanceId, _: &CodeTable) {}
    }

    #[test]
    fn all_bytes_are_reported_and_all_accesses_are_passed_on() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/samples/lotse-history/queue.lotse-history");
        let bytes = std::fs::read(path).unwrap();
        let history = History::read("queue", &bytes).unwrap().value;
        let mut alone = Counted::default();
        input::decode_history(&history, &mut alone);
        let (mut reports, mut counted) = (Reports::default(), Counted::default());
        let mut reported = ReportedReading::new(&mut counted, &mut reports, &history);
        input::decode_history(&history, &mut reported);
        reported.end();
        assert!(alone.0 > 0);
        assert_eq!(counted.0, alone.0);
        assert_eq!(reports.done.last().copied(), reports.total, "everything was read");
        assert!(reports.done.is_sorted() && reports.ended);
    }
}
