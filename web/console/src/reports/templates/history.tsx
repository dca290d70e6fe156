import { COMMON } from "#texts/common.ts";
import { TEMPLATES } from "#texts/templates.ts";
import type { ReportTemplate, ReportTemplateRevisionSummary } from "../../../../../client/src/index.ts";
import { templatePath } from "../../../../../src/platform/paths.ts";
import { Dialog } from "../../../../ui/dialog.tsx";
import { timeOf } from "../../../../ui/format.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert, Waiting } from "../../../../ui/notice.tsx";
import { readRevisions } from "./model.ts";

/** The address of a revision of a template; the present one has the address of the template. */
export function revisionPath({ key, organizationId }: ReportTemplate, revision: number | null): string {
  const query = new URLSearchParams({
    ...(organizationId !== null && { organizationId }),
    ...(revision !== null && { revision: String(revision) }),
  });
  return `${templatePath(key, null)}?${query}`;
}

/** Who saved a revision, and when. */
export const savedAt = ({
  savedAtUtc,
  savedByName,
}: Pick<ReportTemplateRevisionSummary, "savedAtUtc" | "savedByName">) =>
  TEMPLATES.savedAt(timeOf(savedAtUtc), savedByName);

/** The window with the revisions of a template. `inOtherTab`: the tab has changes that are not saved. */
export function History(props: { template: ReportTemplate; shown: number; inOtherTab: boolean; onClose: () => void }) {
  const { template, shown, inOtherTab, onClose } = props;
  const { data, error, slow, reload } = useLoaded(`revisions ${template.id} ${template.revision}`, () =>
    readRevisions(template.id),
  );
  return (
    <Dialog title={TEMPLATES.historyTitle} onClose={onClose}>
      <div class="stack">
        <p class="help">{TEMPLATES.historyHelp}</p>
        {error !== undefined && <Alert title={TEMPLATES.historyFailed} error={error} onRetry={reload} />}
        {slow && data === undefined && <Waiting text={TEMPLATES.historyLoading} />}
        {data !== undefined && (
          <ul class="list">
            {data.map((one) => (
              <li key={one.revision}>
                <span class="grow cutwords">
                  <a
                    href={revisionPath(template, one.isCurrent ? null : one.revision)}
                    aria-current={one.revision === shown ? "true" : undefined}
                    {...(inOtherTab && { target: "_blank" })}
                    onClick={onClose}
                  >
                    {TEMPLATES.revision(one.revision)}
                  </a>
                  {one.isCurrent && ` · ${TEMPLATES.present}`}
                  <br />
                  <span class="small muted nums">
                    {savedAt(one)} · {one.displayName}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        )}
        <p>
          <button type="button" class="btn" onClick={onClose}>
            {COMMON.close}
          </button>
        </p>
      </div>
    </Dialog>
  );
}
