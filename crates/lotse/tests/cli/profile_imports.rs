//! Trees of Python programs with imports, which are one large cycle, compared with what `pstats` states.

use std::collections::HashMap;

use serde_json::Value;

use crate::recorded::recorded;
use crate::session::Session;

const SCRIPT: &str = "
import importlib
def work(n): return sum(i * i for i in range(n))
def plugin():
    work(40000); importlib.import_module('xml.dom.minidom'); importlib.import_module('http.server')
plugin()
work(200000)
";

/// The cumulative time of every function of one name, in nanoseconds.
const PRINT: &str = "
import json, pstats
rows = {}
for (file, line, name), it in pstats.Stats('out.pstats').stats.items():
    rows.setdefault(name, []).append(round(it[3] * 1e9))
print(json.dumps({name: times[0] for name, times in rows.items() if len(times) == 1}))
";

fn recording() -> Option<(Session, Value)> {
    let session = Session::new();
    session.write("app.py", SCRIPT).write("print.py", PRINT);
    recorded(&session, &["python3", "-m", "cProfile", "-o", "out.pstats", "app.py"])?;
    let printed = recorded(&session, &["python3", "print.py"])?;
    Some((session, serde_json::from_str(&printed).unwrap()))
}

/// For each function: the sum over those of its nodes that are not below another node of the same name.
fn outermost(tree: &Value) -> HashMap<String, i64> {
    let event = tree["events"].as_array().unwrap().iter().position(|it| it["name"] == "time").unwrap();
    let mut way: Vec<String> = Vec::new();
    let mut sums = HashMap::new();
    for node in tree["nodes"].as_array().unwrap() {
        let name = node["name"].as_str().unwrap().to_owned();
        way.truncate(usize::try_from(node["depth"].as_u64().unwrap()).unwrap());
        if !way.contains(&name) {
            *sums.entry(name.clone()).or_insert(0) += node["inclusive"][event].as_i64().unwrap();
        }
        way.push(name);
    }
    sums
}

#[test]
fn trees_of_imports_keep_to_stated_times() {
    let Some((session, stated)) = recording() else { return };
    let tree =
        session.lotse(&["profile", "tree", "out.pstats", "--json", "--min-share", "0.1%"]).exits(0).json();
    let root = &tree["nodes"][0]["name"];
    assert!(root.as_str().unwrap().contains("exec"), "{root}");
    let sums = outermost(&tree);
    for name in ["plugin", "import_module"] {
        let (shown, stated) = (sums[name], stated[name].as_i64().unwrap());
        assert!((shown - stated).abs() <= stated / 100, "{name}: {shown} {stated}");
    }
    // Python rounds each time separately, and the total is the sum of self times.
    for (name, &shown) in &sums {
        let Some(stated) = stated[name].as_i64() else { continue };
        assert!(shown <= stated + stated / 100 + 10_000, "{name}: {shown} {stated}");
    }
}

#[test]
fn calls_below_a_root_cost_what_is_stated() {
    let Some((session, stated)) = recording() else { return };
    let tree =
        session.lotse(&["profile", "tree", "out.pstats", "plugin", "--depth", "1", "--json"]).exits(0).json();
    let sums = outermost(&tree);
    for name in ["plugin", "import_module"] {
        let (shown, stated) = (sums[name], stated[name].as_i64().unwrap());
        assert!((shown - stated).abs() <= stated / 100, "{name}: {shown} {stated}");
    }
}
