//! The HTML file: the built page, with the data of a report.

use std::io::Write;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::DeflateEncoder};
use serde::Serialize;

/// The page as `web/` builds it: styles and program, and a content security policy that allows nothing else.
const PAGE: &str = include_str!("../page.html");

/// The mark that the data replaces.
const DATA: &str = "<!--data-->";

/// The element that the title replaces.
const TITLE: &str = "<title>lookalike</title>";

/// A report that is being written. Data is added in blocks: the page reads the first one when it opens, and the others when it
/// needs them.
#[derive(Debug, Default)]
pub struct Page {
    blocks: String,
}

impl Page {
    /// Creates a page without data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a block of data under a name, which is made of letters, digits and hyphens. Returns the number of bytes that it adds
    /// to the file.
    ///
    /// # Errors
    /// Fails if the data cannot be written as JSON.
    pub fn add(&mut self, name: &str, data: &impl Serialize) -> serde_json::Result<usize> {
        let before = self.blocks.len();
        // Base64 has no character with a meaning in HTML, so no text can end the element.
        self.blocks
            .push_str(&format!("<script type=\"text/plain\" id=\"{name}\">"));
        STANDARD.encode_string(deflated(data)?, &mut self.blocks);
        self.blocks.push_str("</script>\n");
        Ok(self.blocks.len() - before)
    }

    /// Adds the blocks of another page after the own blocks.
    pub fn append(&mut self, other: Self) {
        self.blocks.push_str(&other.blocks);
    }

    /// Returns the number of bytes of all blocks.
    pub fn size(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the HTML file. `title` is the name of the tab.
    pub fn html(&self, title: &str) -> String {
        let mut escaped = String::new();
        for c in title.chars() {
            match c {
                '&' => escaped.push_str("&amp;"),
                '<' => escaped.push_str("&lt;"),
                '>' => escaped.push_str("&gt;"),
                c => escaped.push(c),
            }
        }
        let (head, rest) = PAGE.split_once(TITLE).unwrap_or(("", PAGE));
        let (body, end) = rest.split_once(DATA).unwrap_or((rest, ""));
        let mut html = String::with_capacity(PAGE.len() + escaped.len() + self.blocks.len());
        for piece in [
            head,
            "<title>",
            &escaped,
            "</title>",
            body,
            &self.blocks,
            end,
        ] {
            html.push_str(piece);
        }
        html
    }
}

/// Returns data as JSON, compressed without a header (`deflate-raw` in browsers).
fn deflated(data: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    serde_json::to_writer(&mut encoder, data)?;
    encoder
        .flush()
        .and_then(|()| encoder.finish())
        .map_err(serde_json::Error::io)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::DeflateDecoder;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_page_has_a_place_for_its_title_and_its_data() {
        assert_eq!(PAGE.matches(TITLE).count(), 1);
        assert_eq!(PAGE.matches(DATA).count(), 1);
    }

    proptest! {
        #[test]
        fn data_is_read_back_and_ends_no_element(texts: Vec<String>, title: String) {
            let mut page = Page::new();
            let added = page.add("data", &texts).unwrap();
            prop_assert_eq!(added, page.size());
            let html = page.html(&title);
            let start = html.find("id=\"data\">").unwrap() + "id=\"data\">".len();
            let end = start + html[start..].find('<').unwrap();
            let mut json = String::new();
            DeflateDecoder::new(&*STANDARD.decode(&html[start..end]).unwrap()).read_to_string(&mut json).unwrap();
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), texts);
            prop_assert_eq!(html.matches("<script").count(), PAGE.matches("<script").count() + 1);
        }
    }
}
