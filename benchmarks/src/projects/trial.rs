//! One project by one method: built once, linked several times, tested with every build in the place of its programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use lotse_host::build::Builds;

use super::Project;
use super::symbols::{Functions, are_distinct, functions, moved};
use crate::error::Error;
use crate::workshop::Workshop;

/// The file whose time says when the project's own build was done.
const STAMP: &str = "lotse-projects-built";

/// The parameters of a trial.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The project.
    pub project: &'a Project,
    /// Its sources, which stay as they are.
    pub sources: &'a Path,
    /// How layouts are changed.
    pub method: &'a str,
    /// Builds of each program.
    pub count: u32,
    /// Lotse.
    pub lotse: &'a Path,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Programs that were linked.
    pub programs: usize,
    /// Builds of all programs.
    pub builds: usize,
    /// Programs whose builds all differ in the addresses of functions.
    pub distinct: usize,
    /// The mean share of functions that lie elsewhere than in the first build.
    pub moved: Option<f64>,
    /// Tests that the project counts, of the program as it was built; 1 where it counts none.
    pub tests: u32,
    /// Builds with which all these tests pass.
    pub passed: u32,
    /// Builds that were tested.
    pub tested: u32,
    /// Seconds for linking everything again.
    pub seconds: f64,
    /// The first test that did not pass.
    pub failure: Option<String>,
}

/// Makes a trial in a copy of the sources, which is deleted afterwards.
pub fn run(workshop: &mut Workshop, plan: Plan) -> Result<Outcome, Error> {
    let tree = workshop.path("tree");
    let copy = ["cp", "-r", &plan.sources.display().to_string(), &tree.display().to_string()];
    workshop.run("cp", &copy.map(str::to_owned), &[0])?;
    let outcome = in_copy(workshop, plan, &tree);
    fs::remove_dir_all(&tree).map_err(Error::file("delete", &tree))?;
    outcome
}

fn in_copy(workshop: &mut Workshop, plan: Plan, tree: &Path) -> Result<Outcome, Error> {
    let line = format!("{} && touch '{}'", plan.project.build, tree.join(STAMP).display());
    let count = plan.count.to_string();
    let lotse = plan.lotse.display().to_string();
    let argv = [&lotse, "bench", "build", "-n", &count, "--method", plan.method, "--", "sh", "-c", &line];
    workshop.run_in(tree, "lotse", &argv.map(str::to_owned), &[0])?;
    let seconds = seconds_since(&tree.join(STAMP))?;
    let products = products(&tree.join("lotse-builds"))?;
    let (mut distinct, mut shares) = (0, Vec::new());
    for (folder, builds) in &products {
        let paths = builds.paths(folder);
        let layouts: Vec<Functions> =
            paths.iter().map(|path| functions(workshop, path)).collect::<Result<_, _>>()?;
        distinct += usize::from(are_distinct(&layouts));
        shares.extend(moved(&layouts));
    }
    let mut outcome = Outcome {
        programs: products.len(),
        builds: products.iter().map(|(_, builds)| builds.files.len()).sum(),
        distinct,
        moved: (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64),
        tests: 0,
        passed: 0,
        tested: plan.count,
        seconds,
        failure: None,
    };
    test_all(workshop, plan, tree, &products, &mut outcome)?;
    Ok(outcome)
}

fn seconds_since(file: &Path) -> Result<f64, Error> {
    let time = fs::metadata(file).and_then(|data| data.modified()).map_err(Error::file("read", file))?;
    Ok(SystemTime::now().duration_since(time).map_or(0.0, |passed| passed.as_secs_f64()))
}

/// The folders of builds below a folder.
fn products(folder: &Path) -> Result<Vec<(PathBuf, Builds)>, Error> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::file("read", folder))? {
        let path = entry.map_err(Error::file("read", folder))?.path();
        let builds = Builds::read(&path);
        let missing = || Error::Answer { tool: "lotse bench build", what: path.display().to_string() };
        found.push((path.clone(), builds.ok_or_else(missing)?));
    }
    Ok(found)
}

/// Tests the programs as they were built, then with each build in their place.
fn test_all(
    workshop: &mut Workshop,
    plan: Plan,
    tree: &Path,
    products: &[(PathBuf, Builds)],
    outcome: &mut Outcome,
) -> Result<(), Error> {
    outcome.tests = counted(&test(workshop, plan, tree)?);
    for number in 0..plan.count as usize {
        let installed = install(products, number)?;
        let failure = match test(workshop, plan, tree) {
            Ok(output) if counted(&output) != outcome.tests => {
                Some(format!("{} tests instead of {}", counted(&output), outcome.tests))
            }
            Ok(_) => changed(&installed)?.map(|path| format!("{} was built again", path.display())),
            Err(error @ Error::Tool { .. }) => Some(error.to_string()),
            Err(error) => return Err(error),
        };
        outcome.passed += u32::from(failure.is_none());
        outcome.failure = outcome.failure.take().or(failure.map(|why| format!("build {number}: {why}")));
    }
    Ok(())
}

fn test(workshop: &mut Workshop, plan: Plan, tree: &Path) -> Result<String, Error> {
    let argv = ["sh", "-c", plan.project.test].map(str::to_owned);
    Ok(workshop.run_in(tree, "the tests", &argv, &[0])?.stdout)
}

/// Puts a build of every program in its place; gives back where it went and what it is. Programs with fewer builds start over. The
/// time of the file stays, so that build tools see nothing to do, and hard links to it see the new contents.
fn install(products: &[(PathBuf, Builds)], number: usize) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
    let mut installed = Vec::new();
    for (folder, builds) in products {
        let paths = builds.paths(folder);
        let (Some(output), false) = (&builds.output, paths.is_empty()) else {
            return Err(Error::Answer { tool: "lotse bench build", what: folder.display().to_string() });
        };
        let path = &paths[number % paths.len()];
        let bytes = fs::read(path).map_err(Error::file("read", path))?;
        let time =
            fs::metadata(output).and_then(|data| data.modified()).map_err(Error::file("read", output))?;
        let file = fs::OpenOptions::new().write(true).truncate(true).open(output);
        let write = |mut file: fs::File| std::io::Write::write_all(&mut file, &bytes).map(|()| file);
        file.and_then(write)
            .and_then(|file| file.set_modified(time))
            .map_err(Error::file("write", output))?;
        installed.push((output.clone(), bytes));
    }
    Ok(installed)
}

/// The first file that is no longer what was installed.
fn changed(installed: &[(PathBuf, Vec<u8>)]) -> Result<Option<&Path>, Error> {
    for (path, bytes) in installed {
        if fs::read(path).map_err(Error::file("read", path))? != *bytes {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Tests that cargo, CTest or automake say have passed; 1 where nothing is counted.
fn counted(output: &str) -> u32 {
    let number = |text: &str| -> Option<u32> { text.trim().parse().ok() };
    let passed = |line: &str| {
        let cargo =
            line.strip_prefix("test result: ok. ").and_then(|rest| number(rest.split_once(" passed")?.0));
        let ctest = line.split_once(" tests failed out of ").and_then(|(_, rest)| number(rest));
        let automake = line.strip_prefix("# PASS:").and_then(number);
        cargo.or(ctest).or(automake)
    };
    output.lines().filter_map(passed).sum::<u32>().max(1)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::{changed, counted, install, products};

    /// A program and a folder with two builds of it.
    fn project(folder: &Path) {
        let builds = folder.join("lotse-builds/app");
        for number in ["0", "1"] {
            fs::create_dir_all(builds.join(number)).unwrap();
            fs::write(builds.join(number).join("app"), format!("build {number}")).unwrap();
        }
        let output = folder.join("app");
        fs::write(&output, "as it was built").unwrap();
        let record = serde_json::json!({
            "schema": "lotse.builds/1", "name": "app", "command": "make", "method": "sections", "seed": 1,
            "output": output, "files": ["0/app", "1/app"],
        });
        fs::write(builds.join("builds.json"), record.to_string()).unwrap();
    }

    #[test]
    fn builds_take_the_place_of_the_program() {
        let folder = tempfile::tempdir().unwrap();
        project(folder.path());
        let output = folder.path().join("app");
        let other_name = folder.path().join("deps-app");
        fs::hard_link(&output, &other_name).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(1000);
        fs::File::options().write(true).open(&output).unwrap().set_modified(long_ago).unwrap();
        let products = products(&folder.path().join("lotse-builds")).unwrap();
        for (number, expected) in [(0, "build 0"), (1, "build 1"), (2, "build 0")] {
            let installed = install(&products, number).unwrap();
            assert_eq!(fs::read_to_string(&other_name).unwrap(), expected);
            let time = fs::metadata(&output).unwrap().modified().unwrap();
            assert!(
                time.duration_since(long_ago).unwrap() < Duration::from_secs(1),
                "build tools would see it"
            );
            assert_eq!(changed(&installed).unwrap(), None);
        }
    }

    #[test]
    fn a_program_that_is_built_again_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        project(folder.path());
        let products = products(&folder.path().join("lotse-builds")).unwrap();
        let installed = install(&products, 1).unwrap();
        let output = folder.path().join("app");
        fs::write(&output, "built again").unwrap();
        assert_eq!(changed(&installed).unwrap(), Some(output.as_path()));
    }

    #[test]
    fn a_folder_without_a_record_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("app")).unwrap();
        let error = products(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("the answer of lotse bench build has no"), "{error}");
    }

    #[test]
    fn tests_are_counted_as_the_tools_say_it() {
        assert_eq!(
            counted("test result: ok. 12 passed; 0 failed\n…\ntest result: ok. 3 passed; 0 failed"),
            15
        );
        assert_eq!(counted("100% tests passed, 0 tests failed out of 19\n"), 19);
        assert_eq!(counted("# TOTAL: 9\n# PASS:  8\n# SKIP:  1\n"), 8);
        assert_eq!(counted("tests completed successfully.\n"), 1);
    }
}
