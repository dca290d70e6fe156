import { useEffect, useRef, useState } from "preact/hooks";
import { TEMPLATES } from "#texts/templates.ts";
import { ProblemError } from "../../../../../client/src/index.ts";
import { Alert } from "../../../../ui/notice.tsx";
import { type Part, previewTemplate, requestOf, type Source } from "./model.ts";
import type { Mistake } from "./source.tsx";

/* What the editors of templates and of shared parts show of their sources: the page and the errors. */

/** Pause in typing after which the preview is made again. */
const REST_MS = 700;

/** The part of the template that a path in the service's errors belongs to. */
const PART_OF: Readonly<Record<string, Part>> = {
  htmlLayoutTemplate: "layout",
  cssStylesheetTemplate: "style",
  source: "layout",
};

/** The places of the sources in an error of the service. */
export function mistakesIn(error: unknown): Mistake[] {
  const errors = error instanceof ProblemError ? (error.problem?.errors ?? []) : [];
  return errors.flatMap(({ path, line, column = 1, message }) => {
    const part = PART_OF[path];
    return part === undefined || line === undefined ? [] : [{ part, line, column, message }];
  });
}

/** The preview of the current sources. It is made again after each change. */
export function usePage(source: Source, organizationId: string | null, reportId: string | null) {
  const [page, setPage] = useState<{ html: string | null; error: unknown }>({ html: null, error: null });
  const isFirst = useRef(true);
  useEffect(() => {
    let present = true;
    const wait = isFirst.current ? 0 : REST_MS;
    isFirst.current = false;
    const timer = setTimeout(async () => {
      try {
        const html = await previewTemplate(organizationId, reportId, requestOf(source));
        if (present) setPage({ html, error: null });
      } catch (error) {
        if (present) setPage((before) => ({ ...before, error }));
      }
    }, wait);
    return () => {
      present = false;
      clearTimeout(timer);
    };
  }, [source, organizationId, reportId]);
  return page;
}

/** The list of errors. Each has a button that leads to its place. */
export function Problems(props: { error: unknown; mistakes: readonly Mistake[]; onShow: (mistake: Mistake) => void }) {
  const { error, mistakes, onShow } = props;
  if (error === null) return null;
  if (error instanceof SyntaxError)
    return (
      <p class="alert" role="alert">
        {error.message}
      </p>
    );
  if (mistakes.length === 0) return <Alert title={TEMPLATES.previewFailed} error={error} />;
  return (
    <div class="alert" role="alert">
      <ul aria-label={TEMPLATES.problems}>
        {mistakes.map((mistake) => (
          <li key={`${mistake.part} ${mistake.line} ${mistake.message}`}>
            <button type="button" class="link" onClick={() => onShow(mistake)}>
              {TEMPLATES.problem(TEMPLATES.tabs[mistake.part], mistake.line, mistake.message)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
