//! Source packages of Debian. The mirrors are those of the machine; its lists, its state and its configuration stay as they are.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Package, words};
use crate::error::Error;
use crate::workshop::Workshop;

const TOOL: &str = "apt-get";

/// Small packages that compute: numerics, audio, compression, genomes, astronomy.
pub(super) const PACKAGES: [&str; 24] = [
    "a52dec",
    "aubio",
    "bzip2",
    "cfitsio",
    "cminpack",
    "codec2",
    "flac",
    "gsl",
    "kissfft",
    "lame",
    "libcerf",
    "libgsm",
    "liblbfgs",
    "libmad",
    "libnova",
    "libsamplerate",
    "libsoxr",
    "minimap2",
    "mpfit",
    "opus",
    "speex",
    "speexdsp",
    "twolame",
    "zlib",
];

/// Downloads and unpacks every package that is not in the folder yet. Those that the mirror does not give are left out, and it says so.
#[expect(clippy::print_stderr, reason = "a survey of fewer packages must not look complete")]
pub fn fetch(workshop: &mut Workshop, folder: &Path, names: &[&str]) -> Result<Vec<Package>, Error> {
    let apt = folder.join("apt");
    let package = |name: &&str| Package { name: (*name).to_owned(), folder: folder.join(name) };
    let (mut packages, missing): (Vec<Package>, Vec<Package>) =
        names.iter().map(package).partition(|package| package.folder.exists());
    if missing.is_empty() {
        return Ok(packages);
    }
    let options = prepare(workshop, &apt)?;
    for package in missing {
        match unpack(workshop, &package, &apt, &options) {
            Ok(()) => packages.push(package),
            Err(Error::Tool { end, output, .. }) => {
                let first = output.lines().next().unwrap_or("no message");
                eprintln!("{} is left out: apt-get {end}: {first}", package.name);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(packages)
}

/// Unpacks into a folder that gets its name only when all is there.
fn unpack(workshop: &mut Workshop, package: &Package, apt: &Path, options: &[String]) -> Result<(), Error> {
    let partial = apt.join("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(Error::file("delete", &partial))?;
    }
    fs::create_dir_all(&partial).map_err(Error::file("make", &partial))?;
    let mut argv = vec![TOOL.to_owned()];
    argv.extend_from_slice(options);
    argv.extend(["source".to_owned(), package.name.clone()]);
    // It unpacks where it is started.
    workshop.run_in(&partial, TOOL, &argv, &[0])?;
    fs::rename(&partial, &package.folder).map_err(Error::file("make", &package.folder))
}

/// Lists of source packages in a folder of their own; gives back the options that name them.
fn prepare(workshop: &mut Workshop, apt: &Path) -> Result<Vec<String>, Error> {
    for inner in ["parts", "state/lists/partial", "cache/archives/partial"] {
        let path = apt.join(inner);
        fs::create_dir_all(&path).map_err(Error::file("make", &path))?;
    }
    let mut written = 0;
    for (name, text) in mirrors()? {
        let path = apt.join("parts").join(name);
        fs::write(&path, text).map_err(Error::file("write", &path))?;
        written += 1;
    }
    if written == 0 {
        return Err(Error::Answer { tool: TOOL, what: "mirrors in /etc/apt".to_owned() });
    }
    let place =
        |key: &str, inner: &str| vec!["-o".to_owned(), format!("{key}={}", apt.join(inner).display())];
    let mut options = words("-q -o Dir::Etc::SourceList=/dev/null -o APT::Sandbox::User=root");
    options.extend(place("Dir::Etc::SourceParts", "parts"));
    options.extend(place("Dir::State", "state"));
    options.extend(place("Dir::Cache", "cache"));
    let mut argv = vec![TOOL.to_owned()];
    argv.extend_from_slice(&options);
    argv.push("update".to_owned());
    workshop.run(TOOL, &argv, &[0])?;
    Ok(options)
}

/// The machine's own lists of the distribution, turned into lists of sources, with the names they get.
fn mirrors() -> Result<Vec<(&'static str, String)>, Error> {
    let listed = [
        ("own.list", "/etc/apt/sources.list"),
        ("debian.sources", "/etc/apt/sources.list.d/debian.sources"),
        ("ubuntu.sources", "/etc/apt/sources.list.d/ubuntu.sources"),
    ];
    let there = listed.into_iter().filter(|(_, path)| Path::new(path).exists());
    let read = |(name, path): (&'static str, &str)| {
        let text = fs::read_to_string(path).map_err(Error::file("read", PathBuf::from(path)))?;
        Ok((name, sources_of(&text)))
    };
    there.map(read).collect()
}

/// `deb` becomes `deb-src`, in both forms that apt knows.
fn sources_of(list: &str) -> String {
    let line = |line: &str| match line.strip_prefix("Types:") {
        Some(_) => "Types: deb-src\n".to_owned(),
        None => match line.strip_prefix("deb ") {
            Some(rest) => format!("deb-src {rest}\n"),
            None => format!("{line}\n"),
        },
    };
    list.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::sources_of;

    #[test]
    fn lists_of_binaries_become_lists_of_sources() {
        let modern =
            "Types: deb deb-src\nURIs: http://mirror/debian\nSuites: stable\n\nTypes: deb\nURIs: x\n";
        let expected =
            "Types: deb-src\nURIs: http://mirror/debian\nSuites: stable\n\nTypes: deb-src\nURIs: x\n";
        assert_eq!(sources_of(modern), expected);
        assert_eq!(sources_of("# deb x\ndeb http://m s main\n"), "# deb x\ndeb-src http://m s main\n");
    }
}
