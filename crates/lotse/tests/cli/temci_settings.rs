//! temci's settings file: which settings are used, and that a remark names those that are not.

use crate::session::{Session, list};

const SUITE: &str = "\
- attributes: {description: quick one, tags: [fast]}
  run_config: {run_cmd: ./quick, runner: output}
- attributes: {description: slow one, tags: [slow, rare]}
  run_config: {run_cmd: ./slow, runner: output}
";

const SETTINGS: &str = "\
tmp_dir: /tmp/temci
run:
  in: suite.exec.yaml
  out: result.yaml
  min_runs: 3
  max_runs: 100
  runs_per_tag: {rare: 12}
  discarded_runs: 2
  max_time: 2 min
  included_blocks: ['.* one']
  shuffle: false
  run_block_size: 4
  store_often: true
  send_mail: someone@example.org
  remote: elsewhere
  cpuset: {active: true, parallel: 2}
  exec_misc: {preset: usable, random_cmd: true}
  exec_plugins:
    nice_misc: {nice: -3, io_nice: 2}
    disable_swap_active: false
    sleep_active: true
    sleep_misc: {seconds: 0.02}
    exec_active: [env_randomize, disable_cpu_caches, unheard]
  riddle: 1
report:
  in: result.yaml
  reporter: csv
  excluded_properties: [__ov-time]
  csv_misc: {columns: ['description,work[mean|o]', 'work[max]', tags]}
  xkcd_like_plots: true
stats: {properties: [work], tester: ks}
";

fn session() -> Session {
    let session = Session::new();
    session.worker("quick", &[10, 11]).worker("slow", &[20, 22]);
    session.write("suite.exec.yaml", SUITE).write("settings.yaml", SETTINGS);
    session
}

#[test]
fn settings_replace_options_of_the_command_line() {
    let session = session();
    let metric = ["--metric", "work"];
    let answer = session.lotse(&[&["bench", "--settings", "settings.yaml", "--json"], &metric[..]].concat());
    let result = answer.json();
    let runs = list(&result["programs"][1]["samples"]["work"]).len();
    assert_eq!(runs, 12, "runs_per_tag holds for all, for every block runs every program once");
    assert_eq!(session.lines("quick.count").len(), 14, "and two runs of each are discarded");
    assert!(session.read("result.yaml").contains("description: slow one"));
    for (word, hint) in [
        ("`shuffle: false`", "--order sequential"),
        ("`run_block_size`", "every block runs every program once"),
        ("`store_often`", "--out FILE"),
        ("`send_mail`", "mail program"),
        ("`remote`", "start Lotse there"),
        ("`parallel`", "--order duet"),
        ("`env_randomize`", "--layouts"),
        ("`disable_cpu_caches`", "cache-flush"),
        ("\"unheard\"", "no plugin"),
        ("\"riddle\"", "no key of temci's settings"),
    ] {
        let remark = answer.stderr.lines().find(|line| line.contains(word));
        assert!(remark.is_some_and(|line| line.contains(hint)), "{word}: {}", answer.stderr);
    }
    assert!(!answer.stderr.contains("xkcd"), "keys of reports do not matter here: {}", answer.stderr);
}

/// A suite never changes the machine by itself: what it asks for is named.
#[test]
fn a_suite_asks_and_the_user_decides() {
    let session = session();
    let run = ["bench", "--settings", "settings.yaml", "--metric", "work", "--runs", "3", "--json"];
    let answer = session.lotse(&run);
    let wishes =
        "(aslr, cpuset, governor=performance, nice=-3, ionice=best-effort, pause=20, smt, sync, turbo)";
    let remark = answer.stderr.lines().find(|line| line.contains("--separate suite")).unwrap_or("");
    let sorted = |text: &str| {
        let inner =
            text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inner, _)| inner);
        let mut words: Vec<String> = inner.split(", ").map(str::to_owned).collect();
        words.sort();
        words
    };
    assert_eq!(sorted(remark), sorted(wishes), "{}", answer.stderr);
    assert!(answer.json().get("separation").is_none_or(serde_json::Value::is_null));
    let nothing = session.lotse(&["bench", "-f", "suite.exec.yaml", "--separate", "suite"]).exits(2);
    assert!(nothing.stderr.contains("asks for nothing"), "{}", nothing.stderr);
}

#[test]
fn the_report_follows_its_part_of_the_settings() {
    let session = session();
    let run =
        ["bench", "--settings", "settings.yaml", "--metric", "work", "--runs", "4", "--seed", "1", "--json"];
    session.lotse(&run);
    let report = session.lotse(&["bench", "report", "--settings", "settings.yaml"]);
    let lines: Vec<&str> = report.stdout.lines().collect();
    assert_eq!(lines[0], "description,work[mean|o],work[max],tags");
    // Two warm-up runs each, so that both values come twice: 10.5 with a deviation of 0.5, and 21 with 1.
    assert_eq!(lines[1..], ["quick one,1(0.5),11,fast", "slow one,2(1.0),22,slow rare"]);
    assert!(
        report.stderr.contains("`xkcd_like_plots`") && report.stderr.contains("`tester`"),
        "{}",
        report.stderr
    );
    assert!(!report.stderr.contains("`send_mail`"), "keys of runs do not matter here: {}", report.stderr);
}

#[test]
fn settings_that_temci_would_read_are_pointed_out() {
    let session = session();
    session.write("temci.yaml", SETTINGS);
    let run = ["bench", "-f", "suite.exec.yaml", "--metric", "work", "--runs", "3", "-q"];
    let answer = session.lotse(&run);
    assert!(answer.stderr.contains("temci.yaml is not read: add --settings temci.yaml"), "{}", answer.stderr);
}

#[test]
fn programs_are_chosen_by_name_tag_number_or_pattern() {
    let session = session();
    let chosen = |words: &[&str]| -> Vec<String> {
        let run = ["bench", "-f", "suite.exec.yaml", "--metric", "work", "--runs", "3", "--json"];
        let answer = session.lotse(&[&run[..], words].concat()).json();
        list(&answer["programs"]).iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(chosen(&["--include", "rare"]), ["slow one"]);
    assert_eq!(chosen(&["--include", "0"]), ["quick one"]);
    assert_eq!(chosen(&["--include", "(quick|slow) one"]), ["quick one", "slow one"]);
    assert_eq!(chosen(&["--exclude", "fa.t"]), ["slow one"]);
    let none = session.lotse(&["bench", "-f", "suite.exec.yaml", "--include", "one"]).exits(2);
    assert!(none.stderr.contains("there are quick one, slow one"), "{}", none.stderr);
}
