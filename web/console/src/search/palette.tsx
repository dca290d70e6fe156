import "./search.css";
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { SEARCH } from "#texts/search.ts";
import type { SearchResponse } from "../../../../client/src/index.ts";
import { searchPath } from "../../../../src/platform/paths.ts";
import { keepFocus, useClose } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useSlow } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { navigate } from "../platform/router.ts";
import { session } from "../platform/session.ts";
import { search, TYPING_RESTS_MS } from "./asked.ts";
import { HitBody, iconOf, movedBy } from "./hits.tsx";
import { linesOf, openLine } from "./lines.ts";
import { useSuggestions } from "./suggestions.ts";

const isOpen = signal(false);
/** Maximum number of results in the palette. The search page shows all of them. */
const SHOWN_RESULTS = 8;

export const openPalette = (): void => {
  isOpen.value = true;
};

addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k" || session.peek() === null) return;
  event.preventDefault();
  isOpen.value = !isOpen.peek();
});

interface Found {
  term: string;
  response: SearchResponse | null;
  error: unknown;
}
const NOTHING: Found = { term: "", response: null, error: null };

/** The first results, after a pause in typing. */
function useFound(term: string): Found {
  const [found, setFound] = useState<Found>(NOTHING);
  useEffect(() => {
    if (term === "") return setFound(NOTHING);
    const stop = new AbortController();
    const { signal } = stop;
    const timer = setTimeout(() => {
      search({ term, kind: null, place: "", asTyped: false }, { limit: SHOWN_RESULTS }, signal).then(
        (response) => !signal.aborted && setFound({ term, response, error: null }),
        (error) => !signal.aborted && setFound({ term, response: null, error }),
      );
    }, TYPING_RESTS_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [term]);
  return found;
}

/** The search over every view: suggestions and results in one list, controlled by the keyboard. */
export function Palette() {
  return isOpen.value ? <OpenPalette /> : null;
}

const Searching = () => (useSlow() ? <Waiting text={SEARCH.loading} /> : null);

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const term = typed.trim();
  const { term: foundTerm, response, error } = useFound(term);
  const suggestions = useSuggestions(term);
  const hits = response?.results ?? [];
  const close = () => {
    isOpen.value = false;
  };
  const handlers = useClose(close);
  useEffect(() => {
    const box = dialog.current;
    if (box === null) return;
    const giveBack = keepFocus();
    box.showModal();
    // A click beside the dialog reaches the dialog itself, because its content covers it.
    const onClick = (event: Event) => event.target === box && close();
    box.addEventListener("click", onClick);
    return () => {
      box.removeEventListener("click", onClick);
      giveBack();
    };
  }, []);

  /** The action of each row, in the order of the list. */
  const actions: (() => void)[] =
    term === ""
      ? []
      : [
          () => navigate(searchPath(term)),
          ...suggestions.map(
            ({ text }) =>
              () =>
                navigate(searchPath(text)),
          ),
          ...hits.map((hit) => () => response && openLine(linesOf(response.searchId, hit)[0])),
        ];
  const chosen = Math.min(at, Math.max(actions.length - 1, 0));
  const run = (n: number) => {
    close();
    actions[n]?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const next = movedBy(event.key, chosen, actions.length);
    if (next !== null) setAt(next);
    else if (event.key === "Enter" && actions.length > 0) run(chosen);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`row-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const row = (n: number) => ({
    id: `row-${n}`,
    role: "option" as const,
    "aria-selected": n === chosen,
    onClick: () => run(n),
  });

  return (
    <dialog ref={dialog} class="palette" aria-label={SEARCH.label} {...handlers}>
      <input
        type="text"
        role="combobox"
        aria-label={SEARCH.label}
        aria-expanded={actions.length > 0}
        aria-controls="rows"
        aria-autocomplete="list"
        aria-activedescendant={actions.length > 0 ? `row-${chosen}` : undefined}
        placeholder={SEARCH.placeholder}
        autocomplete="off"
        maxLength={400}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {term === "" && <p class="pad small muted">{SEARCH.emptyHelp}</p>}
      {error !== null && <Alert title={SEARCH.failed} error={error} />}
      {term !== "" && response === null && error === null && <Searching />}
      <div id="rows" role="listbox" aria-label={SEARCH.results} aria-busy={foundTerm !== term} hidden={term === ""}>
        {term !== "" && (
          <div {...row(0)} class="hit one">
            <Icon name="search" />
            <span class="title cut">{SEARCH.all(term)}</span>
          </div>
        )}
        {suggestions.map(({ text, resultType }, n) => (
          <div key={text} {...row(1 + n)} class="hit one">
            <Icon name={iconOf(resultType)} />
            <span class="cut">{text}</span>
          </div>
        ))}
        {hits.map((hit, n) => (
          <div key={hit.resultId} {...row(1 + suggestions.length + n)} class="hit">
            <HitBody hit={hit} />
          </div>
        ))}
      </div>
      <p class={response && hits.length === 0 ? "pad small muted" : "sr"} role="status">
        {response && (hits.length === 0 ? SEARCH.nothing(foundTerm) : SEARCH.found(response.total))}
      </p>
      <footer class="phone-hide">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {SEARCH.keys.move}
        </span>
        <span>
          <kbd>{COMMON.keys.enter}</kbd> {SEARCH.keys.open}
        </span>
        <span>
          <kbd>{COMMON.keys.esc}</kbd> {SEARCH.keys.close}
        </span>
      </footer>
    </dialog>
  );
}
