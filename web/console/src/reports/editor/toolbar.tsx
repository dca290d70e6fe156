import type { EditorView } from "@codemirror/view";
import { useRef, useState } from "preact/hooks";
import { EDITOR } from "#texts/reports.ts";
import { stepOf } from "../../../../ui/direction.ts";
import { Icon, type IconName } from "../../../../ui/icon.tsx";
import { insertBlock, insertTable, toggleLines, toggleMark } from "./format.ts";
import { PicturePicker } from "./picker.tsx";
import { markdownOf } from "./picture.ts";

interface Tool {
  icon: IconName;
  label: string;
  use: (view: EditorView) => void;
}

const TOOLS: readonly Tool[] = [
  { icon: "heading", label: EDITOR.heading, use: (view) => toggleLines(view, "## ") },
  { icon: "bold", label: EDITOR.bold, use: (view) => toggleMark(view, "**") },
  { icon: "italic", label: EDITOR.italic, use: (view) => toggleMark(view, "_") },
  { icon: "list", label: EDITOR.list, use: (view) => toggleLines(view, "- ") },
  { icon: "table", label: EDITOR.table, use: insertTable },
];

/** The buttons above a text. Arrow keys move between them, and Tab leaves them. */
export function Toolbar({ view, locationId }: { view: EditorView; locationId: string | null }) {
  const [picking, setPicking] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key);
    if (step === null || bar.current === null || picking) return;
    const buttons = [...bar.current.querySelectorAll("button")];
    const at = buttons.findIndex((button) => button.matches(":focus"));
    const next = buttons[(at + step + buttons.length) % buttons.length];
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next?.focus();
    event.preventDefault();
  };
  return (
    <div ref={bar} class="toolbar" role="toolbar" aria-label={EDITOR.toolbar} onKeyDown={onKeyDown}>
      {TOOLS.map(({ icon, label, use }, n) => (
        <button
          key={icon}
          type="button"
          class="btn bare icon-only"
          aria-label={label}
          title={label}
          tabIndex={n === 0 ? 0 : -1}
          onClick={() => use(view)}
        >
          <Icon name={icon} />
        </button>
      ))}
      {locationId !== null && (
        <button
          type="button"
          class="btn bare icon-only"
          aria-label={EDITOR.picture}
          title={EDITOR.picture}
          tabIndex={-1}
          onClick={() => setPicking(true)}
        >
          <Icon name="image" />
        </button>
      )}
      {picking && locationId !== null && (
        <PicturePicker
          locationId={locationId}
          inText
          onPick={(picture, width) => insertBlock(view, markdownOf(picture, width))}
          onClose={() => setPicking(false)}
        />
      )}
    </div>
  );
}
