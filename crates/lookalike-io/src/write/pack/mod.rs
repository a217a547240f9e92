//! Compresses outputs in the formats given by their file extensions, on several threads if the format allows it.

mod gathered;

mod gzip;

#[cfg(feature = "codecs")]
mod codecs;

mod encoder;

pub(crate) use self::encoder::Encoder;
