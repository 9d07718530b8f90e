//! Profiles of programs in Python, JavaScript and Go, recorded while the tests run: units, names, numbers of calls.

use serde_json::Value;

use crate::recorded::{attempted, recorded};
use crate::session::{Session, list, texts};

/// Two functions called `key`, a type made at run time (whose `__new__` cProfile names by an address), recursion.
const PROGRAM: &str = "
import collections, cProfile, sys
Pair = collections.namedtuple('Pair', 'a b')
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def key(x): return -x
class Table:
    def key(self, x): return x * x
def main():
    table = Table()
    for _ in range(20):
        fib(12)
        sorted(range(500), key=key)
        [table.key(i) for i in range(300)]
        [Pair(i, i) for i in range(300)]
cProfile.run('main()', sys.argv[1])
";

fn python() -> Option<Session> {
    let session = Session::new();
    session.write("app.py", PROGRAM);
    for file in ["a.prof", "b.prof"] {
        recorded(&session, &["python3", "app.py", file])?;
    }
    Some(session)
}

#[test]
fn an_ambiguous_name_is_never_chosen_without_a_remark() {
    let Some(session) = python() else { return };
    let callers = |words: &[&str]| session.lotse(&[&["profile", "callers", "a.prof"], words].concat());
    callers(&["key", "--csv"]).exits(0).complains("\"key\" fits 2 functions");
    let top = session.lotse(&["profile", "top", "a.prof", "-F", "key", "--wide"]).exits(0).stdout;
    for line in [5, 7] {
        // As the table shows it.
        let name = format!("key [app.py:{line}]");
        assert!(top.contains(&name), "{top}");
        let answer = callers(&[&name, "--json"]).exits(0).json();
        assert_eq!(answer["function"]["line"], line);
    }
    session.lotse(&["profile", "callers", "a.prof", "maim"]).exits(2).complains("did you mean main");
}

#[test]
fn addresses_of_types_do_not_make_functions_new() {
    let Some(session) = python() else { return };
    // Python's addresses differ from run to run; here they differ for sure.
    let rewrite = "import marshal, re
stats = marshal.load(open('a.prof', 'rb'))
move = lambda key: (key[0], key[1], re.sub('at 0x[0-9a-f]+', 'at 0x7fffdeadbeef', key[2]))
stats = {move(key): (*row[:4], {move(caller): calls for caller, calls in row[4].items()}) for key, row in stats.items()}
marshal.dump(stats, open('moved.prof', 'wb'))
print(sum('0x7fffdeadbeef' in key[2] for key in stats))";
    let Some(moved) = recorded(&session, &["python3", "-c", rewrite]) else { return };
    assert!(moved.trim().parse::<u32>().unwrap() > 0, "{moved}");
    let answer = session.lotse(&["profile", "diff", "a.prof", "moved.prof", "--json"]).exits(0).json();
    assert_eq!((&answer["counts"]["gone"], &answer["counts"]["new"]), (&0.into(), &0.into()));
    session.lotse(&["profile", "diff", "a.prof", "moved.prof"]).exits(0).says("nothing changed");
}

#[test]
fn numbers_of_calls_of_a_selection_are_unknown() {
    let Some(session) = python() else { return };
    let answer = session.lotse(&["profile", "top", "a.prof", "--focus", "fib", "--json"]).exits(0).json();
    assert!(list(&answer["functions"]).iter().all(|function| function["calls"].is_null()), "{answer}");
    let whole = session.lotse(&["profile", "top", "a.prof", "--json"]).exits(0).json();
    assert!(list(&whole["functions"]).iter().all(|function| function["calls"].is_u64()));
}

#[test]
fn a_sampler_that_writes_pstats_is_read() {
    let Some(session) = python() else { return };
    // As pyinstrument writes it: no numbers of calls, and a recursive call once for every level.
    let rewrite = "import marshal
stats = marshal.load(open('a.prof', 'rb'))
call = lambda row: (-1, -1, row[2], row[3] * 5)
stats = {key: (-1, -1, row[2], row[3], {caller: call(calls) for caller, calls in row[4].items()}) for key, row in stats.items()}
marshal.dump(stats, open('sampled.prof', 'wb'))";
    if recorded(&session, &["python3", "-c", rewrite]).is_none() {
        return;
    }
    let top = |file: &str| {
        let answer =
            session.lotse(&["profile", "top", file, "-e", "time", "-n", "0", "--json"]).exits(0).json();
        let costs = |it: &Value| {
            (it["display"].clone(), it["line"].clone(), it["self"].clone(), it["inclusive"].clone())
        };
        list(&answer["functions"]).iter().map(costs).collect::<Vec<_>>()
    };
    assert_eq!(top("sampled.prof"), top("a.prof"));
    let counted =
        session.lotse(&["profile", "top", "sampled.prof"]).exits(0).complains("did not count calls");
    assert!(!counted.stdout.contains("calls"), "{}", counted.stdout);
    let answer = session.lotse(&["profile", "callers", "sampled.prof", "fib", "--json"]).exits(0).json();
    let whole = answer["events"][0]["total"].as_u64().unwrap();
    let rows = list(&answer["rows"]);
    assert!(!rows.is_empty() && rows.iter().all(|row| row["cost"][0].as_u64().unwrap() <= whole), "{answer}");
    assert!(rows.iter().any(|row| row["exact"] == false), "{answer}");
}

#[test]
fn sentences_do_not_depend_on_the_limit() {
    let Some(session) = python() else { return };
    let sentence = |verb: &[&str], limit: &str| {
        let answer = session.lotse(&[&["profile"], verb, &["--limit", limit]].concat()).exits(0);
        answer.stdout.split("\n\n").next().unwrap().to_owned()
    };
    for verb in [&["top", "a.prof"][..], &["diff", "a.prof", "b.prof", "--min-change", "0"]] {
        let one = sentence(verb, "1");
        assert_eq!((&sentence(verb, "3"), &sentence(verb, "0")), (&one, &one));
    }
}

#[test]
fn every_further_file_has_its_sentence_and_its_words() {
    let session = Session::new();
    session.write("old.txt", "main;f 1\nmain;g 2\n").write("two.txt", "main;f 1\nmain;h 3\n");
    session.write("three.txt", "main;g 4\nmain;h 2\nmain 1\n");
    let files = ["profile", "diff", "old.txt", "two.txt", "three.txt", "--min-change", "0", "--wide"];
    let answer = session.lotse(&files).exits(0);
    assert!(answer.stdout.replace('\n', " ").contains("three.txt costs 2.33 times as much as old.txt"));
    let row = |name: &str| answer.stdout.lines().find(|line| line.trim_end().ends_with(name)).unwrap();
    // g is absent from the second file and present in the third; h is new in both.
    assert!(row(" g").contains("gone") && row(" g").contains("2.000"), "{}", row(" g"));
    assert_eq!(row(" h").matches("new").count(), 2, "{}", row(" h"));
}

/// Self time of every function by the rule of Chrome's DevTools, by an independent script in JavaScript.
const SELF_TIMES: &str = "
const profile = JSON.parse(require('fs').readFileSync('run.cpuprofile'));
let now = profile.startTime;
const samples = profile.samples.map((node, i) => [now += profile.timeDeltas[i], node]).sort((a, b) => a[0] - b[0]);
const names = new Map(profile.nodes.map(node => [node.id, node.callFrame.functionName]));
const sums = {};
samples.forEach(([at, node], i) => {
  const end = i + 1 < samples.length ? samples[i + 1][0] : profile.endTime;
  sums[names.get(node)] = (sums[names.get(node)] || 0) + Math.max(0, end - at);
});
console.log(JSON.stringify(sums));";

#[test]
fn a_sample_of_v8_lasts_until_the_next_one() {
    let session = Session::new();
    let spin = "function spin(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s; }
function rest(n) { let s = 1; for (let i = 1; i < n; i++) s = (s * i) % 7919; return s; }
for (let i = 0; i < 60; i++) { spin(3e5); rest(2e5); }";
    session.write("app.js", spin).write("times.js", SELF_TIMES);
    let profiled = ["node", "--cpu-prof", "--cpu-prof-name", "run.cpuprofile", "app.js"];
    if attempted(&session, &profiled).is_none() {
        return;
    }
    let Some(theirs) = recorded(&session, &["node", "times.js"]) else { return };
    let theirs: Value = serde_json::from_str(&theirs).unwrap();
    let ours = session.lotse(&["profile", "top", "run.cpuprofile", "-e", "time", "-n", "0", "--json"]).json();
    for name in ["spin", "rest"] {
        let function = list(&ours["functions"]).iter().find(|it| it["display"] == name).unwrap();
        assert_eq!(function["self"][0].as_u64(), theirs[name].as_u64().map(|micros| micros * 1000), "{name}");
    }
}

#[test]
fn weights_are_called_samples_only_if_plausible() {
    let session = Session::new();
    session.write("counts.txt", "main;f 40\nmain;g 3\nmain 1\n 2\n");
    session.write("old.txt", "main;f 40101010\nmain;g 30303030\n");
    session.write("new.txt", "main;f 48181818\nmain;g 30303030\n");
    session.lotse(&["profile", "top", "counts.txt"]).exits(0).says("of 46 samples");
    session.lotse(&["profile", "top", "old.txt"]).exits(0).says("of a weight of 70,404,040 (self)");
    let diff = |more: &[&str]| session.lotse(&[&["profile", "diff", "old.txt", "new.txt"], more].concat());
    let answer = diff(&[]).exits(0).complains("not known to be numbers of samples");
    assert!(!answer.stdout.contains('±'), "{}", answer.stdout);
    // As periods of some 20 samples each the difference is noise; as numbers of samples it is not.
    assert!(diff(&["--unit", "samples"]).exits(0).stdout.contains('±'));
    diff(&["--unit", "ns"]).exits(0).says("70.40 ms became 78.48 ms");
    session.lotse(&["profile", "top", "counts.txt", "--unit", " "]).exits(2).complains("--unit needs a word");
}

#[test]
fn stacks_in_which_nothing_recurs_have_no_recursive_calls() {
    let session = Session::new();
    session.write("a.txt", "main;a;b 3\nmain;b;a 1\nmain;c;d;c 1\n");
    let callees = |name: &str| {
        let answer = session.lotse(&["profile", "callees", "a.txt", name, "--json"]).exits(0).json();
        list(&answer["rows"]).iter().map(|row| row["inside_cycle"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((callees("a"), callees("b"), callees("d")), (vec![false], vec![false], vec![true]));
    let groups = session.lotse(&["profile", "top", "a.txt", "-g", "cycle", "--json"]).exits(0).json();
    assert_eq!(texts(&groups["groups"], "name").iter().filter(|name| name.contains("cycle")).count(), 1);
}

#[test]
fn a_part_with_another_unit_is_shown_in_it() {
    let session = Session::new();
    let file = r#"{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "f"}]},
"profiles": [{"type": "sampled", "name": "cpu", "unit": "milliseconds", "startValue": 0, "endValue": 3, "samples": [[0]], "weights": [3]},
{"type": "evented", "name": "heap", "unit": "bytes", "startValue": 0, "endValue": 9,
 "events": [{"type": "O", "at": 0, "frame": 0}, {"type": "C", "at": 9, "frame": 0}]}]}"#;
    session.write("a.speedscope.json", file);
    session.lotse(&["profile", "top", "a.speedscope.json"]).exits(0).says("100.0 % of 3.000 ms");
    let heap =
        session.lotse(&["profile", "top", "a.speedscope.json", "--parts", "2", "--json"]).exits(0).json();
    assert_eq!((&heap["default_event"], &heap["functions"][0]["calls"]), (&"bytes".into(), &Value::Null));
    session
        .lotse(&["profile", "top", "a.speedscope.json", "--parts", "heap"])
        .exits(0)
        .says("100.0 % of 9 B");
}

/// Eight goroutines that wait for one mutex.
const GO: &str = "package main
import (\"os\"; \"runtime\"; \"runtime/pprof\"; \"sync\"; \"time\")
var mu sync.Mutex
func hold() { mu.Lock(); time.Sleep(time.Millisecond); mu.Unlock() }
func main() {
	runtime.SetMutexProfileFraction(1)
	var wait sync.WaitGroup
	for i := 0; i < 8; i++ { wait.Add(1); go func() { defer wait.Done(); hold() }() }
	wait.Wait()
	for debug, name := range []string{\"mutex.pb.gz\", \"mutex.txt\"} {
		file, _ := os.Create(name)
		pprof.Lookup(\"mutex\").WriteTo(file, debug)
		file.Close()
	}
}
";

#[test]
fn a_mutex_profile_of_go_is_the_same_as_text() {
    let session = Session::new();
    session.write("main.go", GO).write("go.mod", "module contended\n");
    let cache = session.file("cache").display().to_string();
    let built = ["env", &format!("GOCACHE={cache}"), "HOME=.", "go", "run", "."];
    if attempted(&session, &built).is_none() {
        return;
    }
    let delay = |file: &str| {
        let answer =
            session.lotse(&["profile", "top", file, "-e", "delay", "-n", "0", "--json"]).exits(0).json();
        let hold = list(&answer["functions"]).iter().find(|it| it["display"] == "main.hold").unwrap().clone();
        (answer["events"][0]["total"].as_f64().unwrap(), hold["inclusive"][0].as_f64().unwrap())
    };
    let (text, packed) = (delay("mutex.txt"), delay("mutex.pb.gz"));
    // Cycles are converted with a frequency that is measured anew for each file.
    assert!(
        (text.0 / packed.0 - 1.0).abs() < 1e-3 && (text.1 / packed.1 - 1.0).abs() < 1e-3,
        "{text:?} {packed:?}"
    );
}
