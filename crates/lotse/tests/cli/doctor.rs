//! `lotse doctor`.

use crate::session::{Session, texts};

#[test]
fn the_machine_and_its_tools_as_json() {
    let answer = Session::new().lotse(&["doctor", "--json"]).exits(0).json();
    assert_eq!(answer["schema"], "lotse.doctor/1");
    assert!(answer["left_changed"].is_array());
    assert!(answer["machine"]["usable_cpus"].as_u64().unwrap() >= 1, "{}", answer["machine"]);
    let tools = texts(&answer["tools"], "name");
    assert!(tools.contains(&"valgrind") && tools.contains(&"perf"), "{tools:?}");
    let capabilities = texts(&answer["capabilities"], "name");
    for name in ["compiler for recording", "frame pointers", "shared memory"] {
        assert!(capabilities.contains(&name), "{capabilities:?}");
    }
}

#[test]
fn missing_capabilities_and_tools_have_a_remedy() {
    let session = Session::new();
    let output = session.command(&["doctor"]).env("PATH", "").output().unwrap();
    let answer = crate::session::Answer::from_output(output).exits(0);
    answer.says("valgrind").says("missing").says("apt install valgrind").says("no compiler");
}
