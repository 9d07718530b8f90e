//! Classifies calls of accelerator APIs: CUDA, HIP, OpenCL, Level Zero, OpenACC.
//!
//! Calls that wait are recognised by their exact names, regardless of their recorded paradigm, and by their role. Other
//! calls are recognised by a prefix of their names, but only if the recorder gives them the accelerator paradigm: kernels
//! have the same paradigm, but names of the program.

use lotse_model::trace::{Paradigm, Region, RegionRole};

use super::Class;

/// The class of a call of an accelerator API; `name` is the region's name in lower case.
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
        _ if has_api_prefix(&region.name) => Some(Class::AcceleratorCall),
        _ => None,
    }
}

/// Calls of CUDA and HIP that return when the event, stream, device or context has completed its work.
const SYNCHRONISE: [&str; 5] =
    ["eventsynchronize", "streamsynchronize", "devicesynchronize", "threadsynchronize", "ctxsynchronize"];

/// The same for other APIs.
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
    after_vendor_prefix(name).is_some_and(|call| SYNCHRONISE.contains(&call))
        || WAIT.contains(&name.split('@').next().unwrap_or(name))
        || ["acc wait", "!$acc wait", "#pragma acc wait"].iter().any(|start| name.starts_with(start))
}

/// Calls that copy, set or free memory. `hipFree` and `cudaFree` wait for the whole device.
fn is_memory(name: &str) -> bool {
    after_vendor_prefix(name).is_some_and(|call| {
        call.starts_with("memcpy") || call.starts_with("memset") || matches!(call, "free" | "memfree")
    })
}

/// The name after `cuda`, `cu` or `hip`, without the version suffix of drivers: `_v2`, `_ptsz`.
fn after_vendor_prefix(name: &str) -> Option<&str> {
    let call = ["cuda", "cu", "hip"].iter().find_map(|start| name.strip_prefix(start))?;
    call.split('_').next()
}

/// Whether a name has the prefix of an API: `cudaMalloc`, `__hipPushCallConfiguration`, `clCreateBuffer`.
fn has_api_prefix(name: &str) -> bool {
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

/// Whether, by its name, a call that copies or sets memory may return before it is done.
pub(crate) fn is_asynchronous(name: &str) -> bool {
    // A memset call usually only starts the work; recorded work on the stream may show otherwise.
    name.contains("async") || name.contains("memset")
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Paradigm, Region, RegionRole};

    use super::super::{Class, RegionClass};

    fn class(name: &str, paradigm: Paradigm) -> Class {
        RegionClass::new(&Region { paradigm, ..Region::named(name) }).class
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
    fn a_role_may_mark_a_waiting_call() {
        let wait = Region {
            role: RegionRole::TaskWait,
            paradigm: Paradigm::Accelerator,
            ..Region::named("my wait")
        };
        assert_eq!(RegionClass::new(&wait).class, Class::AcceleratorSync);
    }
}
