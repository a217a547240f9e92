//! Uses the crate `legible` to find the main part of a page. The crate is a port of Readability.js, which is Firefox's reader
//! view. Among the extractors that we tried, `legible` agrees best with Readability.js and is the fastest. It is also the only
//! one whose dependencies all have permissive licences (bench/quality/html).
//!
//! Building the tree of a page can take time and memory quadratic in the page's length. This happens with nested elements, with
//! formatting that is reopened in each paragraph, and with many attributes of one element. Searching a tree for the main part
//! takes time proportional to the number of its elements and their depths: half a microsecond for each element and for each of
//! its ancestors. So before the tree is built, the page is passed through the same HTML parser that later builds the tree, a
//! thousand bytes at a time and without keeping its content. A page that exceeds any of the bounds below has no main part. This
//! check takes a third of the time of extracting the main text. The bounds depend on the page alone, so the answer never depends
//! on the machine. Without them, a page of 1.1 MB with elements nested 400 deep took 12 s, and a page with 50,000 `<meta>`
//! elements took 1.2 s.

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

/// A page that is longer than this has no main part, because its tree would take hundreds of megabytes.
const LONGEST: usize = 16 << 20;

/// The maximum nesting of elements. Browsers have the same limit.
const DEEPEST: u32 = 512;

/// The maximum number of elements and comments. The largest of 130 real pages has 9,888.
const MOST_ELEMENTS: usize = 30_000;

/// The maximum sum of the depths of all elements. The largest of 130 real pages has 120,183.
const MOST_STEPS: u64 = 600_000;

/// The maximum number of attributes. Each attribute is compared with all attributes before it.
const MOST_ATTRIBUTES: usize = 500;

/// The number of bytes that are parsed between two checks of the bounds.
const PIECE: usize = 1024;

/// The result of the search for the main part.
pub(crate) enum Main {
    /// The main part, as HTML.
    Found(String),
    /// The page has no main part.
    None,
    /// The page is too large or too deeply nested to be searched.
    TooLarge,
}

/// Returns the main part of a page.
pub(crate) fn content(page: &str, most_attributes: usize) -> Main {
    if page.len() > LONGEST || most_attributes > MOST_ATTRIBUTES || !is_modest(page) {
        return Main::TooLarge;
    }
    // The crate `legible` makes assumptions about a tree, and panics on pages for which these assumptions do not hold. A panic
    // may leave data of the crate incomplete, but that data is dropped with the panic.
    match quietly(|| legible::parse(page, None, None)) {
        Ok(Ok(article)) => Main::Found(article.content),
        Ok(Err(_)) | Err(_) => Main::None,
    }
}

/// Returns whether the tree of a page is small enough.
fn is_modest(page: &str) -> bool {
    // The crate `legible` sets this option to the same value when it parses a page.
    let tree_builder = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let mut parser = parse_document(
        Watch::default(),
        ParseOpts {
            tree_builder,
            ..ParseOpts::default()
        },
    );
    let mut rest = page;
    while !rest.is_empty() {
        let end = (PIECE..rest.len())
            .find(|&end| rest.is_char_boundary(end))
            .unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        parser.process(StrTendril::from_slice(piece));
        rest = after;
        let watch = &parser.tokenizer.sink.sink;
        // A tag has at least three bytes. If there are many more nodes than tags that could fit in the processed part of the
        // page, the parser has reopened formatting elements without a tag.
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

/// The properties of a node that the parser asks for.
struct Node {
    name: QualName,
    depth: u32,
    has_parent: bool,
    is_mathml_integration_point: bool,
}

/// A tree that keeps only names and depths.
struct Watch {
    nodes: RefCell<Vec<Node>>,
    deepest: Cell<u32>,
    /// The sum of all depths.
    steps: Cell<u64>,
    /// The number of attributes that were added to elements after their creation.
    added: Cell<usize>,
}

impl Default for Watch {
    fn default() -> Self {
        let watch = Self {
            nodes: RefCell::default(),
            deepest: Cell::new(0),
            steps: Cell::new(0),
            added: Cell::new(0),
        };
        watch.node(QualName::new(None, ns!(), local_name!("")), false);
        watch
    }
}

impl Watch {
    fn node(&self, name: QualName, is_mathml_integration_point: bool) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            name,
            depth: 0,
            has_parent: false,
            is_mathml_integration_point,
        });
        nodes.len() - 1
    }

    /// Notes that a child has been inserted at a depth.
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

    fn append_based_on_parent_node(
        &self,
        element: &usize,
        before: &usize,
        child: NodeOrText<usize>,
    ) {
        let has_parent = self.nodes.borrow()[*element].has_parent;
        if has_parent {
            self.append_before_sibling(element, child)
        } else {
            self.append(before, child)
        }
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
        // The attributes of a second `<body>` are added to the first.
        self.added.set(self.added.get() + attributes.len());
    }

    fn remove_from_parent(&self, target: &usize) {
        self.nodes.borrow_mut()[*target].has_parent = false;
    }

    /// The depths of the descendants are not updated. This is acceptable: to move the descendants down by another level, a page
    /// must contain another tag.
    fn reparent_children(&self, _: &usize, _: &usize) {}

    fn is_mathml_annotation_xml_integration_point(&self, target: &usize) -> bool {
        self.nodes.borrow()[*target].is_mathml_integration_point
    }
}
