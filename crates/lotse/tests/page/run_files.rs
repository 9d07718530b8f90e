//! Files that callgrind wrote for the threads of one run.

use serde_json::Value;

use crate::exports::export;
use crate::server::{Server, fixture};

/// A folder with the empty file that callgrind was told to write, and the files of the threads.
fn crew() -> (tempfile::TempDir, impl Fn(&str) -> String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("crew.callgrind"), "").unwrap();
    for number in ["01", "02", "03"] {
        let name = format!("crew.callgrind-{number}");
        std::fs::copy(fixture(&format!("profile/{name}")), folder.path().join(name)).unwrap();
    }
    let root = folder.path().to_str().unwrap().to_owned();
    (folder, move |end: &str| format!("{root}/crew.callgrind{end}"))
}

/// The number of documents, the total of the first, and which of its parts count.
fn opened(files: &[&str]) -> (usize, Value, Vec<bool>) {
    let server = Server::start(files);
    let about = server.settled(0)["stage"]["about"].clone();
    let count = server.get("/api/session").json()["documents"].as_array().unwrap().len();
    let parts = about["profile"]["parts"].as_array().unwrap_or_else(|| panic!("{about}"));
    let chosen = parts.iter().map(|part| part["chosen"] == true).collect();
    (count, about["profile"]["events"][0]["total"].clone(), chosen)
}

/// The totals are those of the files: 5,781, 20,012 and 60,013 instructions.
#[test]
fn thread_files_named_together_are_one_profile() {
    let (_folder, file) = crew();
    let [run, one, two, three] = ["", "-01", "-02", "-03"].map(file);
    for (files, total, chosen) in [
        (vec![one.as_str()], "5,781", [true, false, false]),
        (vec![&one, &three], "65,794", [true, false, true]),
        (vec![&three, &one, &two], "85,806", [true, true, true]),
        (vec![&run], "85,806", [true, true, true]),
        (vec![&run, &one, &two, &three], "85,806", [true, true, true]),
    ] {
        let (count, sum, parts) = opened(&files);
        assert_eq!((count, sum, parts), (1, total.into(), chosen.to_vec()), "{files:?}");
    }
}

#[test]
fn files_of_other_runs_stay_documents_of_their_own() {
    let (_folder, file) = crew();
    let (one, two) = (file("-01"), file("-02"));
    let (count, total, _) = opened(&[&one, "profile/words-list.callgrind", &two]);
    assert_eq!((count, total), (2, "25,793".into()));
    let body = serde_json::json!({"paths": [one, fixture("profile/words-list.callgrind")], "compare": false});
    let server = Server::start(&[]);
    assert_eq!(server.post("/api/open", &body).status, 200);
    let problem = server.settled(0)["stage"]["problem"]["message"].clone();
    assert!(problem.as_str().unwrap().contains("not of the same run"), "{problem}");
}

/// Threads whose files were packed are not read by themselves, so the message names them.
#[test]
fn an_empty_file_names_what_lies_beside_it() {
    let (folder, file) = crew();
    for number in ["01", "02", "03"] {
        let name = file(&format!("-{number}"));
        std::fs::rename(&name, format!("{name}.gz")).unwrap();
    }
    let lotse = env!("CARGO_BIN_EXE_lotse");
    let run = file("");
    let printed = std::process::Command::new(lotse).args(["profile", "top", &run]).output().unwrap();
    let server = Server::start(&[&run]);
    let shown = server.settled(0)["stage"]["problem"]["message"].as_str().unwrap().to_owned();
    let exported = export(&[&run], folder.path());
    for text in [
        shown,
        String::from_utf8_lossy(&printed.stderr).into_owned(),
        String::from_utf8_lossy(&exported.stderr).into_owned(),
    ] {
        assert!(
            text.contains("is empty") && text.contains("crew.callgrind-01.gz, crew.callgrind-02.gz"),
            "{text}"
        );
        assert!(text.contains("`lotse open /") && text.contains("-01.gz`"), "{text}");
    }
}
