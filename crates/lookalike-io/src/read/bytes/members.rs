//! Reads concatenated compressed streams as one. Zeros may follow the last stream, because some programs pad their blocks with
//! zeros. Anything else after the last stream is an error.

use std::io::{self, BufRead, Read};

/// A decoder of one compressed stream. It stops where the stream ends according to its format, and reads no byte after the
/// stream.
pub(crate) trait Member: Read + Sized {
    /// The reader of the compressed bytes.
    type Packed: BufRead;

    /// The first byte of every stream.
    const FIRST: u8;

    /// Begins decoding at a stream's first byte.
    fn begin(packed: Self::Packed) -> Self;

    /// Returns the reader of the compressed bytes.
    fn packed(&mut self) -> &mut Self::Packed;

    /// Ends decoding, and returns the reader of what follows.
    fn end(self) -> Self::Packed;
}

/// Reads all the streams as one.
pub(crate) struct Members<M>(Option<M>);

impl<M: Member> Members<M> {
    pub(crate) fn new(packed: M::Packed) -> Self {
        Self(Some(M::begin(packed)))
    }
}

impl<M: Member> Read for Members<M> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let n = member.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            let more = begins_another(member.packed(), M::FIRST)?;
            self.0 = self
                .0
                .take()
                .filter(|_| more)
                .map(|member| M::begin(member.end()));
        }
        Ok(0)
    }
}

/// Returns whether another stream begins after one that has ended.
fn begins_another(packed: &mut impl BufRead, first: u8) -> io::Result<bool> {
    let mut filled_up = false;
    loop {
        let rest = packed.fill_buf()?;
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        match rest.get(zeros) {
            None if rest.is_empty() => return Ok(false),
            None => {
                packed.consume(zeros);
                filled_up = true;
            }
            Some(&byte) if byte == first && zeros == 0 && !filled_up => return Ok(true),
            Some(_) => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "there is other data after its end",
                ));
            }
        }
    }
}

impl<R: BufRead> Member for flate2::bufread::GzDecoder<R> {
    type Packed = R;

    const FIRST: u8 = 0x1f;

    fn begin(packed: R) -> Self {
        Self::new(packed)
    }

    fn packed(&mut self) -> &mut R {
        self.get_mut()
    }

    fn end(self) -> R {
        self.into_inner()
    }
}

#[cfg(feature = "codecs")]
impl<R: BufRead> Member for bzip2::bufread::BzDecoder<R> {
    type Packed = R;

    const FIRST: u8 = b'B';

    fn begin(packed: R) -> Self {
        Self::new(packed)
    }

    fn packed(&mut self) -> &mut R {
        self.get_mut()
    }

    fn end(self) -> R {
        self.into_inner()
    }
}
