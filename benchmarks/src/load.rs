//! Busy loops as background load of a measurement.
//!
//! They end when the guard is dropped, also by a panic; by a signal from the kernel when the benchmark dies (Ctrl-C, SIGKILL); and at
//! the latest after a time limit.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::error::Error;

/// Time for the scheduler to distribute them.
const SETTLE: Duration = Duration::from_millis(200);

/// Running busy loops.
#[derive(Debug, Default)]
pub struct BusyLoops {
    children: Vec<Child>,
}

impl BusyLoops {
    /// Starts `count` busy loops for at most `bound`. Call it from the main thread: they end with the thread that started them.
    pub fn start(program: &Path, count: u32, bound: Duration) -> Result<Self, Error> {
        let mut loops = Self::default();
        for _ in 0..count {
            let mut command = Command::new(program);
            command.arg(std::process::id().to_string()).arg(bound.as_secs().max(1).to_string());
            let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
            loops.children.push(child.map_err(Error::file("start", program))?);
        }
        if count > 0 {
            thread::sleep(SETTLE);
        }
        Ok(loops)
    }

    /// Their process ids.
    pub fn ids(&self) -> Vec<u32> {
        self.children.iter().map(Child::id).collect()
    }
}

impl Drop for BusyLoops {
    #[expect(clippy::print_stderr, reason = "nobody else can tell that a load stays behind")]
    fn drop(&mut self) {
        for child in &mut self.children {
            if let Err(error) = child.kill().and_then(|()| child.wait()) {
                eprintln!("cannot end busy loop {}: {error}", child.id());
            }
        }
    }
}
