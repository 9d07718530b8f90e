//! How runs end, and how they fail to begin.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lotse_host::{End, Input, Interrupt, Job, Launcher, LauncherOptions, Output, StartProblem};

use super::{launcher, run, shell};

#[test]
fn statuses_and_signals() {
    let mut launcher = launcher();
    let mut check = |script: &str, end| assert_eq!(launcher.run(&shell(script)).unwrap().end, end);
    check("exit 0", End::Exited(0));
    check("exit 3", End::Exited(3));
    check("exit 255", End::Exited(255));
    check("kill -SEGV $$", End::Signalled(11));
    check("kill -KILL $$", End::Signalled(9));
    check("kill -PIPE $$", End::Signalled(13));
    check("kill -INT $$", End::Signalled(2));
}

#[test]
fn a_time_out_ends_a_sleeper() {
    let job = Job { timeout: Some(Duration::from_millis(50)), ..Job::new(["sleep", "1000"]) };
    let report = run(&job);
    assert_eq!(report.end, End::TimedOut);
    assert!(report.wall_ns >= 50_000_000);
    assert!(report.wall_ns < 1_000_000_000_000);
}

#[test]
fn a_run_within_its_time_out_is_not_affected() {
    let job = Job { timeout: Some(Duration::from_secs(3600)), ..Job::new(["true"]) };
    assert_eq!(run(&job).end, End::Exited(0));
    let forever = Job { timeout: Some(Duration::MAX), ..Job::new(["true"]) };
    assert_eq!(run(&forever).end, End::Exited(0));
}

#[test]
fn an_interrupt_stops_the_run() {
    let interrupt = Interrupt::new().unwrap();
    let options = LauncherOptions { interrupt: Some(interrupt.clone()), ..Default::default() };
    let mut launcher = Launcher::start(&options).unwrap();
    let trigger = interrupt.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        trigger.trigger().unwrap();
    });
    assert_eq!(launcher.run(&Job::new(["sleep", "1000"])).unwrap().end, End::Interrupted);
    thread.join().unwrap();
    assert_eq!(launcher.run(&Job::new(["true"])).unwrap().end, End::Interrupted);
    interrupt.reset().unwrap();
    assert_eq!(launcher.run(&Job::new(["true"])).unwrap().end, End::Exited(0));
}

fn problem(job: &Job) -> StartProblem {
    match run(job).end {
        End::NotStarted(problem) => problem,
        end => panic!("{end}"),
    }
}

fn file(directory: &Path, text: &str, mode: u32) -> PathBuf {
    let path = directory.join("program");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn missing_programs_are_named_with_the_nearest() {
    let nearest = |name: &str| match problem(&Job::new([name])) {
        StartProblem::NotFound { name: asked, nearest } => {
            assert_eq!(asked, name);
            nearest
        }
        other => panic!("{other}"),
    };
    assert_eq!(nearest("sleeep").as_deref(), Some("sleep"));
    assert_eq!(nearest("no-program-is-called-so"), None);
    assert_eq!(nearest("/nonexistent/program"), None);
    assert!(nearest("/bin/sleeep").is_some_and(|it| it == "/bin/sleep"));
}

#[test]
fn files_that_are_no_programs() {
    let directory = tempfile::tempdir().unwrap();
    let path = file(directory.path(), "#!/bin/sh\n", 0o644);
    let job = Job::new([&path]);
    assert_eq!(problem(&job), StartProblem::PermissionDenied { path: path.clone() });
    let mut searched = Job::new(["program"]);
    searched.environment.set("PATH", directory.path());
    assert_eq!(problem(&searched), StartProblem::PermissionDenied { path: path.clone() });
    file(directory.path(), "echo no first line\n", 0o755);
    assert_eq!(problem(&job), StartProblem::NoInterpreter { path: path.clone() });
    assert!(problem(&job).to_string().contains("-S"));
    file(directory.path(), "#!/nonexistent/interpreter\n", 0o755);
    assert_eq!(problem(&job), StartProblem::InterpreterMissing { path: path.clone() });
    file(directory.path(), "\x7fELF of no machine", 0o755);
    assert_eq!(problem(&job), StartProblem::WrongMachine { path });
    let path = directory.path().to_owned();
    assert_eq!(problem(&Job::new([&path])), StartProblem::IsDirectory { path });
}

#[test]
fn directories_streams_and_cpus_that_do_not_exist() {
    let nowhere = PathBuf::from("/nonexistent/place");
    let job = Job { directory: Some(nowhere.clone()), ..Job::new(["/bin/true"]) };
    assert_eq!(problem(&job), StartProblem::Directory { path: nowhere.clone(), code: 2 });
    let job = Job { stdin: Input::File(nowhere.clone()), ..Job::new(["true"]) };
    assert_eq!(problem(&job), StartProblem::Stream { stream: "stdin", path: nowhere.clone(), code: 2 });
    let job = Job { stderr: Output::File(nowhere.clone()), ..Job::new(["true"]) };
    assert_eq!(problem(&job), StartProblem::Stream { stream: "stderr", path: nowhere, code: 2 });
    let job = Job { cpu: Some(100_000), ..Job::new(["true"]) };
    assert!(matches!(problem(&job), StartProblem::Cpu { cpu: 100_000, .. }));
}

#[test]
fn arguments_that_no_program_can_be_given() {
    assert_eq!(problem(&Job::new(["true", "a\0b"])), StartProblem::NulByte { what: "an argument" });
    assert_eq!(problem(&Job::new([""])), StartProblem::EmptyCommand);
    assert_eq!(problem(&Job::new(["true", &"x".repeat(300_000)])), StartProblem::TooLong);
}

#[test]
fn a_launcher_survives_all_failures() {
    let mut launcher = launcher();
    for _ in 0..3 {
        assert!(matches!(launcher.run(&Job::new(["/nonexistent"])).unwrap().end, End::NotStarted(_)));
        assert_eq!(launcher.run(&Job::new(["true"])).unwrap().end, End::Exited(0));
    }
}
