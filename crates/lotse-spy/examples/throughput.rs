//! Measures how fast histories are analysed: CPU nanoseconds per access, for regular, irregular and interleaved histories.
//!
//! `cargo run --release -p lotse-spy --example throughput [ACCESSES]`, default 10^8.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::sync::Arc;
use std::time::Instant;

use lotse_spy::picture::{PictureBuilder, Scale, Window};
use lotse_spy::{
    Access, AccessKind, AccessRun, CodeId, Container, Instance, InstanceAnalysis, Protocol, Settings,
};

const LENGTH: u64 = 1_000_000;

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100_000_000);
    report("linear reads, one by one", count, |i| Access::at(AccessKind::Read, i % LENGTH, LENGTH, 2 * i));
    report("random reads", count, |i| Access::at(AccessKind::Read, scattered(i), LENGTH, 2 * i));
    report("random writes", count, |i| Access::at(AccessKind::Write, scattered(i), LENGTH, 2 * i));
    report("read and write in turn", count, |i| {
        let kind = if i % 2 == 0 { AccessKind::Read } else { AccessKind::Write };
        Access::at(kind, i / 2 % LENGTH, LENGTH, 2 * i).by(CodeId((i % 2) as u32))
    });
    report("push and pop in turn", count, |i| {
        let kind = if i % 2 == 0 { AccessKind::Insert } else { AccessKind::Delete };
        Access::at(kind, LENGTH, LENGTH + i % 2, 2 * i).by(CodeId((i % 2) as u32))
    });
    runs(count);
    picture(count);
}

/// CPU time of this thread, so that other programs do not disturb; wall-clock time where the system does not report it.
struct CpuClock {
    wall: Instant,
    processor: Option<f64>,
}

impl CpuClock {
    fn start() -> Self {
        Self { wall: Instant::now(), processor: Self::processor() }
    }

    fn processor() -> Option<f64> {
        let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(times.split(' ').next()?.parse::<f64>().ok()? / 1e9)
    }

    fn seconds(&self) -> f64 {
        let processor = Self::processor().zip(self.processor).map(|(now, then)| now - then);
        processor.unwrap_or_else(|| self.wall.elapsed().as_secs_f64())
    }
}

/// A cheap pseudo-random index.
fn scattered(i: u64) -> u64 {
    (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % LENGTH
}

fn analysis() -> InstanceAnalysis {
    InstanceAnalysis::new(Instance::new(1, Container::Vec, 8, CodeId(0)), &Arc::new(Settings::default()))
}

fn report(name: &str, count: u64, access: impl Fn(u64) -> Access) {
    let start = CpuClock::start();
    let mut analysis = analysis();
    (0..count).for_each(|i| analysis.add_access(access(i)));
    print(name, count, &start, &analysis.finish());
}

/// A linear scan whose accesses are passed as runs.
fn runs(count: u64) {
    let start = CpuClock::start();
    let mut analysis = analysis();
    for pass in 0..count / LENGTH {
        let first = Access::at(AccessKind::Read, 0, LENGTH, 2 * LENGTH * pass);
        let last_time = first.time + 2 * (LENGTH - 1);
        analysis.add_run(AccessRun { count: LENGTH, index_stride: 1, last_time, ..AccessRun::single(first) });
    }
    print("linear reads, as runs", count, &start, &analysis.finish());
}

fn picture(count: u64) {
    let start = CpuClock::start();
    let mut builder = PictureBuilder::new(Scale::Time, Window::default());
    (0..count).for_each(|i| builder.add_access(&Access::at(AccessKind::Read, scattered(i), LENGTH, 2 * i)));
    let picture = builder.finish(&analysis().finish());
    let svg = picture.svg("random reads");
    let seconds = start.seconds();
    let each = 1e9 * seconds / count as f64;
    println!(
        "{:26} {seconds:8.2} s  {each:7.2} ns each  {} bytes of SVG",
        "picture of random reads",
        svg.as_str().len()
    );
}

fn print(name: &str, count: u64, start: &CpuClock, protocol: &Protocol) {
    let seconds = start.seconds();
    let (phases, kept) =
        (protocol.phases.iter().map(|list| list.count).sum::<u64>(), protocol.all_phases().count());
    let each = 1e9 * seconds / count as f64;
    println!("{name:26} {seconds:8.2} s  {each:7.2} ns each  {phases} phases, {kept} kept");
}
