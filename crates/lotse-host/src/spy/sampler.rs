//! Samples an unrecorded program: its call stack, once per millisecond of CPU time.
//!
//! The kernel takes the samples (`perf_event_open`) by the task clock, which needs no hardware counters and so works in virtual
//! machines. All threads and child processes of the program are sampled. A sample contains the registers and the top of the stack,
//! so that callers are found by unwind information, and the program need not be compiled with frame pointers. The samples are
//! written as a perf.data file, which other parts of Lotse and `perf` can read.
//!
//! If the kernel refuses, the reason is written to a file, and the program runs without sampling.

mod event;
mod kept;
mod ring;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use self::event::{Attributes, Refusal};
use self::kept::KeptRecords;
use self::ring::SampleRing;

/// Pause between two drains of the rings; each ring has room for thirty samples.
const PAUSE: Duration = Duration::from_millis(4);

/// Nanoseconds of CPU time between two samples. A prime, to avoid aliasing with work that a program repeats each millisecond.
pub(super) const PERIOD: u64 = 997_001;

const SAMPLES: &str = "samples-";
const REFUSED: &str = "unsampled-";

/// Calls `run`, which starts a program, samples that program, and writes the samples to a file in a folder.
pub(super) fn run_sampled<T>(folder: &Path, run: impl FnOnce() -> T) -> T {
    let id = std::process::id();
    let (attributes, rings) = match open() {
        Ok(opened) => opened,
        Err(refusal) => {
            note(&folder.join(format!("{REFUSED}{id}")), refusal.to_string().as_bytes());
            return run();
        }
    };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // The draining thread inherits the events, too, but they only start when a thread executes a program.
        let drain = scope.spawn(|| drain_until_over(rings, &is_over));
        let result = run();
        is_over.store(true, Ordering::Release);
        if let Ok(kept) = drain.join() {
            let place = folder.join(format!("{SAMPLES}{id}-{}", kept.every()));
            note(&place, &kept.into_file(&attributes));
        }
        result
    })
}

/// Writes a file and ignores errors, because the run is more important: without samples, severities are marked as those of the recording.
fn note(place: &Path, bytes: &[u8]) {
    drop(fs::write(place, bytes));
}

/// Opens one event for each CPU, since inherited events can share a ring only per CPU.
fn open() -> Result<(Attributes, Vec<SampleRing>), Refusal> {
    let mut attributes = Attributes::new();
    let mut rings = Vec::new();
    for processor in 0..event::processors()? {
        let opened = match event::open(&attributes, processor) {
            // The user may not be permitted to sample the kernel.
            Err(Refusal::NotPermitted) if rings.is_empty() && !attributes.is_user_only() => {
                attributes = attributes.user_only();
                event::open(&attributes, processor)
            }
            other => other,
        };
        match opened {
            Ok(event) => rings.push(SampleRing::map(event).map_err(Refusal::Memory)?),
            Err(Refusal::NoProcessor) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok((attributes, rings))
}

fn drain_until_over(mut rings: Vec<SampleRing>, is_over: &AtomicBool) -> KeptRecords {
    let mut kept = KeptRecords::default();
    loop {
        // Read before draining, so that the last drain gets everything that was written before the end.
        let is_last = is_over.load(Ordering::Acquire);
        rings.iter_mut().for_each(|ring| ring.take(&mut kept));
        if is_last {
            return kept;
        }
        std::thread::sleep(PAUSE);
    }
}

/// The samples of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramSamples {
    /// A perf.data file.
    pub file: PathBuf,
    /// Nanoseconds of CPU time per sample.
    pub period: u64,
}

/// The files of samples in a folder, and the reasons why runs were not sampled.
pub fn program_samples(folder: &Path) -> io::Result<(Vec<ProgramSamples>, Vec<String>)> {
    let (mut samples, mut refused) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        let Some(name) = file.file_name().map(|name| name.to_string_lossy().into_owned()) else { continue };
        let every = name.strip_prefix(SAMPLES).and_then(|name| name.split_once('-')?.1.parse::<u64>().ok());
        if let Some(every) = every {
            samples.push(ProgramSamples { file, period: PERIOD.saturating_mul(every) });
        } else if name.starts_with(REFUSED) {
            refused.push(fs::read_to_string(&file)?);
        }
    }
    samples.sort_by(|a, b| a.file.cmp(&b.file));
    refused.dedup();
    Ok((samples, refused))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{PERIOD, program_samples, run_sampled};

    #[test]
    fn a_program_leaves_samples_or_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        // About a tenth of a second of work.
        let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let status = run_sampled(folder.path(), || Command::new("sh").args(["-c", work]).status());
        assert!(status.unwrap().success());
        let (samples, refused) = program_samples(folder.path()).unwrap();
        assert_eq!(samples.len() + refused.len(), 1, "{samples:?} {refused:?}");
        for sampled in samples {
            let bytes = std::fs::read(&sampled.file).unwrap();
            assert!(bytes.starts_with(b"PERFILE2"));
            assert_eq!(sampled.period, PERIOD);
            assert!(bytes.len() > 100_000, "stacks of 16 KiB each");
        }
        assert!(refused.iter().all(|reason| !reason.is_empty()));
    }
}
