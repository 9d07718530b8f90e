//! Resolves addresses to functions, frames and stacks.

use lotse_model::Profile;
use lotse_model::id::{FileId, FrameId, ObjectId, StackId};
use lotse_model::profile::{AddressSpace, Builder, Frame, Part, Unresolved};

use super::{LegacyProfile, LegacySample, maps};

pub(super) fn build(legacy: &LegacyProfile) -> Profile {
    let width = legacy.events.len();
    let signed = legacy.samples.iter().flat_map(|sample| &sample.values).any(|&value| value < 0);
    let mut builder = Builder::new();
    builder.profile.events.clone_from(&legacy.events);
    // As in pprof itself, the last: inuse_space, delay or cpu.
    builder.profile.default_event = width.checked_sub(1);
    builder.profile.signed = signed;
    let mut part = Part::new("all", width, signed);
    part.time = legacy.duration.map(|nanos| (0, nanos));
    for sample in &legacy.samples {
        let values: Vec<u64> = sample.values.iter().map(|&value| value as u64).collect();
        part.samples.costs.push(&values);
        part.samples.stack.push(stack(legacy, sample, &mut builder));
    }
    builder.profile.parts.push(part);
    builder.finish()
}

fn stack(legacy: &LegacyProfile, sample: &LegacySample, builder: &mut Builder) -> Option<StackId> {
    let depths = sample.addresses.iter().enumerate().rev();
    depths.fold(None, |below, (depth, &address)| {
        let frame = frame(legacy, address, depth == 0, builder);
        Some(builder.stack(below, frame))
    })
}

/// The frame of an address. For a return address, the byte before it is looked up, which is in the call.
fn frame(legacy: &LegacyProfile, address: u64, innermost: bool, builder: &mut Builder) -> FrameId {
    let at = if innermost && legacy.innermost_is_pc || legacy.numbered {
        address
    } else {
        address.wrapping_sub(1)
    };
    let symbol = legacy.symbols.get(address).or_else(|| legacy.symbols.get(at));
    let map = if legacy.numbered { None } else { maps::find(&legacy.maps, at) };
    let object = map.map_or(ObjectId(0), |(row, _)| builder.object(&legacy.maps[row].path));
    let address = if legacy.numbered { 0 } else { address };
    if let Some(symbol) = symbol {
        let file = builder.file(&symbol.file);
        let function = builder.function(&symbol.name, object, file);
        return builder.frame(Frame { function, file, line: symbol.line, address, inlined: false });
    }
    let offset = map.map_or(at, |(_, offset)| offset);
    let known = builder.profile.functions.len();
    let function = builder.function(&format!("{offset:#x}"), object, FileId(0));
    if function.index() == known && object != ObjectId(0) {
        let space = AddressSpace::FileOffset;
        builder.profile.unresolved.push(Unresolved { function, address: offset, extent: 1, space });
    }
    builder.frame(Frame { function, file: FileId(0), line: 0, address, inlined: false })
}
