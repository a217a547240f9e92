//! Opens a part of the source, so that the part can be read in blocks.

use std::{
    io::{self, Cursor, Read},
    sync::Arc,
};

use super::{Part, Source, changed::State, tables::unseekable};
#[cfg(feature = "warc")]
use crate::read::crawl::CrawlStream;
use crate::{
    disk::File,
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{
        bytes::{Counted, Packing, Reader, Running, START, decompress},
        documents::{FileBlocks, MemberStream},
        format::{LOOK, known},
        input::Input,
        lines::LineStream,
        records::RecordStream,
        stream::Stream,
    },
    store::Object,
};

/// An input that is opened for a pass.
pub(crate) enum Opened {
    /// A plain file of this many bytes, with random access.
    Plain(File, u64),
    /// Files that are documents.
    Files(FileBlocks),
    /// An input that can only be read sequentially.
    Stream(Stream),
}

impl Source {
    /// Opens a part for one pass. For a table, `whole` says whether to read all columns, or only the chosen ones.
    pub(crate) fn open(&self, part: usize, whole: bool) -> Result<Opened> {
        let Part {
            input: at, number, ..
        } = self.parts[part];
        let input = &self.inputs[at];
        if let Some(table) = &self.tables[at] {
            self.refuse_changed(part)?;
            return table
                .stream(number, whole, self.read.clone())
                .map(Stream::Rows)
                .map(Opened::Stream);
        }
        let name = input.name();
        let reading = |error| Error::reading(&name, &error);
        let reader = match self.seen.state(at) {
            State::Regular { size, .. } => {
                let file = match input {
                    Input::File(path) => File::open(path).map_err(reading)?,
                    _ => return Err(Error::reading(&name, &io::ErrorKind::Unsupported.into())),
                };
                self.refuse_changed(part)?;
                let (mut start, mut filled) = ([0; START], 0);
                while filled < START {
                    match file
                        .read_at(&mut start[filled..], filled as u64)
                        .map_err(reading)?
                    {
                        0 => break,
                        n => filled += n,
                    }
                }
                let is_lines = self.formats[at] == Some(Format::Lines);
                if Packing::of(&start[..filled], &name)? == Packing::Plain && is_lines {
                    return Ok(Opened::Plain(file, *size));
                }
                decompress(
                    Counted {
                        packed: file,
                        count: self.read.clone(),
                    },
                    &name,
                )
            }
            State::Object => match input {
                Input::Object(object) => decompress(
                    Counted {
                        packed: self.ahead.stream(at, object, self.following_objects(at)),
                        count: self.read.clone(),
                    },
                    &name,
                ),
                Input::Files(files) if files.are_sequential() => {
                    let members = MemberStream::new(files.clone(), self.span, self.read.clone())?;
                    return Ok(Opened::Stream(Stream::Members(members)));
                }
                Input::Files(files) => {
                    return Ok(Opened::Files(FileBlocks::new(files.clone(), self.span)));
                }
                Input::Stored(records) => {
                    let fields = &self.reading_of(part).fields;
                    let packed = records.open(&fields.id, &fields.text, fields.set.is_some())?;
                    decompress(
                        Counted {
                            packed,
                            count: self.read.clone(),
                        },
                        &name,
                    )
                }
                _ => Err(Error::reading(&name, &io::ErrorKind::Unsupported.into())),
            },
            State::Once(spool) => spool.open(input, &self.temp_dir),
            State::Command(_) => match input {
                Input::Command(line, _) => decompress(Running::start(line, &name)?, &name),
                _ => Err(Error::reading(&name, &io::ErrorKind::Unsupported.into())),
            },
        };
        self.stream(part, reader?).map(Opened::Stream)
    }

    /// Returns the stream that splits a part's bytes into records.
    fn stream(&self, part: usize, mut reader: Reader) -> Result<Stream> {
        let name = self.name(part);
        let format = match self.formats[self.parts[part].input] {
            Some(format) => format,
            None => {
                let mut start = Vec::new();
                (&mut reader)
                    .take(LOOK as u64)
                    .read_to_end(&mut start)
                    .map_err(|error| Error::reading(name, &error))?;
                let format = known(name, &start)?;
                reader = Box::new(Cursor::new(start).chain(reader));
                format
            }
        };
        Ok(match format {
            Format::Array => Stream::Records(RecordStream::elements(reader, name)),
            Format::Delimited => {
                let stream = RecordStream::cells(reader, name, self.reading_of(part));
                Stream::Records(stream.map_err(|failure| {
                    let error = self.failed(part, failure);
                    self.named(part, error.placed(|line| self.place(part, line + 1)))
                })?)
            }
            #[cfg(feature = "warc")]
            Format::Warc => Stream::Crawl(CrawlStream::new(reader, name)),
            #[cfg(not(feature = "warc"))]
            Format::Warc => {
                let what = "is a WARC file, but this lookalike was built without WARC (the cargo feature `warc`)";
                return Err(Error::new(ErrorKind::Input, what).at(name));
            }
            Format::Text | Format::Html => {
                let refused = Error::new(
                    ErrorKind::Input,
                    "a text or HTML document can only be read from a file",
                )
                .at(name);
                return Err(
                    refused.advise("save it to a file first, or give records as JSON Lines")
                );
            }
            Format::Parquet | Format::Arrow => return Err(unseekable(name)),
            Format::Lines => Stream::Lines(LineStream::new(reader)),
        })
    }

    /// Returns the objects that directly follow an input, with their numbers, up to the first that is a table.
    fn following_objects(&self, at: usize) -> impl Iterator<Item = (usize, &Arc<Object>)> {
        self.inputs
            .iter()
            .enumerate()
            .skip(at + 1)
            .map_while(|(next, input)| match input {
                Input::Object(object) if self.tables[next].is_none() => Some((next, object)),
                _ => None,
            })
    }
}
