//! Waiting for accelerators in external recordings, compared with otf2-print and a script that reads the recording.

use std::path::Path;
use std::process::Command;

use lotse_host::FolderSource;
use lotse_model::trace::LocationKind;
use lotse_model::work::Sequential;
use lotse_trace::analyze::{Request, Subject, what_if};
use lotse_trace::delay::delays;
use lotse_trace::open;
use lotse_trace::patterns;

use crate::{cases, changed};

fn opened(path: &Path) -> Subject {
    let trace = open::read(&FolderSource::open(path).unwrap(), None, &Sequential).unwrap();
    Subject::new(trace, &changed::options(), &Sequential).unwrap()
}

fn total(subject: &Subject, metric: &str) -> u64 {
    patterns::named(metric).into_iter().map(|metric| subject.waits.total(metric)).sum()
}

/// By how many ticks the run is shorter without the exclusive time of a call path.
fn gain(subject: &Subject, path: &str) -> i64 {
    let request = Request { scaled: vec![(path.to_owned(), 0.0)], ..Request::default() };
    let gain = what_if(subject, &request).unwrap().gain;
    (gain * subject.trace.definitions.clock.resolution as f64).round() as i64
}

/// Times by `otf2-print traces.otf2`: both calls of hipEventSynchronize are entered while a kernel runs, and left soon
/// after it ends.
#[test]
fn a_program_on_two_gpus() {
    let Some(root) = cases::root() else { return };
    let subject = opened(&root.join("others/mi300-hip/traces.otf2"));
    let (heavy, light) = (6127403889281692 - 6127386368586303, 6127411447497340 - 6127405422752434);
    assert_eq!(total(&subject, "accelerator_wait"), heavy + light);
    let own = (6127403889510655 - 6127403889281692) + (6127411447543723 - 6127411447497340);
    // The tolerance is the precision of seconds as floating-point numbers.
    assert!((gain(&subject, "hipEventSynchronize") - own).abs() < 100, "only its own time can be gained");
    assert!((gain(&subject, "heavy_kernel") - heavy as i64).abs() < 100);
    let costs = delays(&subject.trace, &subject.waits, &Sequential).costs;
    let blamed: Vec<(String, u64)> =
        costs.iter().map(|it| (subject.trace.path_name(it.path), it.short.round() as u64)).collect();
    let named = |kernel: &str| format!("{kernel}(float*, float const*)");
    assert_eq!(blamed, [(named("heavy_kernel"), heavy), (named("light_kernel"), light)]);
    let streams =
        subject.trace.locations().filter(|&it| subject.trace.location(it).kind == LocationKind::Accelerator);
    assert_eq!((streams.count(), subject.trace.cpu_locations().count()), (2, 1));
}

/// Copies into memory that is not pinned block until they are done: Kineto records which call started which copy.
const SCRIPT: &str = "
import gzip, json, sys
events = json.load(gzip.open(sys.argv[1]))['traceEvents']
work = {}
for e in events:
    if e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset'):
        work.setdefault(e['args']['correlation'], []).append(e)
waited = 0
for e in events:
    own = work.get(e.get('args', {}).get('correlation'), [])
    if e.get('name') in ('cudaMemcpyAsync', 'cudaMemsetAsync') and len(own) == 1:
        begin, end, done = e['ts'], e['ts'] + e['dur'], own[0]['ts'] + own[0]['dur']
        if own[0]['ts'] >= begin and done <= end + (end - begin) / 100:
            waited += min(done, end) - begin
print(waited)
";

#[test]
fn copies_of_a_training_run() {
    let Some(root) = cases::root() else { return };
    for name in ["test", "control"] {
        let path = root.join(format!("recorded/hta/trace_diff/{name}/{name}.json.gz"));
        let Ok(output) = Command::new("python3").args(["-c", SCRIPT]).arg(&path).output() else {
            test_support::skip_missing("python3 not found");
            return;
        };
        let microseconds: u64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        let subject = opened(&path);
        assert_eq!(total(&subject, "accelerator_memory_wait"), microseconds * 1000, "{name}");
        assert_eq!(total(&subject, "late_receiver"), 0, "nobody waits for a launch to be received");
        assert_eq!(subject.trace.cpu_locations().count(), 3, "the profiler's own spans are no thread");
    }
}
