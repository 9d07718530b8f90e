//! A function that ends in a call (a tail call) has no frame during that call, and the C library that calls the function
//! keeps no frame pointers.
use std::hint::black_box;

unsafe extern "C" {
    fn __cxa_thread_atexit_impl(leave: extern "C" fn(*mut u64), object: *mut u64, library: *mut u8) -> i32;
}

extern "C" fn leave(object: *mut u64) {
    // SAFETY: the object is leaked.
    unsafe {
        if *object > 3 {
            *object += 1;
        } else if *object == 2 {
            *object = 7;
        }
    }
}

fn main() {
    let threads = (0..4).map(|number| {
        std::thread::spawn(move || {
            let object = Box::leak(Box::new(black_box(number)));
            // SAFETY: the object is never freed.
            unsafe { __cxa_thread_atexit_impl(leave, object, std::ptr::null_mut()) }
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        assert_eq!(thread.join().unwrap(), 0);
    }
}
