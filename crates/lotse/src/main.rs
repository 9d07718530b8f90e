//! crates/lotse
fn main() {}
