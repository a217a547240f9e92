//! Zip archives, whose members can be read in any order.

use std::{
    ffi::OsStr,
    io::{self, BufReader, Read},
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::Arc,
};

use flate2::bufread::DeflateDecoder;
use rawzip::{
    CompressionMethod, RECOMMENDED_BUFFER_SIZE, RangeReader, ReaderAt, ZipArchive,
    ZipArchiveEntryWayfinder, ZipFileHeaderRecord, ZipLocator, crc32, extra_fields::ExtraFieldId,
};

use super::{Member, damaged, plain};
use crate::{
    disk::{File, text_of},
    error::{Error, ErrorKind, Result},
    read::bytes::Reader,
};

/// An open archive.
pub(in super::super) struct Zip(ZipArchive<Arc<Bytes>>);

/// The bytes of the archive.
struct Bytes(File);

/// The place of a member's bytes, and how they are stored.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Place {
    at: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
}

impl ReaderAt for Bytes {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(into, offset)
    }
}

impl std::fmt::Debug for Zip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Zip")
    }
}

impl Zip {
    pub(in super::super) fn open(path: &Path, name: &str) -> Result<Self> {
        let reading = |error| Error::reading(name, &error);
        let file = File::open(path).map_err(reading)?;
        let length = file.length().map_err(reading)?;
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let located =
            ZipLocator::new().locate_in_reader(Arc::new(Bytes(file)), &mut buffer, length);
        located.map(Self).map_err(|(_, error)| failed(name, error))
    }

    /// Returns all members, in the order of the archive's directory.
    pub(super) fn members(&self, name: &str) -> Result<Vec<Member>> {
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let mut entries = self.0.entries(&mut buffer);
        let (mut members, mut count) = (Vec::new(), 0);
        while let Some(entry) = entries.next_entry().map_err(|error| failed(name, error))? {
            count += 1;
            let member = plain(&name_of(&entry), name)?;
            let place = Place {
                at: entry.wayfinder(),
                method: entry.compression_method(),
                is_encrypted: entry.flags().is_encrypted(),
            };
            let is_file = !entry.is_dir() && !entry.mode().is_symlink();
            members.push(Member {
                name: member,
                size: entry.uncompressed_size_hint(),
                is_file,
                place: Some(place),
            });
        }
        if count == self.0.entries_hint() {
            Ok(members)
        } else {
            Err(damaged(
                name,
                format!("it has {count} of {} members", self.0.entries_hint()),
            ))
        }
    }

    /// Returns the bytes of a member, which are checked against its size and its checksum. `name` is that of the member, with the archive
    /// before it.
    pub(in super::super) fn read(&self, place: Place, name: &str) -> Result<Reader> {
        let refuse = |what: String, advice: &'static str| {
            Err(Error::new(ErrorKind::Input, what).at(name).advise(advice))
        };
        if place.is_encrypted {
            return refuse(
                "is encrypted, so it cannot be read".into(),
                "unpack the archive with its password, and name the folder",
            );
        }
        let entry = self
            .0
            .get_entry(place.at)
            .map_err(|error| failed(name, error))?;
        let (start, end) = entry.compressed_data_range();
        let packed = BufReader::with_capacity(
            1 << 16,
            RangeReader::new(self.0.get_ref().clone(), start..end),
        );
        // A member that has more bytes than the directory says is read only one byte further.
        let most = place.at.uncompressed_size_hint().saturating_add(1);
        let plain: Reader = match place.method {
            CompressionMethod::STORE => Box::new(packed),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed)),
            CompressionMethod::ZSTD => Box::new(
                zstd::Decoder::with_buffer(packed).map_err(|error| Error::reading(name, &error))?,
            ),
            other => {
                let what = format!("is compressed by a method that is not supported ({other})");
                return refuse(what, "unpack the archive first, and name the folder");
            }
        };
        Ok(Box::new(entry.verifying_reader(plain.take(most))))
    }
}

/// Returns the name of a member: that of the Unicode path extra field, if it belongs to the member's own name; else that name, in
/// UTF-8 if it is UTF-8 or is marked as such, and otherwise in code page 437 (APPNOTE 6.3.10, 4.6.9 and appendix D). Nothing in an archive
/// says that a name is in another code page, such as that of a Japanese Windows; but different names in one encoding stay different.
fn name_of(entry: &ZipFileHeaderRecord) -> String {
    let own = entry.file_path();
    let own: &[u8] = own.as_ref();
    let head = [&[1], &crc32(own).to_le_bytes()[..]].concat();
    let mut fields = entry.extra_fields();
    let unicode = fields
        .find(|(id, field)| *id == ExtraFieldId::INFO_ZIP_UNICODE_PATH && field.starts_with(&head));
    let is_utf8 = entry.flags().is_utf8() || str::from_utf8(own).is_ok();
    let of_code_page = |&byte: &u8| match byte.checked_sub(0x80) {
        Some(at) => CODE_PAGE_437.chars().nth(at.into()).unwrap_or_default(),
        None => byte.into(),
    };
    match unicode {
        Some((_, field)) => text_of(OsStr::from_bytes(&field[head.len()..])),
        None if is_utf8 => text_of(OsStr::from_bytes(own)),
        None => text_of(own.iter().map(of_code_page).collect::<String>()),
    }
}

/// The characters of the bytes from 80 to ff.
const CODE_PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

fn failed(name: &str, error: rawzip::Error) -> Error {
    match error.kind() {
        rawzip::ErrorKind::IO(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            Error::reading(name, error)
        }
        _ => damaged(name, error),
    }
}
