//! The page in `web/`: types, unit tests, the committed bundle, and tests in a browser, first against invented answers, then
//! against the server.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use xtask::programs::is_installed;

use crate::failure::Failure;
use crate::shell;

/// The files of the bundle.
const BUNDLE: [&str; 3] = ["index.html", "app.js", "app.css"];

/// The profile that the browser opens: it has calls, source lines and several event types.
const PROFILE: &str = "fixtures/profile/words-list.callgrind";

/// Builds and tests the page. Without Node there is nothing to test with, as on a user's machine.
pub(super) fn check(root: &Path) -> Result<(), Failure> {
    if !is_installed("npm") {
        println!("skipped: npm is not installed");
        return Ok(());
    }
    let web = root.join("web");
    let npm = |arguments: &[&str]| shell::run(&web, &[], &[&["npm"], arguments].concat());
    npm(&["ci", "--no-audit", "--no-fund", "--silent"])?;
    npm(&["run", "--silent", "check"])?;
    npm(&["test", "--silent"])?;
    let committed = bundle(&web)?;
    npm(&["run", "--silent", "build"])?;
    if bundle(&web)? != committed {
        return Err(Failure::Missing {
            what: "the bundle of these sources",
            remedy: "`npm run build` in web/ writes it to web/dist; commit that",
        });
    }
    if !is_installed("chromium") {
        println!("tests in the browser are skipped: chromium is not installed");
        return Ok(());
    }
    npm(&["run", "--silent", "test:page"])?;
    test_with_server(root, &web)
}

/// The bytes of the bundle.
fn bundle(web: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let read = |name: &&str| {
        let path = web.join("dist").join(name);
        fs::read(&path).map_err(|source| xtask::Error::File { path, source }.into())
    };
    BUNDLE.iter().map(read).collect()
}

/// Runs the tests that need no invented answers against `lotse open`, built for the tests before.
fn test_with_server(root: &Path, web: &Path) -> Result<(), Failure> {
    shell::run(root, &[], &["cargo", "build", "--locked", "--features", "lotse/parquet"])?;
    let state = root.join("target/page-state");
    let started = Command::new(root.join("target/debug/lotse"))
        .args(["open", "--no-open", PROFILE])
        .env("XDG_STATE_HOME", &state)
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let program = "lotse open".to_owned();
    let mut server = Server(started.map_err(|source| xtask::Error::Start { program, source })?);
    let address = server.address();
    shell::run(web, &[("LOTSE_URL", &address)], &["npm", "run", "--silent", "test:server"])
}

/// A running server, which ends with the test.
struct Server(Child);

impl Server {
    /// The address that it prints first.
    fn address(&mut self) -> String {
        let lines = self.0.stderr.take().map(|output| BufReader::new(output).lines());
        let mut lines = lines.into_iter().flatten().map_while(Result::ok);
        let line = lines.find_map(|line| line.find("http://").map(|at| line[at..].to_owned()));
        line.unwrap_or_else(|| "no address".to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for failure in [self.0.kill().err(), self.0.wait().err()].into_iter().flatten() {
            println!("the server cannot be ended: {failure}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BUNDLE, bundle};

    #[test]
    fn every_file_of_the_bundle_counts() {
        let folder = tempfile::tempdir().unwrap();
        let dist = folder.path().join("dist");
        std::fs::create_dir(&dist).unwrap();
        for name in BUNDLE {
            assert!(bundle(folder.path()).is_err(), "{name} is missing");
            std::fs::write(dist.join(name), name).unwrap();
        }
        let before = bundle(folder.path()).unwrap();
        std::fs::write(dist.join("app.css"), "changed").unwrap();
        assert_ne!(bundle(folder.path()).unwrap(), before);
    }
}
