//! Parses the headers of pages (the parquet-format specification, `PageHeader`), in Thrift's compact protocol. This module reads
//! only what is needed to find where the next page begins and which rows a page has.

/// The content of a page header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// The length of the header in bytes.
    pub(super) length: u64,
    /// The number of bytes of the page after the header.
    pub(super) compressed: u64,
    pub(super) kind: Kind,
}

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A data page. `rows` is the number of its rows, if each row is one value. `in_dictionary` is whether its values are indices
    /// into a dictionary.
    Data { rows: u64, in_dictionary: bool },
    /// A dictionary, or an index.
    Other,
}

/// The numbers of `PageType`.
const DATA_PAGE: i64 = 0;
const DATA_PAGE_V2: i64 = 3;

/// The numbers of `Encoding`.
const PLAIN_DICTIONARY: i64 = 2;
const RLE_DICTIONARY: i64 = 8;

/// The maximum nesting of structs: a header has two levels.
const DEEPEST: usize = 8;

impl Head {
    /// Reads the header at the start of `bytes`. Returns none if the bytes end before the header does, or are invalid.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = Compact { bytes, at: 0 };
        let (mut page_type, mut compressed, mut own) = (None, None, None);
        from.fields(|field, kind, from| {
            match (field, kind) {
                (1, INTEGER) => page_type = Some(from.integer()?),
                (3, INTEGER) => compressed = Some(from.integer()?),
                // Field 5 is the header of a data page. Field 8 is the header of a data page of version 2, and gives the number
                // of rows explicitly.
                (5, STRUCT) => own = Some(from.numbers([1, 2])?),
                (8, STRUCT) => own = Some(from.numbers([3, 4])?),
                _ => from.skip(kind, DEEPEST)?,
            }
            Some(())
        })?;
        let kind = match page_type? {
            DATA_PAGE | DATA_PAGE_V2 => {
                let [rows, encoding] = own?;
                let in_dictionary = matches!(encoding?, PLAIN_DICTIONARY | RLE_DICTIONARY);
                Kind::Data {
                    rows: u64::try_from(rows?).ok()?,
                    in_dictionary,
                }
            }
            _ => Kind::Other,
        };
        Some(Self {
            length: from.at as u64,
            compressed: u64::try_from(compressed?).ok()?,
            kind,
        })
    }
}

/// The types of Thrift's compact protocol.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const SHORT: u8 = 4;
const INTEGER: u8 = 5;
const LONG: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// Bytes in the compact protocol. All methods return none if the bytes end too early or are invalid.
struct Compact<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let zigzag = self.varint()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.at = self
            .at
            .checked_add(usize::try_from(bytes).ok()?)
            .filter(|&at| at <= self.bytes.len())?;
        Some(())
    }

    /// For each field of a struct, calls `read` with the field's number and type. `read` must read the field to its end.
    fn fields(&mut self, mut read: impl FnMut(i64, u8, &mut Self) -> Option<()>) -> Option<()> {
        let mut field = 0i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => self.integer()?,
                step => field.checked_add(step.into())?,
            };
            read(field, head & 0xf, self)?;
        }
    }

    /// Reads a struct, and returns the integers in the fields with these numbers.
    fn numbers(&mut self, wanted: [i64; 2]) -> Option<[Option<i64>; 2]> {
        let mut found = [None; 2];
        self.fields(|field, kind, from| {
            match wanted
                .iter()
                .position(|&number| number == field && kind == INTEGER)
            {
                Some(place) => found[place] = Some(from.integer()?),
                None => from.skip(kind, DEEPEST)?,
            }
            Some(())
        })?;
        Some(found)
    }

    fn skip(&mut self, kind: u8, deepest: usize) -> Option<()> {
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.pass(1),
            SHORT | INTEGER | LONG => self.varint().map(drop),
            DOUBLE => self.pass(8),
            BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            LIST | SET => {
                let head = self.byte()?;
                let items = if head >> 4 == 0xf {
                    self.varint()?
                } else {
                    u64::from(head >> 4)
                };
                let deepest = deepest.checked_sub(1)?;
                // A boolean in a list takes a byte.
                (0..items).try_for_each(|_| {
                    if head & 0xf <= FALSE {
                        self.pass(1)
                    } else {
                        self.skip(head & 0xf, deepest)
                    }
                })
            }
            STRUCT => {
                let deepest = deepest.checked_sub(1)?;
                self.fields(|_, kind, from| from.skip(kind, deepest))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The fields by number: `{1: 0, 2: 100, 3: 60, 5: {1: 7, 2: 8, 3: 3, 4: 3, 5: {1: "ab", 6: "c", 7: true}}}`
    const PLAIN: &[u8] =
        b"\x15\x00\x15\xc8\x01\x15\x78\x2c\x15\x0e\x15\x10\x15\x06\x15\x06\x1c\x18\x02ab\x58\x01c\x11\x00\x00\x00";

    /// The fields by number: `{1: 3, 2: 9, 3: 4, 8: {1: 7, 2: 1, 3: 6, 4: 0, 7: false}}`
    const SECOND: &[u8] =
        b"\x15\x06\x15\x12\x15\x08\x5c\x15\x0e\x15\x02\x15\x0c\x15\x00\x32\x00\x00";

    #[test]
    fn headers_contain_rows_and_lengths() {
        let data = |rows, in_dictionary| Kind::Data {
            rows,
            in_dictionary,
        };
        assert_eq!(
            Head::read(PLAIN),
            Some(Head {
                length: PLAIN.len() as u64,
                compressed: 60,
                kind: data(7, true)
            })
        );
        let after = [SECOND, b"values"].concat();
        assert_eq!(
            Head::read(&after),
            Some(Head {
                length: SECOND.len() as u64,
                compressed: 4,
                kind: data(6, false)
            })
        );
        let dictionary = b"\x15\x04\x15\x12\x15\x08\x4c\x15\x0e\x15\x00\x11\x00\x00";
        assert_eq!(
            Head::read(dictionary),
            Some(Head {
                length: 14,
                compressed: 4,
                kind: Kind::Other
            })
        );
        // This header has a list of structs in an unknown field.
        let list = [&SECOND[..SECOND.len() - 1], b"\x19\x2c\x15\x02\x00\x00\x00"].concat();
        assert_eq!(
            Head::read(&list).map(|head| (head.length, head.kind)),
            Some((list.len() as u64, data(6, false)))
        );
    }

    #[test]
    fn truncated_or_wrong_headers_are_rejected() {
        for head in [PLAIN, SECOND] {
            assert!((0..head.len()).all(|end| Head::read(&head[..end]).is_none()));
        }
        // These headers have negative lengths or counts, or nested structs.
        assert_eq!(
            Head::read(b"\x15\x06\x15\x12\x15\x07\x5c\x15\x0e\x15\x02\x15\x0c\x15\x00\x00\x00"),
            None
        );
        assert_eq!(
            Head::read(b"\x15\x06\x15\x12\x15\x08\x5c\x15\x0e\x15\x02\x15\x0b\x15\x00\x00\x00"),
            None
        );
        assert_eq!(Head::read(&b"\x1c".repeat(1 << 20)), None);
        assert_eq!(
            Head::read(&b"\x19\xfc\xff\xff\xff\xff\x0f".repeat(1 << 10)),
            None
        );
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_read_or_refused(bytes: Vec<u8>) {
            if let Some(head) = Head::read(&bytes) {
                prop_assert!(head.length <= bytes.len() as u64);
            }
        }
    }
}
