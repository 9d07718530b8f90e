//! Binaries that are rebuilt after recording: only the recorded build gives names, compared with perf, Go and gprof.

use std::collections::BTreeMap;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::session::{Answer, Session, has, list, texts};

/// A program with a function of each name, the second of which takes most of the time.
fn program(first: &str, second: &str) -> String {
    let body = "{ volatile long sum = 0; for (long i = 0; i < count; i++) sum += i ^ sum; return sum; }";
    format!(
        "#include <stdio.h>\n\
         __attribute__((noinline)) long {first}(long count) {body}\n\
         __attribute__((noinline)) long {second}(long count) {body}\n\
         int main(void) {{ long sum = 0; for (int i = 0; i < 100; i++) sum += {first}(200000) + {second}(800000); \
         printf(\"%ld\\n\", sum); return 0; }}\n"
    )
}

/// Runs a tool in the session's directory; `None` where it fails or is not installed.
fn run(session: &Session, command: &[&str]) -> Option<String> {
    let mut child = Command::new(command[0]);
    child.args(&command[1..]).current_dir(session.file("")).env("HOME", session.file("../home"));
    let output = match child.stderr(Stdio::piped()).output() {
        Ok(output) => output,
        Err(error) => {
            test_support::skip_missing(format!("{} cannot be started: {error}", command[0]));
            return None;
        }
    };
    if !output.status.success() {
        test_support::skip_here(format!("{command:?} fails: {}", String::from_utf8_lossy(&output.stderr)));
        return None;
    }
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn compile(session: &Session, (first, second): (&str, &str), out: &str) -> Option<()> {
    session.write(&format!("{first}.c"), &program(first, second));
    let flags = ["-g", "-O1", "-fno-omit-frame-pointer", "-Wl,--build-id", "-o", out];
    run(session, &[&["gcc"], &flags[..], &[&format!("{first}.c")]].concat()).map(drop)
}

const RECORDED: (&str, &str) = ("alpha", "beta");
const OTHER: (&str, &str) = ("gamma", "delta");

/// A recorded program that was built anew since; the recorded build is `kept/prog`.
fn rebuilt(options: &[&str]) -> Option<Session> {
    if !has("gcc") || !has("perf") {
        return None;
    }
    let session = Session::new();
    compile(&session, RECORDED, "prog")?;
    let record = ["perf", "record", "-e", "cpu-clock", "-g", "-o", "perf.data"];
    run(&session, &[&record[..], options, &["./prog"]].concat())?;
    session.write("kept/note", "");
    std::fs::rename(session.file("prog"), session.file("kept/prog")).unwrap();
    compile(&session, OTHER, "prog")?;
    Some(session)
}

/// Samples of the program's functions by name.
fn samples(answer: &Value) -> BTreeMap<String, u64> {
    let of_program = |it: &&Value| it["object"].as_str().is_some_and(|object| object.ends_with("/prog"));
    let rows = list(&answer["functions"]).iter().filter(of_program);
    let period = answer["events"][0]["total"].as_u64().unwrap() / answer["samples"].as_u64().unwrap();
    rows.map(|it| {
        let cost = it["self"][0].as_u64().unwrap() / period.max(1);
        (it["display"].as_str().unwrap().to_owned(), cost)
    })
    .filter(|(_, count)| *count > 0)
    .collect()
}

/// The same samples by perf, which takes names from its cache.
fn samples_by_perf(session: &Session) -> BTreeMap<String, u64> {
    let report = ["perf", "report", "-i", "perf.data", "--stdio", "--no-children", "-g", "none"];
    let printed = run(session, &[&report[..], &["-F", "sample,dso,sym", "-t", ";"]].concat()).unwrap();
    let rows = printed.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(';'));
    let row = |mut fields: std::str::Split<'_, char>| {
        let (count, object, name) = (fields.next()?, fields.next()?, fields.next()?);
        let name = name.trim().strip_prefix("[.] ")?.trim().to_owned();
        (object.trim() == "prog").then(|| Some((name, count.trim().parse().ok()?)))?
    };
    rows.filter_map(row).collect()
}

fn top(session: &Session, options: &[&str]) -> Answer {
    let command = ["profile", "top", "perf.data", "--json", "-n", "0", "--no-findings"];
    session.lotse(&[&command, options].concat()).exits(0)
}

fn diagnostics(answer: &Value) -> String {
    texts(&answer["diagnostics"], "message").join("\n")
}

fn build_id(session: &Session, path: &str) -> String {
    let notes = run(session, &["readelf", "-n", path]).unwrap();
    notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: ")).unwrap().to_owned()
}

#[track_caller]
fn check_no_function_is_named(answer: &Value) {
    check_names_begin(answer, &["0x"]);
}

#[track_caller]
fn check_names_begin(answer: &Value, begins: &[&str]) {
    let names = samples(answer);
    assert!(!names.is_empty());
    for name in names.keys() {
        // Entries of the linkage table are named by the dynamic symbols, which a stripped program keeps.
        assert!(
            begins.iter().any(|begin| name.starts_with(begin)) || name.ends_with("@plt"),
            "{name} is a function of another build: {names:?}"
        );
    }
}

#[test]
fn another_build_at_the_recorded_path_names_nothing() {
    let Some(session) = rebuilt(&["-N"]) else { return };
    let answer = top(&session, &[]).json();
    check_no_function_is_named(&answer);
    let printed = diagnostics(&answer);
    let (wanted, found) = (build_id(&session, "kept/prog"), build_id(&session, "prog"));
    for part in
        ["/prog is another build", &wanted, &found, "--binary", "perf buildid-cache", "DEBUGINFOD_URLS"]
    {
        assert!(printed.contains(part), "no {part} in {printed}");
    }
    let people = session.lotse(&["profile", "top", "perf.data"]).exits(0).complains("is another build");
    assert!(!people.stdout.contains("gamma") && !people.stdout.contains("delta"), "{}", people.stdout);
    let compared =
        session.lotse(&["profile", "diff", "perf.data", "perf.data"]).exits(0).complains("is another build");
    assert!(!compared.stdout.contains("delta"), "{}", compared.stdout);
}

#[test]
fn the_recorded_build_is_used_wherever_it_is() {
    let Some(session) = rebuilt(&[]) else { return };
    let expected = samples_by_perf(&session);
    assert!(expected.contains_key("beta"), "{expected:?}");
    let stored = top(&session, &[]).json();
    assert_eq!(samples(&stored), expected, "perf's cache");
    let wrong = top(&session, &["--binary", "prog"]).json();
    assert_eq!(samples(&wrong), expected, "a file that does not match is passed over");
    assert!(diagnostics(&wrong).contains("--binary prog is another build"), "{}", diagnostics(&wrong));
    std::fs::remove_dir_all(session.file("../home/.debug")).unwrap();
    check_no_function_is_named(&top(&session, &["--binary", "prog"]).json());
    let given = top(&session, &["--binary", "prog", "--binary", "kept/prog"]).json();
    assert_eq!(samples(&given), expected, "given by the user");
    std::fs::rename(session.file("kept/prog"), session.file("kept/copy")).unwrap();
    let renamed = top(&session, &["--binary", "kept/copy"]).json();
    assert_eq!(samples(&renamed), expected, "known by its id alone");
    let shown =
        ["profile", "annotate", "perf.data", "beta", "--asm", "--source", "--wide", "--binary", "kept/copy"];
    session.lotse(&shown).exits(0).says("sum += i ^ sum");
}

#[test]
fn ids_in_records_of_mapped_memory_are_used() {
    let Some(session) = rebuilt(&["-N", "--buildid-mmap"]) else { return };
    check_no_function_is_named(&top(&session, &[]).json());
    let given = samples(&top(&session, &["--binary", "kept/prog"]).json());
    assert!(given.contains_key("beta"), "{given:?}");
}

#[test]
fn a_debug_file_of_another_build_is_not_used() {
    if !has("objcopy") {
        return;
    }
    let Some(session) = rebuilt(&["-N"]) else { return };
    for (from, to) in [("kept/prog", "right.debug"), ("prog", "wrong.debug")] {
        run(&session, &["objcopy", "--only-keep-debug", from, to]).unwrap();
    }
    let expected = samples(&top(&session, &["--binary", "kept/prog"]).json());
    run(&session, &["cp", "right.debug", "kept/prog.debug"]).unwrap();
    let link = format!("--add-gnu-debuglink={}", session.file("kept/prog.debug").display());
    run(&session, &["objcopy", "--strip-all", &link, "kept/prog"]).unwrap();
    let right = top(&session, &["--binary", "kept/prog"]).json();
    assert_eq!(samples(&right), expected);
    run(&session, &["cp", "wrong.debug", "kept/prog.debug"]).unwrap();
    let wrong = top(&session, &["--binary", "kept/prog"]).json();
    // The stripped program itself is the recorded build, and says where its functions begin.
    check_names_begin(&wrong, &["0x", "prog+0x"]);
    let printed = diagnostics(&wrong);
    let ids = [build_id(&session, "right.debug"), build_id(&session, "wrong.debug")];
    assert!(printed.contains("kept/prog.debug belongs to another build"), "{printed}");
    assert!(ids.iter().all(|id| printed.contains(id)), "{printed}");
}

/// A server that is stopped with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A debuginfod on loopback that serves a directory, and its address.
fn server(session: &Session, directory: &str) -> Option<(Server, String)> {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new("debuginfod")
        .args(["-F", "-d", ":memory:", "-c", "1", "-p", &port.to_string(), directory])
        .current_dir(session.file(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = child else {
        test_support::skip_here("debuginfod does not run here");
        return None;
    };
    Some((Server(child), format!("http://127.0.0.1:{port}")))
}

#[test]
fn the_recorded_build_is_requested_from_servers() {
    if !has("debuginfod-find") {
        return;
    }
    let Some(session) = rebuilt(&["-N"]) else { return };
    let Some((_server, url)) = server(&session, "kept") else { return };
    let ask = |url: &str, cache: &str| {
        let mut command =
            session.command(&["profile", "top", "perf.data", "--json", "-n", "0", "--no-findings"]);
        command.env("DEBUGINFOD_URLS", url).env("DEBUGINFOD_CACHE_PATH", session.file(cache));
        Answer::from_output(command.output().unwrap()).exits(0).json()
    };
    let expected = samples(&top(&session, &["--binary", "kept/prog"]).json());
    let mut tries = 0;
    crate::session::eventually("the server has the build", || {
        tries += 1;
        // The client of debuginfod remembers failed requests, so every request has a cache of its own.
        samples(&ask(&url, &format!("cache{tries}"))) == expected
    });
    let cached = samples(&ask("", &format!("cache{tries}")));
    assert_eq!(cached, expected, "what a server gave is kept");
    drop(_server);
    let gone = ask(&url, "empty");
    check_no_function_is_named(&gone);
    assert!(
        diagnostics(&gone).contains("servers of DEBUGINFOD_URLS do not have it"),
        "{}",
        diagnostics(&gone)
    );
}

const GO: &str = r#"package main

import (
	"os"
	"runtime/pprof"
)

var sink int

//go:noinline
func burn(n int) {
	for i := 0; i < n; i++ {
		sink += i ^ sink
	}
}

func main() {
	f, err := os.Create("cpu.pb.gz")
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(f)
	burn(500000000)
	pprof.StopCPUProfile()
	f.Close()
}
"#;

fn go_build(session: &Session, id: &str) -> Option<()> {
    let flag = format!("-B 0x{id}");
    let mut command = Command::new("go");
    command.args(["build", "-ldflags", &flag, "-o", "prog", "main.go"]).current_dir(session.file(""));
    command.env("GOFLAGS", "-mod=mod").env("GOCACHE", session.file("../cache")).env("CGO_ENABLED", "0");
    let built = command.output().is_ok_and(|output| output.status.success());
    if !built {
        test_support::skip_here("go does not build here");
    }
    built.then_some(())
}

#[test]
fn assembly_of_a_go_program_comes_from_the_recorded_build() {
    let session = Session::new();
    session.write("main.go", GO);
    let ids = ["01".repeat(20), "02".repeat(20)];
    let recorded = || {
        go_build(&session, &ids[0])?;
        run(&session, &["./prog"])?;
        run(&session, &["go", "tool", "pprof", "-raw", "cpu.pb.gz"])
    };
    let Some(raw) = recorded() else { return };
    assert!(raw.contains(&ids[0]), "{raw}");
    let annotate = ["profile", "annotate", "cpu.pb.gz", "main.burn", "--asm", "--json"];
    let right = session.lotse(&annotate).exits(0).json();
    assert!(!list(&right["instructions"]).is_empty());
    run(&session, &["mv", "prog", "kept"]).unwrap();
    go_build(&session, &ids[1]).unwrap();
    let wrong = session.lotse(&annotate).exits(0).json();
    assert!(wrong.get("instructions").is_none_or(|it| it.is_null()), "{wrong}");
    let printed = diagnostics(&wrong);
    assert!(
        printed.contains(&ids[0]) && printed.contains(&ids[1]) && printed.contains("another build"),
        "{printed}"
    );
    let given = session.lotse(&[&annotate[..], &["--binary", "kept"]].concat()).exits(0).json();
    assert_eq!(given["instructions"], right["instructions"]);
}

#[test]
fn conversion_keeps_ids() {
    let Some(session) = rebuilt(&["-N"]) else { return };
    session.lotse(&["profile", "convert", "perf.data", "--to", "pprof", "-o", "out.pb"]).exits(0);
    let Some(raw) = run(&session, &["go", "tool", "pprof", "-raw", "out.pb"]) else { return };
    assert!(raw.contains(&build_id(&session, "kept/prog")), "{raw}");
    let again = session.lotse(&["profile", "top", "out.pb"]).exits(0).complains("is another build");
    assert!(!again.stdout.contains("delta"), "{}", again.stdout);
}

/// Sets the time of the last change of a file to `after` seconds after the profile was written.
fn changed(session: &Session, name: &str, profile: &str, after: u64) {
    let written = std::fs::metadata(session.file(profile)).unwrap().modified().unwrap();
    let file = File::options().append(true).open(session.file(name)).unwrap();
    file.set_modified(written + Duration::from_secs(after)).unwrap();
}

#[test]
fn without_ids_a_newer_binary_is_used_with_a_warning() {
    if !has("gcc") || !has("gprof") {
        return;
    }
    let session = Session::new();
    session.write("alpha.c", &program("alpha", "beta"));
    run(&session, &["gcc", "-pg", "-g", "-O1", "-o", "prog", "alpha.c"]).unwrap();
    run(&session, &["./prog"]).unwrap();
    let expected = run(&session, &["gprof", "-b", "-p", "prog", "gmon.out"]).unwrap();
    assert!(expected.contains("beta"), "{expected}");
    let commands: [&[&str]; 3] = [
        &["profile", "top", "gmon.out", "--binary", "prog"],
        &["profile", "annotate", "gmon.out", "beta", "--wide", "--binary", "prog"],
        &["profile", "diff", "gmon.out", "gmon.out", "--binary", "prog"],
    ];
    for command in commands {
        let answer = session.lotse(command).exits(0);
        assert!(!answer.stderr.contains("warning"), "{}", answer.stderr);
    }
    changed(&session, "prog", "gmon.out", 600);
    for command in commands {
        let answer = session.lotse(command).exits(0);
        let warnings = answer.stderr.matches("prog was changed 10 minutes after").count();
        let files = command.iter().filter(|word| **word == "gmon.out").count();
        assert_eq!(warnings, files, "{command:?}: {}", answer.stderr);
    }
    let json = session.lotse(&[commands[0], &["--json"]].concat()).exits(0).says("beta").json();
    assert!(diagnostics(&json).contains("may belong to another version"), "{json}");
    changed(&session, "alpha.c", "gmon.out", 7200);
    session.lotse(commands[1]).exits(0).says("sum += i ^ sum").complains("alpha.c was changed 2 hours after");
}

#[test]
fn sources_behind_file_addresses_open() {
    if !has("node") {
        return;
    }
    let session = Session::new();
    let script = "function burn(n) {\n  let sum = 0;\n  for (let i = 0; i < n; i++) sum = (sum + i * i) % 1009;\n  \
                  return sum;\n}\nfor (let i = 0; i < 60; i++) burn(1e6);\n";
    session.write("a dir/main.mjs", script);
    let record = ["node", "--cpu-prof", "--cpu-prof-name", "run.cpuprofile", "a dir/main.mjs"];
    if run(&session, &record).is_none() {
        return;
    }
    assert!(session.read("run.cpuprofile").contains("file:///"), "the engine writes addresses");
    let answer = session.lotse(&["profile", "annotate", "run.cpuprofile", "burn"]).exits(0);
    assert!(answer.stdout.contains("sum = (sum + i * i) % 1009"), "{}\n{}", answer.stdout, answer.stderr);
    assert!(!answer.stderr.contains("main.mjs"), "{}", answer.stderr);
    changed(&session, "a dir/main.mjs", "run.cpuprofile", 300);
    session
        .lotse(&["profile", "annotate", "run.cpuprofile", "burn"])
        .exits(0)
        .complains("main.mjs was changed");
}
