//! Calls of the interfaces by which threads use accelerators: CUDA, HIP, OpenCL, Level Zero, OpenACC.
//!
//! Calls that wait are known by their exact names, whatever the recorder says about them, and by the role that it gives
//! them. Other calls are known by the beginning of their names where the recorder says that they are of such an
//! interface: kernels are of the same paradigm, but have the program's own names.

use lotse_model::trace::{Paradigm, Region, RegionRole};

use super::Class;

/// The class of a call of such an interface; `name` is the region's name in lower case.
pub(super) fn class(region: &Region, name: &str) -> Option<Class> {
    if synchronises(name) {
        return Some(Class::AcceleratorSync);
    }
    if is_memory(name) {
        return Some(Class::AcceleratorMemory);
    }
    if region.paradigm != Paradigm::Accelerator {
        return None;
    }
    match region.role {
        RegionRole::TaskWait | RegionRole::ThreadWait | RegionRole::Barrier | RegionRole::ImplicitBarrier => {
            Some(Class::AcceleratorSync)
        }
        _ if is_of_interface(&region.name) => Some(Class::AcceleratorCall),
        _ => None,
    }
}

/// Calls of CUDA and HIP that return when what they are about is done.
const SYNCHRONISE: [&str; 5] =
    ["eventsynchronize", "streamsynchronize", "devicesynchronize", "threadsynchronize", "ctxsynchronize"];

/// The same of other interfaces.
const WAIT: [&str; 10] = [
    "clfinish",
    "clwaitforevents",
    "zecommandqueuesynchronize",
    "zecommandlisthostsynchronize",
    "zeeventhostsynchronize",
    "zefencehostsynchronize",
    "acc_wait",
    "acc_wait_all",
    "acc_async_wait",
    "acc_async_wait_all",
];

fn synchronises(name: &str) -> bool {
    of_vendor(name).is_some_and(|call| SYNCHRONISE.contains(&call))
        || WAIT.contains(&name.split('@').next().unwrap_or(name))
        || ["acc wait", "!$acc wait", "#pragma acc wait"].iter().any(|start| name.starts_with(start))
}

/// Calls that copy, set or free memory. `hipFree` and `cudaFree` wait for the whole device.
fn is_memory(name: &str) -> bool {
    of_vendor(name).is_some_and(|call| {
        call.starts_with("memcpy") || call.starts_with("memset") || matches!(call, "free" | "memfree")
    })
}

/// What stands behind `cuda`, `cu` or `hip`, without the version that drivers put behind a name: `_v2`, `_ptsz`.
fn of_vendor(name: &str) -> Option<&str> {
    let call = ["cuda", "cu", "hip"].iter().find_map(|start| name.strip_prefix(start))?;
    call.split('_').next()
}

/// Whether a name begins as those of an interface do: `cudaMalloc`, `__hipPushCallConfiguration`, `clCreateBuffer`.
fn is_of_interface(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    let goes_on = |start: &str| {
        name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|letter: char| letter.is_uppercase()))
    };
    ["cuda", "cu", "hip", "cl", "ze"].iter().any(|start| goes_on(start)) || name.starts_with("acc_")
}

/// Whether a call launches something on a stream; `name` is in lower case.
pub(crate) fn starts_work(name: &str) -> bool {
    ["launch", "enqueue", "executecommandlists"].iter().any(|part| name.contains(part))
}

/// Whether a call waits for all streams of a device or context.
pub(crate) fn waits_for_all(name: &str) -> bool {
    ["devicesynchronize", "threadsynchronize", "ctxsynchronize", "acc_wait_all"]
        .iter()
        .any(|part| name.contains(part))
}

/// Whether a call that copies or sets memory may return before that is done, by its name.
pub(crate) fn is_asynchronous(name: &str) -> bool {
    // Setting memory only starts it, unless the recorded work shows that the call lasted longer.
    name.contains("async") || name.contains("memset")
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Paradigm, Region, RegionRole};

    use super::super::{Class, RegionClass};

    fn class(name: &str, paradigm: Paradigm) -> Class {
        RegionClass::of(&Region { paradigm, ..Region::named(name) }).class
    }

    #[test]
    fn calls_that_wait_are_known_by_name() {
        for name in [
            "hipEventSynchronize",
            "cudaDeviceSynchronize",
            "cuStreamSynchronize_ptsz",
            "cuCtxSynchronize",
            "clFinish",
            "clWaitForEvents",
            "zeEventHostSynchronize",
            "acc_wait@solve.c:12",
            "acc wait",
        ] {
            assert_eq!(class(name, Paradigm::Unknown), Class::AcceleratorSync, "{name}");
        }
    }

    #[test]
    fn a_stream_that_waits_for_an_event_is_no_waiting_thread() {
        for name in
            ["cudaStreamWaitEvent", "hipStreamWaitEvent", "hipLaunchKernel", "__hipPopCallConfiguration"]
        {
            assert_eq!(class(name, Paradigm::Accelerator), Class::AcceleratorCall, "{name}");
        }
        assert_eq!(class("cuMemcpyDtoH_v2", Paradigm::User), Class::AcceleratorMemory);
        assert_eq!(class("hipFree", Paradigm::Accelerator), Class::AcceleratorMemory);
    }

    #[test]
    fn kernels_and_the_programs_own_functions_are_work() {
        assert_eq!(class("heavy_kernel(float*)", Paradigm::Accelerator), Class::Computation);
        for name in ["clamp", "cube_root", "zero", "custom_synchronize", "hipster", "freeze"] {
            assert_eq!(class(name, Paradigm::User), Class::Computation, "{name}");
        }
    }

    #[test]
    fn a_role_tells_of_waiting_too() {
        let wait = Region {
            role: RegionRole::TaskWait,
            paradigm: Paradigm::Accelerator,
            ..Region::named("my wait")
        };
        assert_eq!(RegionClass::of(&wait).class, Class::AcceleratorSync);
    }
}
