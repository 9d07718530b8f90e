//! Efficiencies of archives with truncated definitions: as for the complete archive, or unknown.

use std::path::Path;

use lotse_host::FolderSource;
use lotse_model::work::Sequential;
use lotse_trace::efficiency::{Efficiency, efficiency};
use lotse_trace::open;

use crate::cases;

fn efficiency_of_archive(folder: &Path) -> Option<Efficiency> {
    let source = FolderSource::open(folder.join("traces.otf2")).unwrap();
    efficiency(&open::read(&source, None, &Sequential).ok()?, None)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => std::fs::write(target, std::fs::read(entry.path()).unwrap()).unwrap(),
        }
    }
}

#[test]
fn an_efficiency_is_right_or_unknown() {
    let Some(root) = cases::root() else { return };
    let scratch = tempfile::tempdir().unwrap();
    let mut unknown = 0;
    for name in ["synthetic/08_barrier", "synthetic/14_openmp_implicit_barrier", "synthetic/17_critical_path"]
    {
        let folder = scratch.path().join(name);
        copy(&root.join(name), &folder);
        let complete = efficiency_of_archive(&folder).unwrap();
        let definitions = std::fs::read(folder.join("traces.def")).unwrap();
        for percent in (5..100).step_by(5) {
            let end = definitions.len() * percent / 100;
            std::fs::write(folder.join("traces.def"), &definitions[..end]).unwrap();
            let Some(found) = efficiency_of_archive(&folder) else { continue };
            let values =
                |it: &Efficiency| (it.parallel_efficiency, it.load_balance, it.omp_parallel_efficiency);
            match found.unknown {
                Some(_) => assert_eq!(values(&found), (None, None, None), "{name}: {percent} %"),
                None => assert_eq!(values(&found), values(&complete), "{name}: {percent} %"),
            }
            unknown += usize::from(found.unknown.is_some());
        }
    }
    assert!(unknown > 10, "most cuts lose regions");
}
