import { Annotation, type Range, RangeSet } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import type { Awareness } from "y-protocols/awareness";
import * as Y from "yjs";
import { groundOf } from "./room.ts";

/*
 * The cursors of other people. y-codemirror.next has such an extension, but it writes style attributes, which the
 * page's policy forbids. The form of the cursor in the presence is the same.
 */

const moved = Annotation.define<boolean>();

class Caret extends WidgetType {
  constructor(
    readonly name: string,
    readonly color: string,
  ) {
    super();
  }

  override eq(other: Caret): boolean {
    return other.name === this.name && other.color === this.color;
  }

  override toDOM(): HTMLElement {
    const caret = document.createElement("span");
    caret.className = "cm-caret";
    caret.style.borderColor = this.color;
    const label = document.createElement("span");
    label.className = "cm-caret-name";
    label.style.backgroundColor = groundOf(this.color);
    label.textContent = this.name;
    // A zero-width character keeps the height of the line.
    caret.append("\u2060", label);
    return caret;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const COLOR = /^#[0-9a-f]{6}$/;

/** Classes for the selections of others: one rule for each colour, in a sheet of the editor's shadow root. */
class Paint {
  readonly #sheet = new CSSStyleSheet();
  readonly #known = new Set<string>();

  constructor(root: DocumentOrShadowRoot) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, this.#sheet];
  }

  classOf(color: string): string {
    const name = `selected-${color.slice(1)}`;
    if (!this.#known.has(color)) {
      this.#known.add(color);
      this.#sheet.insertRule(`.${name} { background-color: ${color}33; }`);
    }
    return name;
  }
}

/** Shows the cursors and selections of others in a text, and sends this person's own. */
export function cursorsOf(text: Y.Text, awareness: Awareness) {
  const positionOf = (json: unknown): number | null => {
    if (typeof json !== "object" || json === null || text.doc === null) return null;
    const relative = Y.createRelativePositionFromJSON(json);
    const absolute = Y.createAbsolutePositionFromRelativePosition(relative, text.doc);
    return absolute?.type === text ? absolute.index : null;
  };
  const plugin = ViewPlugin.define(
    (view) => {
      const paint = new Paint(view.root);
      const onChange = ({ added, updated, removed }: Record<"added" | "updated" | "removed", number[]>) => {
        if ([...added, ...updated, ...removed].some((id) => id !== awareness.clientID))
          view.dispatch({ annotations: moved.of(true) });
      };
      awareness.on("change", onChange);
      const tellOwn = (state: EditorView["state"]) => {
        const { anchor, head } = state.selection.main;
        const cursor = {
          anchor: Y.createRelativePositionFromTypeIndex(text, anchor),
          head: Y.createRelativePositionFromTypeIndex(text, head),
        };
        const before = awareness.getLocalState()?.cursor;
        if (JSON.stringify(before) !== JSON.stringify(cursor)) awareness.setLocalStateField("cursor", cursor);
      };
      const draw = (length: number): DecorationSet => {
        const ranges: Range<Decoration>[] = [];
        for (const [clientId, { cursor, user }] of awareness.getStates()) {
          if (clientId === awareness.clientID || !COLOR.test(user?.color)) continue;
          const [anchor, head] = [positionOf(cursor?.anchor), positionOf(cursor?.head)];
          if (anchor === null || head === null || Math.max(anchor, head) > length) continue;
          const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)];
          if (from < to) ranges.push(Decoration.mark({ class: paint.classOf(user.color) }).range(from, to));
          const widget = new Caret(String(user.name), user.color);
          ranges.push(Decoration.widget({ widget, side: head > anchor ? -1 : 1 }).range(head));
        }
        return ranges.length === 0 ? RangeSet.empty : Decoration.set(ranges, true);
      };
      return {
        decorations: draw(view.state.doc.length),
        update(update: ViewUpdate) {
          if (update.view.hasFocus && (update.selectionSet || update.docChanged || update.focusChanged))
            tellOwn(update.state);
          const isMoved = update.transactions.some((one) => one.annotation(moved) === true);
          if (isMoved || update.docChanged) this.decorations = draw(update.state.doc.length);
        },
        destroy() {
          awareness.off("change", onChange);
        },
      };
    },
    { decorations: (value) => value.decorations },
  );
  const theme = EditorView.baseTheme({
    ".cm-caret": { position: "relative", borderLeft: "2px solid", marginLeft: "-1px", marginRight: "-1px" },
    ".cm-caret-name": {
      position: "absolute",
      left: "-2px",
      bottom: "1.35em",
      padding: "0 6px",
      borderRadius: "4px 4px 4px 0",
      color: "#fff",
      font: "600 11px/18px var(--font)",
      whiteSpace: "nowrap",
      pointerEvents: "none",
      zIndex: "5",
    },
  });
  return [plugin, theme];
}
