import { useMemo } from "preact/hooks";
import { TEMPLATES } from "#texts/templates.ts";
import { warningsIn } from "../preview.tsx";

/** The warnings of a preview: what it shows in another way than its template says. */
export function PageWarnings({ html }: { html: string }) {
  const warnings = useMemo(() => warningsIn(html), [html]);
  if (warnings.length === 0) return null;
  return (
    <details class="page-warnings small" open>
      <summary>{TEMPLATES.warnings(warnings.length)}</summary>
      <ul aria-label={TEMPLATES.warnings(warnings.length)}>
        {warnings.map(({ at, detail }) => (
          <li key={at + detail}>
            <b class="strong">{at}</b>
            <br />
            {detail}
          </li>
        ))}
      </ul>
    </details>
  );
}
