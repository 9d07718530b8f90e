//! Compiles the launcher (`src/program/main.rs`) into a static executable without the standard library.
//!
//! It is compiled by `rustc` directly, because on the stable toolchain Cargo does not support a dependency on the
//! executable of another package.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/program");
    println!("cargo:rerun-if-changed=src/wire.rs");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let image = PathBuf::from(variable("OUT_DIR")).join("lotse-launch");
    if supported() {
        compile(&image);
    } else {
        std::fs::write(&image, []).expect("OUT_DIR is writable");
    }
}

fn supported() -> bool {
    let architecture = variable("CARGO_CFG_TARGET_ARCH");
    variable("CARGO_CFG_TARGET_OS") == "linux" && matches!(architecture.as_str(), "x86_64" | "aarch64")
}

fn compile(image: &Path) {
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--edition", "2024", "--crate-name", "lotse_launch_program", "--crate-type", "bin"]);
    rustc.args(["--target", &variable("TARGET")]);
    for option in ["panic=abort", "opt-level=s", "relocation-model=static", "strip=symbols"] {
        rustc.args(["-C", option]);
    }
    rustc.args(["-C", "force-unwind-tables=no", "-C", "codegen-units=1", "-C", "lto=fat"]);
    for option in ["-nostartfiles", "-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,-z,norelro"] {
        rustc.arg("-C").arg(format!("link-arg={option}"));
    }
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={linker}"));
    }
    rustc.arg("-o").arg(image).arg("src/program/main.rs");
    let status = rustc.status().expect("rustc can be started");
    assert!(status.success(), "compiling the launcher failed: {status}");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name}"))
}
