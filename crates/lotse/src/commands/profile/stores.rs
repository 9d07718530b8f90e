//! Where files of a build may be on this machine: perf's cache, the cache of debuginfod's client, the debug information of the
//! distribution. Only paths are computed here; the caller checks whether a file there has the build ID that is wanted.

use lotse_model::profile::BuildId;
use lotse_profile::resolve::{BuildFile, distribution_path, split_build_id};

/// Directories that hold builds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BuildStores {
    /// Caches of perf, with a directory `.build-id` in each.
    perf: Vec<String>,
    /// Caches of debuginfod's client.
    debuginfod: Vec<String>,
}

impl BuildStores {
    /// The directories named by environment variables and by perf's settings, and the default ones.
    pub(super) fn new(variable: impl Fn(&str) -> Option<String>, perfconfig: &str) -> Self {
        let home = variable("HOME").filter(|home| !home.is_empty());
        let in_home = |path: &str| home.as_ref().map(|home| format!("{home}/{path}"));
        let from_perfconfig =
            configured_directory(perfconfig).and_then(|path| match path.strip_prefix("~/") {
                Some(rest) => in_home(rest),
                None => Some(path.to_owned()),
            });
        let cache = variable("XDG_CACHE_HOME").map(|cache| format!("{cache}/debuginfod_client"));
        Self {
            perf: distinct([variable("PERF_BUILDID_DIR"), from_perfconfig, in_home(".debug")]),
            debuginfod: distinct([
                variable("DEBUGINFOD_CACHE_PATH"),
                cache,
                in_home(".cache/debuginfod_client"),
                in_home(".debuginfod_client_cache"),
            ]),
        }
    }

    /// The paths at which a file of a build may be.
    pub(super) fn places(&self, build: &BuildId, file: BuildFile) -> Vec<String> {
        let split = split_build_id(build);
        // Old versions of perf link to the file itself, newer ones to a directory that contains it.
        let (names, fetched): (&[&str], &str) = match file {
            BuildFile::Program => (&["/elf", "/vdso", ""], "executable"),
            BuildFile::Debug => (&["/debug"], "debuginfo"),
        };
        let named =
            |dir: &String| names.iter().map(|name| format!("{dir}/.build-id/{split}{name}")).collect();
        let of_perf = self.perf.iter().flat_map(|dir| -> Vec<String> { named(dir) });
        let of_client = self.debuginfod.iter().map(|dir| format!("{dir}/{build}/{fetched}"));
        let of_system = (file == BuildFile::Debug).then(|| distribution_path(build));
        of_system.into_iter().chain(of_perf).chain(of_client).collect()
    }
}

fn distinct<const N: usize>(directories: [Option<String>; N]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for directory in directories.into_iter().flatten().filter(|it| !it.is_empty()) {
        if !kept.contains(&directory) {
            kept.push(directory);
        }
    }
    kept
}

/// The value of `dir` in the section `[buildid]` of perf's settings.
fn configured_directory(text: &str) -> Option<&str> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            inside = section.trim() == "buildid";
        }
        if let Some((_, value)) = line.split_once('=').filter(|(key, _)| inside && key.trim() == "dir") {
            return Some(value.trim().trim_matches('"'));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use lotse_model::profile::BuildId;
    use lotse_profile::resolve::BuildFile;

    use super::BuildStores;

    fn stores(variables: &[(&str, &str)], perfconfig: &str) -> BuildStores {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
        BuildStores::new(|name| find(name).map(|(_, value)| (*value).to_owned()), perfconfig)
    }

    #[test]
    fn settings_come_before_the_usual_places() {
        let variables = [("HOME", "/home/u"), ("PERF_BUILDID_DIR", "/b"), ("DEBUGINFOD_CACHE_PATH", "/d")];
        let found = stores(&variables, "[core]\ndir = /no\n[buildid]\n\tdir = ~/kept\n");
        assert_eq!(found.perf, ["/b", "/home/u/kept", "/home/u/.debug"]);
        assert_eq!(
            found.debuginfod,
            ["/d", "/home/u/.cache/debuginfod_client", "/home/u/.debuginfod_client_cache"]
        );
        assert_eq!(stores(&[], ""), BuildStores::default());
    }

    #[test]
    fn a_build_is_looked_for_in_all_stores() {
        let found = stores(&[("PERF_BUILDID_DIR", "/b"), ("XDG_CACHE_HOME", "/x")], "");
        let build = BuildId::parse("abcd12").unwrap();
        assert_eq!(
            found.places(&build, BuildFile::Program),
            [
                "/b/.build-id/ab/cd12/elf",
                "/b/.build-id/ab/cd12/vdso",
                "/b/.build-id/ab/cd12",
                "/x/debuginfod_client/abcd12/executable"
            ]
        );
        assert_eq!(
            found.places(&build, BuildFile::Debug),
            [
                "/usr/lib/debug/.build-id/ab/cd12.debug",
                "/b/.build-id/ab/cd12/debug",
                "/x/debuginfod_client/abcd12/debuginfo"
            ]
        );
    }
}
