//! Decoders that distinguish a truncated file from a damaged one, built on the crates `lz4_flex` and `brotli`.

use std::io::{self, BufRead, Read};

use brotli::{BrotliDecompressStream, BrotliResult, BrotliState, enc::StandardAlloc};
use lz4_flex::frame::FrameDecoder;

use super::members::Member;

/// A decoder of lz4 frames. The decoder of `lz4_flex` accepts the end of the file as the end of a frame, while this decoder
/// reports an error.
pub(crate) struct Lz4<R: Read>(FrameDecoder<UntilEnd<R>>);

/// A reader that notes whether more bytes were requested after its end.
struct UntilEnd<R> {
    packed: R,
    ended: bool,
}

impl<R: Read> Read for UntilEnd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.packed.read(buffer)?;
        self.ended |= n == 0 && !buffer.is_empty();
        Ok(n)
    }
}

impl<R: BufRead> Read for Lz4<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(buffer)?;
        if n == 0 && self.0.get_ref().ended {
            Err(io::ErrorKind::UnexpectedEof.into())
        } else {
            Ok(n)
        }
    }
}

impl<R: BufRead> Member for Lz4<R> {
    type Packed = R;

    const FIRST: u8 = 0x04;

    fn begin(packed: R) -> Self {
        Self(FrameDecoder::new(UntilEnd {
            packed,
            ended: false,
        }))
    }

    fn packed(&mut self) -> &mut R {
        &mut self.0.get_mut().packed
    }

    fn end(self) -> R {
        self.0.into_inner().packed
    }
}

/// A decoder of exactly one brotli stream; nothing may follow the stream. The reader of the `brotli` crate is not used, because
/// it returns the same error for every failure.
pub(crate) struct Brotli<R> {
    packed: R,
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    ended: bool,
}

impl<R: BufRead> Brotli<R> {
    pub(crate) fn new(packed: R) -> Self {
        let memory = StandardAlloc::default;
        Self {
            packed,
            state: Box::new(BrotliState::new(memory(), memory(), memory())),
            ended: false,
        }
    }

    fn refuse_more(&mut self) -> io::Result<usize> {
        if self.packed.fill_buf()?.is_empty() {
            Ok(0)
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "there is other data after its end",
            ))
        }
    }
}

impl<R: BufRead> Read for Brotli<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return self.refuse_more();
        }
        let (mut free, mut written, mut all_written) = (buffer.len(), 0, 0);
        loop {
            let packed = self.packed.fill_buf()?;
            let (at_end, mut left, mut taken) = (packed.is_empty(), packed.len(), 0);
            let state = &mut *self.state;
            let result = BrotliDecompressStream(
                &mut left,
                &mut taken,
                packed,
                &mut free,
                &mut written,
                buffer,
                &mut all_written,
                state,
            );
            self.packed.consume(taken);
            match result {
                BrotliResult::ResultSuccess => {
                    self.ended = true;
                    return if written > 0 || buffer.is_empty() {
                        Ok(written)
                    } else {
                        self.refuse_more()
                    };
                }
                BrotliResult::NeedsMoreOutput => return Ok(written),
                BrotliResult::NeedsMoreInput if written > 0 => return Ok(written),
                BrotliResult::NeedsMoreInput if at_end => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                BrotliResult::NeedsMoreInput => {}
                BrotliResult::ResultFailure => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "not brotli data",
                    ));
                }
            }
        }
    }
}
