//! A history that nobody waits for any more is not decoded to its end.

#![expect(clippy::unwrap_used, reason = "a helper of tests")]

use std::path::Path;
use std::sync::Arc;

use lotse_formats::history::{History, RingStacks};
use lotse_model::progress::check_interruptions;
use lotse_spy::decode::{Decoded, Image, decode_process, processes};
use lotse_spy::{Analyses, Settings};

/// Accesses, and the structures by site, analysed by a number of threads.
fn analysed(history: &History<'_>, threads: usize) -> (u64, Vec<u64>) {
    let mut analyses = Analyses::new(&Arc::new(Settings::default()), threads);
    let mut decoded = Decoded::default();
    let none = RingStacks::default();
    for process in processes(history, &none) {
        let executable = process.executable.unwrap();
        let names = history.names.iter().find(|names| names.path == executable.path).unwrap();
        let image = Image::stored(names, executable.base, executable.end);
        decode_process(&mut decoded, &image, process.rings, &mut analyses);
    }
    let result = analyses.finish(decoded.codes());
    (result.events, result.program.sites().iter().map(|site| site.instances).collect())
}

#[test]
fn decoding_ends_early_with_any_number_of_threads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/samples/lotse-history/queue.lotse-history");
    let bytes = std::fs::read(path).unwrap();
    let history = History::read("queue", &bytes).unwrap().value;
    for threads in [0, 2] {
        check_interruptions("history", || analysed(&history, threads));
    }
    assert!(analysed(&history, 0).0 > 0);
}
