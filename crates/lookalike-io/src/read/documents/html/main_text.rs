//! The main part of a page, by legible: a port of Readability.js, Firefox's reader view. Of the extractors that were tried it finds
//! best what Readability.js finds, is the fastest, and alone stands on crates with permissive licences (bench/quality/html).
//!
//! Making a tree of a page can take time and memory that grow with the square of its length: elements in elements, formatting
//! that is opened again in each paragraph, attributes of one element. Looking for the main part in a tree takes time that grows with its
//! elements and with how deep each of them is: half a microsecond for an element and each one around it. So the same parser goes over the
//! page first, without keeping its content, a thousand bytes at a time; a page that has too much of any of these has no main part. That
//! takes a third of the time. The bounds are of the page alone, so the answer never depends on the machine. A page of 1.1 MB of elements
//! nested 400 deep took 12 s without them, and one of 50,000 `<meta>` 1.2 s.

use std::{
    borrow::Cow,
    cell::{Cell, Ref, RefCell},
};

use html5ever::{
    Attribute, ParseOpts, QualName, local_name, ns, parse_document,
    tendril::{StrTendril, TendrilSink},
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilderOpts, TreeSink},
};

use crate::quiet::quietly;

/// Longer pages have no main part: their trees take hundreds of megabytes.
const LONGEST: usize = 16 << 20;

/// Elements in elements: what browsers follow.
const DEEPEST: u32 = 512;

/// Elements and comments. The largest of 130 real pages has 9,888.
const MOST_ELEMENTS: usize = 30_000;

/// The depths of all elements together. The largest of 130 real pages has 120,183.
const MOST_STEPS: u64 = 600_000;

/// Each is compared with all before it.
const MOST_ATTRIBUTES: usize = 500;

/// Bytes that are parsed between two looks.
const PIECE: usize = 1024;

/// What was found on a page.
pub(crate) enum Main {
    /// As HTML.
    Found(String),
    /// The page has no main part.
    None,
    /// The page is too large or nested too deeply to be looked for one.
    TooLarge,
}

/// The main part of a page.
pub(crate) fn content(page: &str, most_attributes: usize) -> Main {
    if page.len() > LONGEST || most_attributes > MOST_ATTRIBUTES || !is_modest(page) {
        return Main::TooLarge;
    }
    // legible asserts what it takes for granted of a tree, and pages come that nobody has seen. All that a panic could leave half
    // done is dropped with it.
    match quietly(|| legible::parse(page, None, None)) {
        Ok(Ok(article)) => Main::Found(article.content),
        Ok(Err(_)) | Err(_) => Main::None,
    }
}

/// Whether a page's tree is one that can be worked with.
fn is_modest(page: &str) -> bool {
    // As legible parses.
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let mut parser = parse_document(Watch::default(), ParseOpts { tree_builder, ..ParseOpts::default() });
    let mut rest = page;
    while !rest.is_empty() {
        let end = (PIECE..rest.len()).find(|&end| rest.is_char_boundary(end)).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        parser.process(StrTendril::from_slice(piece));
        rest = behind;
        let watch = &parser.tokenizer.sink.sink;
        // A tag has three bytes at least; formatting that is opened again is made without one.
        let most_nodes = MOST_ELEMENTS.min(10_000 + (page.len() - rest.len()) / 2);
        if watch.deepest.get() > DEEPEST
            || watch.steps.get() > MOST_STEPS
            || watch.added.get() > MOST_ATTRIBUTES
            || watch.nodes.borrow().len() > most_nodes
        {
            return false;
        }
    }
    true
}

/// A node, as far as the parser asks for it.
struct Node {
    name: QualName,
    depth: u32,
    has_parent: bool,
    is_mathml_integration_point: bool,
}

/// A tree of which only names and depths are kept.
struct Watch {
    nodes: RefCell<Vec<Node>>,
    deepest: Cell<u32>,
    /// The sum of all depths.
    steps: Cell<u64>,
    /// Attributes that came to elements later.
    added: Cell<usize>,
}

impl Default for Watch {
    fn default() -> Self {
        let watch = Self { nodes: RefCell::default(), deepest: Cell::new(0), steps: Cell::new(0), added: Cell::new(0) };
        watch.node(QualName::new(None, ns!(), local_name!("")), false);
        watch
    }
}

impl Watch {
    fn node(&self, name: QualName, is_mathml_integration_point: bool) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node { name, depth: 0, has_parent: false, is_mathml_integration_point });
        nodes.len() - 1
    }

    /// A child comes to stand at a depth.
    fn placed(&self, child: NodeOrText<usize>, depth: u32) {
        if let NodeOrText::AppendNode(child) = child {
            let node = &mut self.nodes.borrow_mut()[child];
            (node.depth, node.has_parent) = (depth, true);
            self.deepest.set(self.deepest.get().max(depth));
            self.steps.set(self.steps.get() + u64::from(depth));
        }
    }

    fn depth(&self, node: usize) -> u32 {
        self.nodes.borrow()[node].depth
    }
}

impl TreeSink for Watch {
    type Handle = usize;
    type Output = Self;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> usize {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a usize) -> Ref<'a, QualName> {
        Ref::map(self.nodes.borrow(), |nodes| &nodes[*target].name)
    }

    fn create_element(&self, name: QualName, _: Vec<Attribute>, flags: ElementFlags) -> usize {
        self.node(name, flags.mathml_annotation_xml_integration_point)
    }

    fn create_comment(&self, _: StrTendril) -> usize {
        self.node(QualName::new(None, ns!(), local_name!("")), false)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> usize {
        self.node(QualName::new(None, ns!(), local_name!("")), false)
    }

    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        self.placed(child, self.depth(*parent) + 1);
    }

    fn append_based_on_parent_node(&self, element: &usize, before: &usize, child: NodeOrText<usize>) {
        let has_parent = self.nodes.borrow()[*element].has_parent;
        if has_parent { self.append_before_sibling(element, child) } else { self.append(before, child) }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &usize) -> usize {
        *target
    }

    fn same_node(&self, one: &usize, other: &usize) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        self.placed(child, self.depth(*sibling));
    }

    fn add_attrs_if_missing(&self, _: &usize, attributes: Vec<Attribute>) {
        // Those of a second `<body>` go to the first.
        self.added.set(self.added.get() + attributes.len());
    }

    fn remove_from_parent(&self, target: &usize) {
        self.nodes.borrow_mut()[*target].has_parent = false;
    }

    /// Those below are not followed: it takes a tag for each step that they come deeper.
    fn reparent_children(&self, _: &usize, _: &usize) {}

    fn is_mathml_annotation_xml_integration_point(&self, target: &usize) -> bool {
        self.nodes.borrow()[*target].is_mathml_integration_point
    }
}
