//! Programs of a suite that are built first, each in folders of its own where there are several builds or a revision.
//!
//! A program runs in the folder where it was built because it may need files there. So every build is a copy of the whole
//! folder:
//!
//! ```text
//! lotse-builds/sort/0/   the copy in which the build command ran, its programs linked in a first order
//! lotse-builds/sort/1/   the same copy, its programs linked in a second order
//! ```
//!
//! If the command links nothing that Lotse can link again, or no order is to be varied, the command runs in each copy.

use std::path::{Path, PathBuf};

use lotse_host::build::{self, BuildOptions, Builds, Built, Layouts, Origin, Relinker, copies};
use lotse_model::suite::{BuildPlan, Varied};

use super::BuildsError;

/// The folder of the sources beside the builds, while these are made.
const SOURCE: &str = "source";

/// Seed of the link orders, the same as in `lotse bench build`.
const SEED: u32 = 1;

/// The builds of one program of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockBuild {
    /// Where the program runs: one folder for each build.
    pub folders: Vec<PathBuf>,
    /// How builds differ: `sections`, `objects`, or `nothing`.
    pub method: String,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

/// Builds the program of a block. Copies go below `out`, into a folder of the program's name, which is deleted if the build
/// fails.
pub fn build_block(plan: &BuildPlan, name: &str, out: &Path) -> Result<BlockBuild, BuildsError> {
    let place = place(plan);
    if is_in_place(plan) {
        build::run_plainly(&place, &argv(plan, &place)?)?;
        let place = place.canonicalize().unwrap_or(place);
        return Ok(BlockBuild { folders: vec![place], method: "nothing".to_owned(), remarks: Vec::new() });
    }
    let had_out = out.exists();
    let own = out.join(folder_name(name));
    copies::new_folder(&own)?;
    let own = own.canonicalize().unwrap_or(own);
    let built = build_copies(plan, name, out, &own);
    if built.is_err() {
        copies::delete(&own)?;
        if !had_out {
            // Other programs may have their builds there.
            drop(std::fs::remove_dir(out));
        }
    }
    built
}

/// Copies the sources below `own`, and builds the copies.
fn build_copies(plan: &BuildPlan, name: &str, out: &Path, own: &Path) -> Result<BlockBuild, BuildsError> {
    let (place, source) = (place(plan), own.join(SOURCE));
    match revision(plan) {
        Some(revision) => build::checkout(&place, &build::resolve(&place, revision)?, &source)?,
        None => copies::copy_tree(&base(plan), &source, &[out, own])?,
    }
    let below = below(plan)?;
    let copies = Copies { plan, own: own.to_owned(), source, below, count: plan.count.unwrap_or(1) };
    let built = copies.build(name)?;
    copies::delete(&copies.source)?;
    Ok(built)
}

/// The folders of the builds that [`build_block`] made of the program earlier, which are not built again.
pub fn existing_builds(plan: &BuildPlan, name: &str, out: &Path) -> Result<Vec<PathBuf>, BuildsError> {
    if is_in_place(plan) {
        let place = place(plan);
        return Ok(vec![place.canonicalize().unwrap_or(place)]);
    }
    let own = out.join(folder_name(name));
    let none = || BuildsError::NoBuilds { name: name.to_owned(), folder: own.clone() };
    // The sources are deleted when all builds are complete.
    let root = own.canonicalize().ok().filter(|own| !own.join(SOURCE).exists()).ok_or_else(none)?;
    let below = below(plan)?;
    let folder = |number: u32| root.join(number.to_string()).join(&below).components().collect::<PathBuf>();
    let folders: Vec<PathBuf> = (0..).map(folder).take_while(|folder| folder.is_dir()).collect();
    if folders.is_empty() { Err(none()) } else { Ok(folders) }
}

fn base(plan: &BuildPlan) -> PathBuf {
    PathBuf::from(plan.base.as_deref().unwrap_or("."))
}

/// The folder of the build command in the sources of the user.
fn place(plan: &BuildPlan) -> PathBuf {
    let (base, folder) = (base(plan), plan.folder.as_deref().unwrap_or("."));
    if base == Path::new(".") { PathBuf::from(folder) } else { base.join(folder) }
}

/// The folder of the build command relative to each copy.
fn below(plan: &BuildPlan) -> Result<PathBuf, BuildsError> {
    match revision(plan) {
        Some(_) => Ok(build::place_in_repository(&place(plan))?),
        None => Ok(PathBuf::from(plan.folder.as_deref().unwrap_or("."))),
    }
}

fn revision(plan: &BuildPlan) -> Option<&String> {
    plan.revision.as_ref().or(plan.branch.as_ref())
}

/// Whether the program is built once in the folder of the user, without copies.
fn is_in_place(plan: &BuildPlan) -> bool {
    revision(plan).is_none() && plan.count.unwrap_or(1) == 1
}

/// The build command, read by a shell.
fn argv(plan: &BuildPlan, folder: &Path) -> Result<[String; 3], BuildsError> {
    let none = || BuildsError::NoCommand { folder: folder.to_owned() };
    let command = plan.command.as_deref().ok_or_else(none)?;
    Ok(["sh", "-c", command].map(str::to_owned))
}

/// The copies of one program.
struct Copies<'a> {
    plan: &'a BuildPlan,
    /// The folder of all copies.
    own: PathBuf,
    /// The sources as they were before the build.
    source: PathBuf,
    /// The folder of the build command below each of them.
    below: PathBuf,
    count: u32,
}

impl Copies<'_> {
    fn root(&self, number: u32) -> PathBuf {
        self.own.join(number.to_string())
    }

    /// Where the command runs, and the program.
    fn folder(&self, number: u32) -> PathBuf {
        // Without `.` components, since the path is shown to the user.
        self.root(number).join(&self.below).components().collect()
    }

    /// Whether the program is to be linked again, so that the build command must run with recorded link commands.
    fn is_varied(&self) -> bool {
        self.count > 1 && self.plan.varied.as_ref().is_none_or(|varied| !varied.is_empty())
    }

    /// Makes a copy of the sources and builds it. `None` where link commands were not recorded.
    fn fresh(&self, number: u32) -> Result<Option<Built>, BuildsError> {
        copies::copy_tree(&self.source, &self.root(number), &[])?;
        let folder = self.folder(number);
        let argv = argv(self.plan, &folder)?;
        if self.is_varied() {
            return Ok(Some(build::run(&folder, &argv, &BuildOptions::default())?));
        }
        build::run_plainly(&folder, &argv)?;
        Ok(None)
    }

    /// Builds the first copy, then the others: by linking the programs of the first copy in other orders, or by running the
    /// build command again where that is not possible.
    fn build(&self, name: &str) -> Result<BlockBuild, BuildsError> {
        let first = self.fresh(0)?;
        let inside = |built: &Built| built.links.iter().any(|link| link.output.starts_with(self.root(0)));
        let mut remarks = Vec::new();
        let nothing = "nothing".to_owned();
        let (count, method) = match first {
            None if self.count == 1 => (1, nothing),
            None => {
                remarks.push(format!(
                    "{name}: its builds do not differ: `randomization` has nothing on that a build can change"
                ));
                (self.again()?, nothing)
            }
            Some(built) if inside(&built) => self.vary(&built, self.plan.varied.as_deref(), &mut remarks)?,
            Some(_) => {
                remarks.push(format!(
                    "{name}: its build links no program that can be linked again, so the build command ran {} times",
                    self.count
                ));
                (self.again()?, nothing)
            }
        };
        if count < self.count {
            remarks.push(format!("{name} has {count} builds that differ, of {} asked for", self.count));
        }
        let folders = (0..count).map(|number| self.folder(number)).collect();
        Ok(BlockBuild { folders, method, remarks })
    }

    /// Runs the build command in all further copies and gives the number of builds.
    fn again(&self) -> Result<u32, BuildsError> {
        for number in 1..self.count {
            self.fresh(number)?;
        }
        Ok(self.count)
    }

    /// Links the programs in another order for each copy. The number of builds is the smallest number of distinct orders of
    /// any program.
    fn vary(
        &self,
        first: &Built,
        varied: Option<&[Varied]>,
        remarks: &mut Vec<String>,
    ) -> Result<(u32, String), BuildsError> {
        let relinker = Relinker::new();
        let relinker = varied.map_or(relinker.clone(), |varied| relinker.varying(varied));
        let origin =
            Origin { command: self.plan.command.as_deref().unwrap_or("").to_owned(), ..Origin::default() };
        let mut all = Vec::new();
        for (number, link) in first.links.iter().enumerate() {
            if !link.output.starts_with(self.root(0)) {
                continue;
            }
            let places = copies::files_of(link, &self.root(0))?;
            let folder = self.own.join(format!("variants-{number}"));
            let builds = Builds::link_with(
                &relinker,
                link,
                &folder,
                Layouts { count: self.count, seed: SEED, method: None },
                &origin,
            )?;
            all.push((places, builds, folder));
        }
        let count = all.iter().map(|(_, builds, _)| builds.files.len()).min().unwrap_or(1);
        let count = u32::try_from(count).unwrap_or(self.count);
        for number in 1..count {
            copies::copy_tree(&self.root(0), &self.root(number), &[])?;
        }
        for (places, builds, folder) in &all {
            for (number, file) in (0..count).zip(builds.paths(folder)) {
                for place in places {
                    copies::replace(&self.root(number).join(place), &file)?;
                }
            }
            copies::delete(folder)?;
        }
        let weak = all.iter().any(|(_, builds, _)| builds.method == "objects");
        if weak && varied.is_some_and(|varied| varied.iter().any(|kind| *kind != Varied::Objects)) {
            remarks.push(
                "only the order of object files differs: install lld to move functions and data".to_owned(),
            );
        }
        Ok((count, if weak { "objects" } else { "sections" }.to_owned()))
    }
}

/// A name without characters that are unusual in file names.
fn folder_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).take(60).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "program".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::folder_name;

    #[test]
    fn names_become_folders() {
        for (name, folder) in
            [("sort -n a/b", "sort--n-a-b"), ("../x", "x"), ("…", "program"), ("Größe", "Größe")]
        {
            assert_eq!(folder_name(name), folder);
        }
    }
}
