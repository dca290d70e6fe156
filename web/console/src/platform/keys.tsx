import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { KEYS } from "#texts/keys.ts";
import { areaAt } from "../../../../src/platform/paths.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Check } from "../../../ui/form.tsx";
import { isTyping, singleKeys } from "../../../ui/single-keys.ts";
import { address } from "./router.ts";

/** The setting for keys of one character is kept for the next visit. */
const SINGLE_KEYS = "single-keys";
singleKeys.value = localStorage.getItem(SINGLE_KEYS) !== "off";
singleKeys.subscribe((on) => localStorage.setItem(SINGLE_KEYS, on ? "on" : "off"));

const isShown = signal(false);
export const showKeys = (): void => {
  isShown.value = true;
};

const isMac = /Mac|iP/.test(navigator.platform);
/** The name of the key that commands have. */
export const COMMAND = isMac ? "⌘" : COMMON.keys.ctrl;

type Group = keyof typeof KEYS.groups;
type Line = readonly [keys: readonly string[], text: keyof typeof KEYS.lines];

const LINES: Readonly<Record<Group, readonly Line[]>> = {
  everywhere: [
    [[COMMAND, "K"], "search"],
    [["?"], "keys"],
    [[COMMON.keys.esc], "close"],
  ],
  search: [
    [["↑", "↓"], "result"],
    [["→"], "preview"],
    [[COMMON.keys.enter], "open"],
  ],
  documentList: [
    [["↑", "↓"], "beside"],
    [[COMMON.keys.shift, "↑", "↓"], "selectOn"],
    [[COMMAND, "A"], "selectAll"],
    [["M"], "move"],
    [["T"], "tag"],
    [["F2"], "renameIt"],
    [[COMMON.keys.remove], "remove"],
  ],
  documents: [[["←", "→"], "page"]],
  cameras: [[["←", "→"], "wallPage"]],
  reports: [
    [["←", "→"], "tool"],
    [[COMMAND, "Z"], "undo"],
    [isMac ? [COMMAND, COMMON.keys.shift, "Z"] : [COMMAND, "Y"], "redo"],
  ],
};
const GROUPS = Object.keys(LINES) as Group[];

/** The archive of a camera has its own list of keys. */
const isArchive = (): boolean => {
  const at = areaAt(address.peek().pathname);
  return at?.area === "cameras" && at.path.length > 0;
};

/** The list of keys, which ? opens in every view. */
export function Keys() {
  // Before the view is drawn, so that a key counts as soon as people see the view.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!singleKeys.peek() || isArchive() || isTyping(event.target)) return;
      event.preventDefault();
      showKeys();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  if (!isShown.value) return null;
  const close = () => {
    isShown.value = false;
  };
  return (
    <Dialog title={KEYS.title} onClose={close}>
      {GROUPS.map((group) => (
        <section key={group} class="key-group">
          <h3>{KEYS.groups[group]}</h3>
          <dl class="facts">
            {LINES[group].map(([keys, line]) => (
              <div key={line}>
                <dt>{KEYS.lines[line]}</dt>
                <dd>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p class="small muted">{KEYS.archive}</p>
      <div class="row wrap">
        <div class="grow">
          <Check
            label={KEYS.single}
            checked={singleKeys.value}
            onChange={(on) => {
              singleKeys.value = on;
            }}
          />
        </div>
        <button type="button" class="btn" onClick={close}>
          {COMMON.close}
        </button>
      </div>
    </Dialog>
  );
}
