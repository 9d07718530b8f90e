//! Ctrl-C, SIGTERM and SIGHUP as a flag that can be read and waited for.
//!
//! The first signal sets the flag; functions that run a program stop it and return. A second Ctrl-C ends Lotse at once, and the
//! launcher then kills the running program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that requests Lotse to stop. Clones share one flag.
#[derive(Debug, Clone)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    #[cfg(unix)]
    pipe: Arc<pipe::Pipe>,
}

impl Interrupt {
    /// A flag that only [`Interrupt::trigger`] sets.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            flag: Arc::default(),
            #[cfg(unix)]
            pipe: Arc::new(pipe::Pipe::new()?),
        })
    }

    /// A flag that signals set, too. To be called once per process.
    pub fn install() -> io::Result<Self> {
        /// The exit status that shells report for a program that Ctrl-C ended.
        const STATUS: i32 = 130;
        use signal_hook::{consts, flag};
        let interrupt = Self::new()?;
        // The order of handlers matters: at the first Ctrl-C the flag is still unset here and is set by the handler below.
        flag::register_conditional_shutdown(consts::SIGINT, STATUS, Arc::clone(&interrupt.flag))?;
        for signal in [consts::SIGINT, consts::SIGTERM] {
            interrupt.listen(signal)?;
        }
        #[cfg(unix)]
        interrupt.listen(consts::SIGHUP)?;
        Ok(interrupt)
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Sets the flag.
    pub fn trigger(&self) -> io::Result<()> {
        self.flag.store(true, Ordering::Release);
        #[cfg(unix)]
        self.pipe.fill()?;
        Ok(())
    }

    /// Clears the flag, for instance before commands that clean up.
    pub fn reset(&self) -> io::Result<()> {
        #[cfg(unix)]
        self.pipe.empty()?;
        self.flag.store(false, Ordering::Release);
        Ok(())
    }

    /// From now on the first signal ends Lotse, because there is nothing left to clean up.
    pub fn let_signals_end_lotse(&self) -> io::Result<()> {
        use signal_hook::{consts, flag};
        let always = Arc::new(AtomicBool::new(true));
        for signal in [consts::SIGINT, consts::SIGTERM] {
            flag::register_conditional_default(signal, Arc::clone(&always))?;
        }
        if self.is_set() {
            signal_hook::low_level::emulate_default_handler(consts::SIGINT)?;
        }
        Ok(())
    }

    fn listen(&self, signal: i32) -> io::Result<()> {
        signal_hook::flag::register(signal, Arc::clone(&self.flag))?;
        #[cfg(unix)]
        signal_hook::low_level::pipe::register(signal, self.pipe.sender()?)?;
        Ok(())
    }

    /// A descriptor that is readable while the flag is set.
    #[cfg(target_os = "linux")]
    pub(crate) fn readable_while_set(&self) -> std::os::fd::BorrowedFd<'_> {
        self.pipe.receiver()
    }
}

#[cfg(unix)]
mod pipe {
    //! A pipe that wakes `poll`, which a flag alone cannot.

    use std::io;
    #[cfg(target_os = "linux")]
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::net::UnixStream;

    #[derive(Debug)]
    pub(super) struct Pipe {
        receiver: UnixStream,
        sender: UnixStream,
    }

    impl Pipe {
        pub(super) fn new() -> io::Result<Self> {
            let (receiver, sender) = UnixStream::pair()?;
            receiver.set_nonblocking(true)?;
            sender.set_nonblocking(true)?;
            Ok(Self { receiver, sender })
        }

        pub(super) fn sender(&self) -> io::Result<UnixStream> {
            self.sender.try_clone()
        }

        #[cfg(target_os = "linux")]
        pub(super) fn receiver(&self) -> BorrowedFd<'_> {
            self.receiver.as_fd()
        }

        pub(super) fn fill(&self) -> io::Result<()> {
            unless_blocking(io::Write::write(&mut &self.sender, &[1]))
        }

        pub(super) fn empty(&self) -> io::Result<()> {
            unless_blocking(io::Read::read(&mut &self.receiver, &mut [0; 4096]))
        }
    }

    /// A full pipe on writing and an empty one on reading are not errors.
    fn unless_blocking(result: io::Result<usize>) -> io::Result<()> {
        match result {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Interrupt;

    #[test]
    fn clones_share_the_flag() {
        let interrupt = Interrupt::new().unwrap();
        let clone = interrupt.clone();
        assert!(!clone.is_set());
        interrupt.trigger().unwrap();
        assert!(clone.is_set());
        clone.reset().unwrap();
        assert!(!interrupt.is_set());
    }
}
