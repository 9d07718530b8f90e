//! Whether the setups of all programs can run before the first block.
//!
//! Blocks interleave the programs, so all setups run before the first block. Different setups may undo each other
//! (`--setup 'make N={n}'`), and then every program would be measured in the state left by the last setup.

use crate::options::ProgramSpec;

/// Why programs that were to be interleaved are measured one after the other.
pub const NOTE: &str = "their setups differ, so the programs run one after the other, unpaired; --prepare instead of --setup \
                        keeps the pairs";

/// Whether the setup or cleanup commands of the programs differ, or are the same in another environment or directory.
pub fn differ(programs: &[ProgramSpec]) -> bool {
    let hooks = |spec: &ProgramSpec| [spec.hooks.setup.clone(), spec.hooks.cleanup.clone()];
    let place = |spec: &ProgramSpec| (spec.environment.clone(), spec.directory.clone());
    let different = |pair: &[ProgramSpec]| {
        let any = pair.iter().any(|spec| hooks(spec).iter().any(Option::is_some));
        any && (hooks(&pair[0]) != hooks(&pair[1]) || place(&pair[0]) != place(&pair[1]))
    };
    programs.windows(2).any(different)
}

/// Whether the prepare commands of the programs differ. A duet runs both of them before it starts the pair.
pub fn prepares_differ(programs: &[ProgramSpec]) -> bool {
    let place = |spec: &ProgramSpec| (spec.environment.clone(), spec.directory.clone());
    programs.windows(2).any(|pair| {
        let prepares = [0, 1].map(|side| pair[side].hooks.prepare.as_ref());
        prepares != [None, None] && (prepares[0] != prepares[1] || place(&pair[0]) != place(&pair[1]))
    })
}
