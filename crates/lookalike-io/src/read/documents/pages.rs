//! The bytes of a document, a page or plain text → its text.

#[cfg(feature = "html")]
use super::html::Extractor;
#[cfg(feature = "html")]
use crate::format::Html;
#[cfg(feature = "encodings")]
use crate::read::bytes::encoding;
use crate::read::{json::Fault, reading::Reading};

/// Buffers for it, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    #[cfg(feature = "html")]
    extractor: Option<Extractor>,
}

impl Pages {
    /// The text of a document, of which `declared` is the label of its encoding, if one came with it. `room` holds what has to be
    /// changed.
    pub(crate) fn text<'a>(
        &mut self,
        bytes: &'a [u8],
        is_html: bool,
        declared: Option<&str>,
        reading: &Reading,
        room: &'a mut String,
    ) -> Result<&'a str, Fault> {
        let declared = reading.encoding.or(declared);
        if is_html {
            return self.page(bytes, declared, reading, room);
        }
        #[cfg(feature = "encodings")]
        {
            Ok(encoding::decode(bytes, declared, room).text)
        }
        #[cfg(not(feature = "encodings"))]
        {
            _ = (declared, room);
            let not_utf8 = |error: simdutf8::compat::Utf8Error| {
                let at = error.valid_up_to() + 1;
                let wrong = Fault::record(format!("invalid UTF-8 at byte {at}")).at_byte(at as u64);
                wrong.advise("convert the file to UTF-8, for instance with iconv")
            };
            simdutf8::compat::from_utf8(bytes).map_err(not_utf8)
        }
    }

    #[cfg(feature = "html")]
    fn page<'a>(
        &mut self,
        bytes: &[u8],
        declared: Option<&str>,
        reading: &Reading,
        room: &'a mut String,
    ) -> Result<&'a str, Fault> {
        let extractor = self.extractor.get_or_insert_with(|| Extractor::new(reading.html.unwrap_or(Html::Text)));
        Ok(extractor.extract(bytes, declared, room))
    }

    #[cfg(not(feature = "html"))]
    fn page<'a>(&mut self, _: &[u8], _: Option<&str>, _: &Reading, _: &'a mut String) -> Result<&'a str, Fault> {
        Err(Fault::record("is a page, and this lookalike was built without HTML (the cargo feature `html`)"))
    }

    /// How many pages were too large to be looked for a main part, since this was asked last.
    #[cfg_attr(not(feature = "html"), expect(clippy::unused_self, reason = "there are no pages"))]
    pub(crate) fn take_too_large(&mut self) -> u64 {
        #[cfg(feature = "html")]
        if let Some(extractor) = &mut self.extractor {
            return extractor.take_too_large();
        }
        0
    }

    /// The text of a page that stands in a record; what stands there, where texts are not pages.
    #[cfg_attr(not(feature = "html"), expect(clippy::unused_self, reason = "there are no pages"))]
    pub(crate) fn of_text<'a>(&mut self, text: &'a str, reading: &Reading, room: &'a mut String) -> &'a str {
        #[cfg(feature = "html")]
        if let Some(mode) = reading.html {
            return self.extractor.get_or_insert_with(|| Extractor::new(mode)).extract(text.as_bytes(), Some("utf-8"), room);
        }
        _ = (reading, room);
        text
    }
}
