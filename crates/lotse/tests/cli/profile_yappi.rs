//! Callgrind's format as yappi writes it: all files, all functions, then the costs. Compared with `callgrind_annotate`.

use crate::recorded::recorded;
use crate::session::{Session, list};

const YAPPI: &str = "version: 1\ncreator: yappi\npid: 14346\ncmd:  s.py\npart: 1\n\nevents: Ticks\n\n\
fl=(1) s.py\nfl=(2) lib/difflib.py\nfl=(3) <string>\n\n\
fn=(1) main s.py:19\nfn=(2) ratio lib/difflib.py:622\nfn=(3) <module> <string>:1\n\n\
fl=(1)\nfn=(1)\n19 40\ncfl=(2)\ncfn=(2)\ncalls=5 0 0\n622 30\n\n\
fl=(2)\nfn=(2)\n622 30\n\n\
fl=(3)\nfn=(3)\n1 2\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n19 70\n";

#[test]
fn functions_are_in_the_file_of_their_costs() {
    let session = Session::new();
    session.write("y.cg", YAPPI);
    let Some(judge) = recorded(&session, &["callgrind_annotate", "y.cg"]) else { return };
    let answer = session.lotse(&["profile", "top", "y.cg", "--json", "--no-findings"]).exits(0).json();
    for row in list(&answer["functions"]) {
        let (file, name) = (row["file"].as_str().unwrap(), row["name"].as_str().unwrap());
        assert!(judge.contains(&format!("{file}:{name}")), "{file}:{name} in {judge}");
    }
    assert_eq!(list(&answer["functions"]).len(), 3);
    let groups = session.lotse(&["profile", "top", "y.cg", "-g", "file"]).exits(0).stdout;
    assert!(groups.starts_with("s.py takes 55.6 %"), "{groups}");
}
