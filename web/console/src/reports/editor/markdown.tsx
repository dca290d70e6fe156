import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { yCollab, yUndoManagerKeymap } from "y-codemirror.next";
import { EDITOR } from "#texts/reports.ts";
import { EDITING } from "../look.ts";
import { cursorsOf } from "./cursors.ts";
import type { Room } from "./room.ts";

/** The main text of a draft, in a shadow root: CodeMirror adds its styles there, as the page's policy requires. */
export function Markdown({ room, onView }: { room: Room; onView: (view: EditorView | null) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const text = room.body.value;
  const readOnly = room.readOnly.value;
  useEffect(() => {
    const { awareness } = room;
    const element = box.current;
    if (element === null || text === null || awareness === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const state = EditorState.create({
      doc: text.toString(),
      extensions: [
        EDITING,
        keymap.of(yUndoManagerKeymap),
        markdown({ base: markdownLanguage }),
        EditorView.contentAttributes.of({ "aria-label": EDITOR.textOf, spellcheck: "true", tabindex: "0" }),
        EditorState.readOnly.of(readOnly),
        yCollab(text, null),
        cursorsOf(text, awareness),
      ],
    });
    const view = new EditorView({ state, parent: root, root });
    onView(view);
    return () => {
      onView(null);
      view.destroy();
    };
  }, [room, text, readOnly]);
  return <div ref={box} class="writing" />;
}
