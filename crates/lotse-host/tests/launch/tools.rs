//! Asking real tools for their versions.

use lotse_host::{TOOLS, ToolState, find_tool, tool_state};

use super::launcher;

#[test]
fn every_installed_tool_has_a_version() {
    let mut launcher = launcher();
    for tool in TOOLS {
        match tool_state(tool, &mut launcher).unwrap() {
            ToolState::Found { path, version } => {
                assert_eq!(Some(path), find_tool(tool.name));
                assert!(
                    version.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit())),
                    "{}",
                    tool.name
                );
            }
            ToolState::Broken { problem, .. } => println!("{} is broken here: {problem}", tool.name),
            ToolState::Missing => assert_eq!(find_tool(tool.name), None),
        }
    }
}
