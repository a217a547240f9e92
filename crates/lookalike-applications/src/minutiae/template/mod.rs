//! Reads finger minutiae records, the standard templates of fingerprints: ISO/IEC 19794-2:2005 (sections 7.3 and 7.4),
//! ISO/IEC 19794-2:2011 (section 8.4) and ANSI INCITS 378-2004 (section 6). Card formats, which have no header, and
//! ANSI INCITS 378-2009 are not read.
//!
//! | | 2005 | ANSI 2004 | 2011 |
//! |---|---|---|---|
//! | begins with | `FMR\0 20\0` | `FMR\0 20\0` | `FMR\0030\0` |
//! | length | 4 bytes | 2 bytes, or 6 that begin with two zeros | 4 bytes |
//! | header | 24 bytes | 26 or 30 bytes | 15 bytes |
//! | size and resolution of the image | in the header | in the header | for each view |
//! | unit of angles | 1/256 of a turn | 2° | 1/256 of a turn |
//! | bytes of a minutia | 6 | 6 | 5 or 6 |
//!
//! All numbers are stored with the high byte first. In all three formats, x grows to the right, y grows downwards, and angles grow
//! counter-clockwise from the x axis.

mod bytes;

#[cfg(test)]
mod tests;

use self::bytes::Bytes;
use super::turn::Minutia;

/// The bytes with which templates begin; a version follows.
const MAGIC: &[u8] = b"FMR\0";

/// The usual resolution in pixels per centimetre (500 per inch). Coordinates are converted to it, because squares and triangles are
/// measured in pixels.
const USUAL_RESOLUTION: u32 = 197;

/// The lowest resolution that the standards allow.
const LOWEST_RESOLUTION: u16 = 99;

/// The lengths of the shortest records: a header without views.
const SHORTEST: u32 = 24;
const SHORTEST_ANSI: u16 = 26;

/// What is wrong with a template, and at which byte, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {what}")]
pub struct TemplateError {
    /// The position of the byte.
    pub at: u64,
    /// What is wrong.
    pub what: String,
}

use TemplateError as Error;

/// A print in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The position of the finger: 0 if it is unknown, 1 to 5 for the fingers of the right hand from the thumb on, and 6 to 10 for
    /// those of the left hand.
    pub position: u8,
    /// The number of the view among those of the finger, counted from 0.
    pub number: u8,
    /// The type of the impression, such as 0 for a live scan of a plain finger, and 1 for a rolled one.
    pub impression: u8,
    /// The minutiae. Their coordinates are pixels at 500 per inch. As in all [`Minutia`], angles grow from the x axis towards the y
    /// axis, so y is negative here.
    pub minutiae: Vec<Minutia>,
}

/// Returns whether a file that begins with these bytes is a template, in a format that [`views`] reads or in another one.
pub fn is_template(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// Reads all views of a template. The template may be followed by zeros, because programs write it from buffers of fixed length.
/// Cost: some nanoseconds per minutia.
///
/// # Errors
/// Fails if the bytes are not a template, if its lengths do not agree with each other and with the number of bytes, or if a value is
/// not allowed.
pub fn views(template: &[u8]) -> Result<Vec<View>, Error> {
    let mut bytes = Bytes::new(template);
    if bytes.take(MAGIC.len(), "the first bytes")? != MAGIC {
        return Err(
            Bytes::new(template).error("not a template: it does not begin with FMR and a zero")
        );
    }
    let version = bytes.take(4, "the version")?;
    let views = match version {
        b" 20\0" => of_2005(&mut bytes),
        b"030\0" => of_2011(&mut bytes),
        _ => {
            let shown = String::from_utf8_lossy(&version[..3]).into_owned();
            Err(Error {
                at: 4,
                what: format!("version {shown:?}; only \" 20\" and \"030\" are read"),
            })
        }
    }?;
    if bytes.rest().iter().any(|&byte| byte != 0) {
        return Err(bytes.error(format!(
            "{} more bytes after the last view",
            bytes.rest().len()
        )));
    }
    Ok(views)
}

/// Checks the length that a template gives for itself, after its views were read.
fn check_length(bytes: &Bytes, length: u32) -> Result<(), Error> {
    if bytes.at() as u64 == u64::from(length) {
        return Ok(());
    }
    Err(Error {
        at: 8,
        what: format!(
            "the length of the record is given as {length} bytes, but its views end after {}",
            bytes.at()
        ),
    })
}

/// How the coordinates and angles of a view are stored.
#[derive(Clone, Copy)]
struct Units {
    /// Pixels per centimetre along x and y.
    resolution: [u16; 2],
    /// The number of units in a full turn.
    turn: u32,
}

impl Units {
    /// Reads the width, the height and the resolution of an image.
    fn read(bytes: &mut Bytes, turn: u32) -> Result<Self, Error> {
        bytes.take(4, "the size of the image")?;
        Ok(Self {
            resolution: resolution(bytes)?,
            turn,
        })
    }

    /// Converts a coordinate to the usual resolution. A resolution of 0, which the standards do not allow, is the usual one.
    fn pixels(&self, at: u16, axis: usize) -> i32 {
        match u32::from(self.resolution[axis]) {
            0 | USUAL_RESOLUTION => i32::from(at),
            resolution => ((u32::from(at) * USUAL_RESOLUTION + resolution / 2) / resolution) as i32,
        }
    }
}

/// Reads the resolution along x and y.
fn resolution(bytes: &mut Bytes) -> Result<[u16; 2], Error> {
    let mut read = || match bytes.short("the resolution")? {
        low @ 1..LOWEST_RESOLUTION => {
            let what = format!(
                "a resolution of {low} pixels per centimetre; at least {LOWEST_RESOLUTION} are needed"
            );
            Err(Error {
                at: bytes.at() as u64 - 2,
                what,
            })
        }
        resolution => Ok(resolution),
    };
    Ok([read()?, read()?])
}

/// Reads a record of ISO/IEC 19794-2:2005 or of ANSI INCITS 378-2004, after its version.
fn of_2005(bytes: &mut Bytes) -> Result<Vec<View>, Error> {
    let (length, turn) = length(bytes)?;
    if turn != 256 {
        bytes.take(4, "the owner and the type of the program")?;
    }
    bytes.take(2, "the capture device")?;
    let units = Units::read(bytes, turn)?;
    let count = bytes.byte("the number of views")?;
    bytes.take(1, "the header")?;
    let mut views = Vec::new();
    for _ in 0..count {
        let position = bytes.byte("a view")?;
        let number_and_impression = bytes.byte("a view")?;
        bytes.take(1, "a view")?;
        let minutiae = minutiae(bytes, units, 6)?;
        let extended = bytes.short("the length of extended data")?;
        bytes.take(extended.into(), "extended data")?;
        let (number, impression) = (number_and_impression >> 4, number_and_impression & 15);
        views.push(View {
            position,
            number,
            impression,
            minutiae,
        });
    }
    check_length(bytes, length)?;
    Ok(views)
}

/// Reads the length of a record of version 20, and returns it with the number of units in a full turn, which depends on the format.
/// ISO/IEC 19794-2 writes the length in four bytes, and ANSI INCITS 378 in two. ANSI writes a length that does not fit in two as two zeros
/// and four bytes. The shortest record has 24 or 26 bytes, so the formats differ for records below a megabyte.
fn length(bytes: &mut Bytes) -> Result<(u32, u32), Error> {
    let first = bytes.short("the length")?;
    if first >= SHORTEST_ANSI {
        return Ok((first.into(), 180));
    }
    let second = u32::from(bytes.short("the length")?);
    if first == 0 && second < SHORTEST {
        return Ok((second << 16 | u32::from(bytes.short("the length")?), 180));
    }
    Ok((u32::from(first) << 16 | second, 256))
}

/// Reads a record of ISO/IEC 19794-2:2011, after its version.
fn of_2011(bytes: &mut Bytes) -> Result<Vec<View>, Error> {
    let length = bytes.long("the length")?;
    let count = bytes.short("the number of views")?;
    let is_certified = match bytes.byte("the header")? {
        flag @ (0 | 1) => flag == 1,
        other => {
            return Err(Error {
                at: 14,
                what: format!("the flag for certificates is {other}; it must be 0 or 1"),
            });
        }
    };
    let mut views = Vec::new();
    for _ in 0..count {
        let first = bytes.at();
        let length = bytes.long("a view")?;
        bytes.take(14, "the date and the device of a view")?;
        let qualities = bytes.byte("the qualities of a view")?;
        bytes.take(5 * usize::from(qualities), "the qualities of a view")?;
        if is_certified {
            let certificates = bytes.byte("the certificates of a view")?;
            bytes.take(3 * usize::from(certificates), "the certificates of a view")?;
        }
        let [position, number] = [bytes.byte("a view")?, bytes.byte("a view")?];
        let resolution = resolution(bytes)?;
        let impression = bytes.byte("a view")?;
        bytes.take(4, "the size of the image")?;
        let size = bytes.byte("the length of minutiae")? >> 4;
        if !(5..=6).contains(&size) {
            return Err(Error {
                at: bytes.at() as u64 - 1,
                what: format!("a minutia has {size} bytes; it must have 5 or 6"),
            });
        }
        let minutiae = minutiae(
            bytes,
            Units {
                resolution,
                turn: 256,
            },
            size.into(),
        )?;
        let extended = bytes.short("the length of extended data")?;
        bytes.take(extended.into(), "extended data")?;
        let read = bytes.at() - first;
        if read as u64 != u64::from(length) {
            return Err(Error {
                at: first as u64,
                what: format!("a view has {read} bytes, but its length is given as {length}"),
            });
        }
        views.push(View {
            position,
            number,
            impression,
            minutiae,
        });
    }
    check_length(bytes, length)?;
    Ok(views)
}

/// Reads the number of minutiae, and then the minutiae: two bits for the type and 14 for x, two reserved bits and 14 for y, the
/// angle, and the quality if a minutia has six bytes.
fn minutiae(bytes: &mut Bytes, units: Units, size: usize) -> Result<Vec<Minutia>, Error> {
    let count = bytes.byte("the number of minutiae")?;
    let mut minutiae = Vec::new();
    for number in 1..=count {
        let mut minutia =
            Bytes::new(bytes.take(size, format_args!("minutia {number} of {count}"))?);
        let wrong = |what: &str| bytes.error(format!("minutia {number}, which ends here, {what}"));
        let [x, y] = [minutia.short("x")?, minutia.short("y")?];
        if y >> 14 != 0 {
            return Err(wrong("has reserved bits that are not 0"));
        }
        let angle = u32::from(minutia.byte("the angle")?);
        if angle >= units.turn {
            return Err(wrong("has an angle of 360° or more"));
        }
        let angle = ((angle * 256 + units.turn / 2) / units.turn) as u8;
        minutiae.push(Minutia {
            x: units.pixels(x & 0x3fff, 0),
            y: -units.pixels(y, 1),
            angle,
        });
    }
    Ok(minutiae)
}
