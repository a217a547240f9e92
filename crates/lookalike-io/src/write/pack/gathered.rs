//! The buffer to which compressors write.

use std::io::{self, Write};

use crate::{disk::Window, write::publish::Sink};

/// Collects the output of an encoder into windows (write buffers), because a sink writes whole windows most efficiently.
pub(crate) struct Gathered {
    sink: Sink,
    window: Window,
}

impl Gathered {
    pub(crate) fn new(sink: Sink) -> Self {
        Self {
            sink,
            window: Window::new(),
        }
    }

    /// Writes the remaining bytes.
    pub fn finish(mut self) -> io::Result<Sink> {
        self.flush()?;
        Ok(self.sink)
    }
}

impl Write for Gathered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.window.fill(bytes).len();
        if self.window.is_full() {
            self.flush()?;
        }
        Ok(bytes.len() - left)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(self.window.bytes())?;
        self.window.clear();
        Ok(())
    }
}
