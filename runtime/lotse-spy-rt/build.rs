//! Compiles the runtime (`src/object`) into an object file that needs nothing but the C library.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/object");
    println!("cargo:rerun-if-changed=../lotse-wire/src");
    let folder = PathBuf::from(variable("OUT_DIR"));
    let object = folder.join("lotse-spy-rt.o");
    if supported() {
        compile(&folder, &object);
    } else {
        std::fs::write(&object, []).expect("OUT_DIR is writable");
    }
}

fn supported() -> bool {
    let architecture = variable("CARGO_CFG_TARGET_ARCH");
    variable("CARGO_CFG_TARGET_OS") == "linux" && matches!(architecture.as_str(), "x86_64" | "aarch64")
}

fn compile(folder: &Path, object: &Path) {
    let wire = folder.join("liblotse_wire.rlib");
    run(rustc("lotse_wire").arg("../lotse-wire/src/lib.rs").arg("-o").arg(&wire));
    let mut rustc = rustc("lotse_spy_rt");
    rustc.arg("--emit=obj").arg("--extern").arg(format!("lotse_wire={}", wire.display()));
    run(rustc.arg("src/object/main.rs").arg("-o").arg(object));
}

fn rustc(name: &str) -> Command {
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--edition", "2024", "--crate-name", name, "--crate-type", "rlib"]);
    rustc.args(["--target", &variable("TARGET")]);
    for option in ["opt-level=3", "panic=abort", "codegen-units=1", "force-frame-pointers=yes"] {
        rustc.args(["-C", option]);
    }
    // Position independent, because the programs that it is linked into are.
    rustc.args(["-C", "relocation-model=pie"]);
    rustc
}

fn run(rustc: &mut Command) {
    let status = rustc.status().expect("rustc can be started");
    assert!(status.success(), "compiling the runtime failed: {status}");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name}"))
}
