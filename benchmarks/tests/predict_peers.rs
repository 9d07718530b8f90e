//! Lotse and kerncraft side by side, with scripts in place of both: what they are asked, and what becomes of their answers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use benchmarks::lotse::Lotse;
use benchmarks::predict::kerncraft::{Architecture, Kerncraft};
use benchmarks::predict::kernels::{Kernel, read};
use benchmarks::predict::measure::listed;
use benchmarks::predict::side_by_side::{ComparedKernel, Tools};
use benchmarks::workshop::Workshop;
use lotse_predict::machine::Machine;

const MACHINE: &str = "name = \"m\"\n[[cache]]\nname = \"L1\"\ncapacity = 49152\nline = 64\nways = 12\n[core]\nclock_ghz = 2.0\n";

/// Refuses one kernel for its form, and another one unless it is told the increment.
const KERNCRAFT: &str = r#"#!/bin/sh
echo "$@" >> "LOG"
case "$*" in
*--version*) echo "kerncraft 0.0"; exit 0 ;;
*broken*) echo "ValueError: Expected for loop or pragma(s), found While" >&2; exit 1 ;;
*--pointer-increment=4*sum*) ;;
*sum*) echo "In-core analysis failed: pointer_increment could not be detected automatically. Use it."; exit 1 ;;
esac
echo '{"k": {"ECM": [4.0, [1.0, 7.0]], "iterations per cacheline": "16", "scaling cores": Infinity}}' > kerncraft.json
"#;

/// A second more if it is asked about compiled loops.
const LOTSE: &str = r#"#!/bin/sh
echo "$@" >> "LOG"
case "$*" in
*--compile*) seconds=3 ;;
*) seconds=2 ;;
esac
echo "{\"seconds\": $seconds, \"refused\": [], \"loops\": [{\"iterations\": 10}, {\"iterations\": 1600}]}"
"#;

struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let log = self.log_path(name).display().to_string();
        fs::write(&path, text.replace("LOG", &log)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn log_path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.log"))
    }

    fn log(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.log_path(name)).unwrap().lines().map(str::to_owned).collect()
    }

    fn kernels(&self) -> Vec<Kernel> {
        let folder = self.folder.path().join("kernels");
        fs::create_dir(&folder).unwrap();
        for name in ["broken", "copy", "sum"] {
            let text = "// half: judging\n// sizes: 100\n#define ZERO 0\nfloat a[N];\n\nvoid kernel(void) {\n    for (int i = 0; i < N; i++)\n        \
                a[i] = ZERO;\n}\n";
            fs::write(folder.join(format!("{name}.c")), text).unwrap();
        }
        read(&folder).unwrap()
    }
}

/// Asks both about all kernels, each at -O2 and -O3.
fn compare_all(stage: &Stage, workshop: &mut Workshop) -> Vec<ComparedKernel> {
    let (lotse, kerncraft) = (stage.script("lotse", LOTSE), stage.script("kerncraft", KERNCRAFT));
    let machine = Machine::from_toml(MACHINE).unwrap();
    let architecture = Architecture::named("SPR").unwrap();
    let kerncraft = Kerncraft::find(Some(&kerncraft), workshop, (&machine, &architecture)).unwrap().unwrap();
    assert_eq!(kerncraft.version, "kerncraft 0.0");
    for level in ["-O2", "-O3"] {
        let text = fs::read_to_string(workshop.path(&format!("machine{level}.yml"))).unwrap();
        assert!(text.contains(&format!("- gcc: {level} ")), "{text}");
    }
    let lotse = Lotse::find(Some(&lotse)).unwrap();
    let tools = Tools {
        lotse: &lotse,
        kerncraft: &kerncraft,
        machine: Path::new("m.toml"),
        clock_ghz: machine.core.clock_ghz,
    };
    let kernels = stage.kernels();
    let mut programs = listed(&kernels);
    let mut row = |program: &mut benchmarks::predict::measure::Program| {
        program.times = vec![3e9, 1e9];
        tools.compare(workshop, &kernels[program.kernel], program, None).unwrap()
    };
    programs.iter_mut().map(&mut row).collect()
}

#[test]
fn both_are_asked_and_their_answers_are_seconds() {
    let stage = Stage { folder: tempfile::tempdir().unwrap() };
    let mut workshop = Workshop::open().unwrap();
    let missing = stage.folder.path().join("missing");
    let machine = Machine::from_toml(MACHINE).unwrap();
    let architecture = Architecture::named("SPR").unwrap();
    let found = Kerncraft::find(Some(&missing), &mut workshop, (&machine, &architecture)).unwrap();
    assert!(found.is_none(), "a program that is not there is no error");

    let rows = compare_all(&stage, &mut workshop);
    let names: Vec<(&str, &str)> = rows.iter().map(|row| (row.kernel.as_str(), row.level)).collect();
    let expected = ["broken", "copy", "sum"].map(|name| [(name, "-O2"), (name, "-O3")]).concat();
    assert_eq!(names, expected);
    for row in &rows {
        assert_eq!((row.size, row.measured), (100, 1.0), "the fastest round counts");
        assert_eq!((row.lotse.seconds, row.compiled.seconds), (2.0, 3.0));
    }
    let refused = rows[0].kerncraft.as_ref().unwrap_err();
    assert_eq!(refused, "Expected for loop or pragma(s), found While");
    // 8 cycles for 16 iterations, 1,600 iterations, 2 cycles in a nanosecond.
    let seconds = rows[2].kerncraft.as_ref().unwrap().seconds;
    assert!((seconds - 400e-9).abs() < 1e-15, "{seconds}");
    assert_eq!(
        rows.iter().map(|row| row.is_helped).collect::<Vec<_>>(),
        [false, false, false, false, true, true]
    );

    let asked = stage.log("kerncraft");
    assert_eq!(asked.iter().filter(|line| line.contains("sum")).count(), 4, "twice at each level");
    assert!(
        asked.iter().any(|line| line.starts_with("-m machine-O3.yml -p ECM --json kerncraft.json -D N 100 "))
    );
    let given = fs::read_to_string(workshop.path("copy.kerncraft.c")).unwrap();
    assert_eq!(given.split_whitespace().collect::<String>(), "floata[N];for(inti=0;i<N;i++)a[i]=0;");
    let asked = stage.log("lotse");
    assert!(asked[0].contains("-D N=100 --machine m.toml --assume gcc-O2"), "{}", asked[0]);
    assert!(
        asked[1].contains("--compile gcc -O2 -fno-tree-loop-distribute-patterns -DN=100"),
        "{}",
        asked[1]
    );
}
