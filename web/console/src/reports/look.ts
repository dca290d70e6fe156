import { defaultKeymap } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The style of text in every editor: the console's colours, which a shadow root inherits. */
const LOOK = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--text)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "14px", lineHeight: "1.7" },
  ".cm-content": { padding: "24px 24px 48px", caretColor: "var(--text)" },
  ".cm-line": { padding: "0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  // The editor writes the name of the animation into the element.
  "@media (prefers-reduced-motion: reduce)": { ".cm-cursorLayer": { animation: "none !important" } },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  ".cm-gutters": { backgroundColor: "var(--bg)", color: "var(--text-3)", borderRight: "1px solid var(--line)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line-strong)" },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "700" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.processingInstruction, tags.meta, tags.contentSeparator], color: "var(--accent)" },
  { tag: [tags.link, tags.url, tags.tagName, tags.keyword, tags.propertyName], color: "var(--accent)" },
  { tag: [tags.string, tags.attributeValue, tags.number, tags.bool], color: "var(--good)" },
  { tag: [tags.comment], color: "var(--text-3)" },
  { tag: [tags.attributeName, tags.monospace], color: "var(--text-2)" },
]);

/** The extensions of every editor. */
export const EDITING = [
  LOOK,
  syntaxHighlighting(COLOURS),
  EditorView.lineWrapping,
  drawSelection(),
  keymap.of(defaultKeymap),
];
