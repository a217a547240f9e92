//! Decodes the bytes of a document to its text. The document is an HTML page or plain text.

#[cfg(feature = "html")]
use super::html::Extractor;
#[cfg(feature = "html")]
use crate::format::Html;
#[cfg(feature = "encodings")]
use crate::read::bytes::encoding;
use crate::read::{json::Fault, reading::Reading};

/// The buffers for decoding pages, reused for the next page.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    #[cfg(feature = "html")]
    extractor: Option<Extractor>,
}

impl Pages {
    /// Returns the text of a document. `declared` is the label of its encoding, if it has one. `scratch` receives text that must
    /// be converted.
    pub(crate) fn text<'a>(
        &mut self,
        bytes: &'a [u8],
        is_html: bool,
        declared: Option<&str>,
        reading: &Reading,
        scratch: &'a mut String,
    ) -> Result<&'a str, Fault> {
        let declared = reading.encoding.or(declared);
        if is_html {
            return self.page(bytes, declared, reading, scratch);
        }
        #[cfg(feature = "encodings")]
        {
            Ok(encoding::decode(bytes, declared, scratch).text)
        }
        #[cfg(not(feature = "encodings"))]
        {
            _ = (declared, scratch);
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
        scratch: &'a mut String,
    ) -> Result<&'a str, Fault> {
        let extractor = self
            .extractor
            .get_or_insert_with(|| Extractor::new(reading.html.unwrap_or(Html::Text)));
        Ok(extractor.extract(bytes, declared, scratch))
    }

    #[cfg(not(feature = "html"))]
    fn page<'a>(
        &mut self,
        _: &[u8],
        _: Option<&str>,
        _: &Reading,
        _: &'a mut String,
    ) -> Result<&'a str, Fault> {
        Err(Fault::record(
            "is a page, but this lookalike was built without HTML (the cargo feature `html`)",
        ))
    }

    /// Returns how many of the pages read since the last call of this method were too large to be searched for a main part.
    #[cfg_attr(
        not(feature = "html"),
        expect(clippy::unused_self, reason = "there are no pages")
    )]
    pub(crate) fn take_too_large(&mut self) -> u64 {
        #[cfg(feature = "html")]
        if let Some(extractor) = &mut self.extractor {
            return extractor.take_too_large();
        }
        0
    }

    /// Returns the text of a page in a record, or the text unchanged if texts are not HTML.
    #[cfg_attr(
        not(feature = "html"),
        expect(clippy::unused_self, reason = "there are no pages")
    )]
    pub(crate) fn of_text<'a>(
        &mut self,
        text: &'a str,
        reading: &Reading,
        scratch: &'a mut String,
    ) -> &'a str {
        #[cfg(feature = "html")]
        if let Some(mode) = reading.html {
            return self
                .extractor
                .get_or_insert_with(|| Extractor::new(mode))
                .extract(text.as_bytes(), Some("utf-8"), scratch);
        }
        _ = (reading, scratch);
        text
    }
}
