//! Whether the files of an unpacked package are unchanged.

use std::fs;
use std::path::Path;

use lotse_host::package::{PackedFile, packed_file};

use super::Manifest;

impl Manifest {
    /// Problems with the files below a folder, one line each: missing, changed, or not packed.
    pub fn damaged(&self, folder: &Path) -> Vec<String> {
        let changed = self.files.iter().filter_map(|packed| problem(folder, packed));
        let mut found = Vec::new();
        let unreadable = files_below(folder, "", &mut found).err();
        let is_packed = |name: &String| self.files.iter().any(|packed| packed.path == *name);
        let more = found.iter().filter(|name| !is_packed(name)).map(|name| format!("{name} was not packed"));
        changed.chain(more).chain(unreadable.map(|error| error.to_string())).collect()
    }
}

fn problem(folder: &Path, packed: &PackedFile) -> Option<String> {
    let name = &packed.path;
    match packed_file(folder, name) {
        Err(_) => Some(format!("{name} is missing")),
        Ok(found) if found.sha256 != packed.sha256 => Some(format!("{name} is not the file that was packed")),
        Ok(found) if cfg!(unix) && packed.executable && !found.executable => {
            Some(format!("{name} may not be executed any more"))
        }
        Ok(_) => None,
    }
}

/// The names of all files below a folder, with `/`. A package without files has no folder.
fn files_below(folder: &Path, prefix: &str, names: &mut Vec<String>) -> std::io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            files_below(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lotse_host::package::packed_file;

    use super::Manifest;

    #[test]
    fn every_kind_of_damage_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("data")).unwrap();
        for name in ["same", "data/other", "gone"] {
            fs::write(at(name), name).unwrap();
        }
        let files = ["same", "data/other", "gone"].map(|name| packed_file(folder.path(), name).unwrap());
        let manifest = Manifest { files: files.to_vec(), ..Manifest::default() };
        assert_eq!(manifest.damaged(folder.path()), Vec::<String>::new());
        fs::write(at("data/other"), "changed").unwrap();
        fs::remove_file(at("gone")).unwrap();
        fs::write(at("data/more"), "").unwrap();
        let expected =
            ["data/other is not the file that was packed", "gone is missing", "data/more was not packed"];
        assert_eq!(manifest.damaged(folder.path()), expected);
        assert_eq!(Manifest::default().damaged(&at("no-such-folder")), Vec::<String>::new());
    }
}
