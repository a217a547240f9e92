//! Outputs compressed by their endings, on several threads where the format lets them.

mod gathered;

mod gzip;

#[cfg(feature = "codecs")]
mod codecs;

mod encoder;

pub(crate) use self::encoder::Encoder;
