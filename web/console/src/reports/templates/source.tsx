import { history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { EDITING } from "../look.ts";
import type { Part } from "./model.ts";

const LANGUAGES = { layout: html, style: css, skeleton: json, text: markdown };

/** A place of a source that has an error; both numbers count from 1. */
export interface Mistake {
  part: Part;
  line: number;
  column: number;
  message: string;
}

function diagnosticOf({ doc }: EditorState, { line, column, message }: Mistake): Diagnostic {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(found.from + column - 1, found.to);
  return { from, to: found.to, severity: "error", message };
}

/** The editor of one part of a template, in a shadow root. */
export function SourceEditor(props: {
  part: Part;
  label: string;
  value: string;
  readOnly: boolean;
  mistakes: readonly Mistake[];
  onChange: (value: string) => void;
  onView: (part: Part, view: EditorView) => void;
}) {
  const { part, label, readOnly, mistakes } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const state = EditorState.create({
      doc: latest.current.value,
      extensions: [
        EDITING,
        lineNumbers(),
        lintGutter(),
        history(),
        // Escape and then Tab leave the editor.
        keymap.of([...historyKeymap, indentWithTab]),
        LANGUAGES[part](),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorState.readOnly.of(readOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString());
        }),
      ],
    });
    view.current = new EditorView({ state, parent: root, root });
    latest.current.onView(part, view.current);
    return () => view.current?.destroy();
  }, [part, label, readOnly]);
  useEffect(() => {
    const shown = view.current;
    if (shown === null) return;
    const diagnostics = mistakes.filter((one) => one.part === part).map((one) => diagnosticOf(shown.state, one));
    shown.dispatch(setDiagnostics(shown.state, diagnostics));
  }, [mistakes, part]);
  return <div ref={box} class="writing" />;
}
