//! Fills a vector of 1000, then ends or goes on as the argument says, then fills one of 200.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
    fn kill(process: i32, signal: i32) -> i32;
    fn getpid() -> i32;
}

fn fill(n: u64) -> u64 {
    let mut v = Vec::new();
    for i in 0..n {
        v.push(i); // FILL
    }
    v.iter().map(|x| x ^ 3).sum()
}

fn again() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("last");
    command
}

fn main() {
    println!("{}", fill(1000));
    match std::env::args().nth(1).unwrap_or_default().as_str() {
        "fork" => unsafe {
            let child = fork();
            if child == 0 {
                println!("{}", fill(500));
                _exit(0)
            }
            waitpid(child, std::ptr::null_mut(), 0);
        },
        "abort" => std::process::abort(),
        "kill" => unsafe {
            kill(getpid(), 9);
        },
        "exec" => {
            again().exec();
        }
        "child" => {
            again().status().unwrap();
        }
        "threads" => {
            for _ in 0..20 {
                let threads: Vec<_> = (0..8).map(|_| std::thread::spawn(|| fill(100))).collect();
                threads.into_iter().for_each(|thread| drop(thread.join().unwrap()));
            }
        }
        "exit" => {
            let thread = std::thread::spawn(|| {
                println!("{}", fill(100));
                std::process::exit(0)
            });
            thread.join().unwrap();
        }
        _ => {}
    }
    println!("{}", fill(200));
}
