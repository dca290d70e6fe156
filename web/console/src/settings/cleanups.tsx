import { CLEANUPS } from "#texts/audit.ts";
import { sizeOf } from "#texts/language.ts";
import { dataOf } from "../../../../client/src/index.ts";
import { timeOf } from "../../../ui/format.ts";
import { PageHead } from "../../../ui/page-head.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { usePages } from "../../../ui/pages.ts";
import { api } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";

/** The receipts of cameras whose location was deleted for good. */
export function CleanupsPart() {
  const text = CLEANUPS;
  const organizationId = organization.value?.id ?? "";
  const pages = usePages(`cleanups ${organizationId}`, (cursor) =>
    dataOf(
      api.GET("/v1/orgs/{organizationId}/camera-cleanups", {
        params: { path: { organizationId }, query: { limit: 50, cursor } },
      }),
    ),
  );
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <section class="card" aria-label={text.title}>
        <PagedList
          pages={pages}
          failed={text.failed}
          loading={text.loading}
          none={text.none}
          row={(receipt) => (
            <li key={receipt.id}>
              <span class="grow">
                <b class="strong">{text.at(receipt.cameraName, receipt.locationName)}</b>
                <br />
                <span class="small">{receipt.isRetired ? text.retired : text.former}</span>
                <br />
                <span class="small muted nums">
                  {text.removed(receipt.capturesRemoved, sizeOf(receipt.bytesRemoved))} ·{" "}
                  {receipt.finishedAtUtc === null
                    ? text.running(timeOf(receipt.requestedAtUtc))
                    : text.finished(timeOf(receipt.finishedAtUtc))}
                </span>
              </span>
            </li>
          )}
        />
      </section>
    </>
  );
}
