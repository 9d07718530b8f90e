//! Compiles the shim (`src/object/main.rs`) into a shared object that needs nothing, not even a C library.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/object");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let image = PathBuf::from(variable("OUT_DIR")).join("lotse-heap.so");
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
    rustc.args(["--edition", "2024", "--crate-name", "lotse_heap_object", "--crate-type", "cdylib"]);
    rustc.args(["--target", &variable("TARGET")]);
    for option in ["panic=abort", "opt-level=s", "strip=symbols", "force-unwind-tables=no", "codegen-units=1"]
    {
        rustc.args(["-C", option]);
    }
    // `defs` refuses a symbol that a program might lack; weak ones pass.
    for option in [
        "-nostartfiles",
        "-nostdlib",
        "-Wl,-z,defs",
        "-Wl,-z,norelro",
        "-Wl,--build-id=none",
        "-Wl,-soname,lotse-heap.so",
    ] {
        rustc.arg("-C").arg(format!("link-arg={option}"));
    }
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={linker}"));
    }
    rustc.arg("-o").arg(image).arg("src/object/main.rs");
    let status = rustc.status().expect("rustc can be started");
    assert!(status.success(), "compiling the heap shim failed: {status}");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name}"))
}
