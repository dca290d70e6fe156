import type { EditorView } from "@codemirror/view";
import { EDITOR } from "#texts/reports.ts";

/* The edits of the toolbar's buttons. Each can be undone in one step. */

/** Adds a mark on both sides of the selection, or removes it. */
export function toggleMark(view: EditorView, mark: string): void {
  const { from, to } = view.state.selection.main;
  const { doc } = view.state;
  const n = mark.length;
  const isMarked = doc.sliceString(from - n, from) === mark && doc.sliceString(to, to + n) === mark;
  view.dispatch({
    changes: isMarked
      ? [
          { from: from - n, to: from },
          { from: to, to: to + n },
        ]
      : [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
    selection: isMarked ? { anchor: from - n, head: to - n } : { anchor: from + n, head: to + n },
    userEvent: "input",
  });
  view.focus();
}

/** Adds a prefix at the start of each selected line, or removes it if every line has it. */
export function toggleLines(view: EditorView, prefix: string): void {
  const { doc, selection } = view.state;
  const { from, to } = selection.main;
  const lines = [];
  for (let n = doc.lineAt(from).number; n <= doc.lineAt(to).number; n++) lines.push(doc.line(n));
  const all = lines.every(({ text }) => text.startsWith(prefix));
  const open = lines.filter(({ text }) => all || !text.startsWith(prefix));
  view.dispatch({
    changes: open.map((line) =>
      all ? { from: line.from, to: line.from + prefix.length } : { from: line.from, insert: prefix },
    ),
    userEvent: "input",
  });
  view.focus();
}

/** Inserts a block on separate lines, after the line of the cursor. */
export function insertBlock(view: EditorView, block: string): void {
  const line = view.state.doc.lineAt(view.state.selection.main.head);
  const before = line.text.trim() === "" ? "" : "\n\n";
  const insert = `${before}${block}`;
  view.dispatch({
    changes: { from: line.to, insert },
    selection: { anchor: line.to + insert.length },
    userEvent: "input",
    scrollIntoView: true,
  });
  view.focus();
}

export const insertTable = (view: EditorView): void => insertBlock(view, EDITOR.tableText);

/** Number of characters of a quoted text to search for. Longer texts can contain marks of markdown. */
const MIN_QUOTE_CHARACTERS = 3;

/** The position of a quoted text in markdown, or else of its longest beginning that occurs. */
export function findIn(text: string, quoted: string): { from: number; to: number } | null {
  for (let length = quoted.length; length >= MIN_QUOTE_CHARACTERS; length = Math.floor(length / 2)) {
    const from = text.indexOf(quoted.slice(0, length));
    if (from !== -1) return { from, to: from + length };
  }
  return null;
}
