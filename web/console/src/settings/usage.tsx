import { Fragment } from "preact";
import { number, sizeOf } from "#texts/language.ts";
import { USAGE } from "#texts/settings.ts";
import { dataOf, type StorageUse } from "../../../../client/src/index.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { percentOf } from "../cameras/index.ts";
import { roleShares } from "../people/index.ts";
import { api } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";

/** The used share of a limit. */
export function Meter({ label, used, all }: { label: string; used: number; all: number }) {
  return <meter aria-label={label} min={0} max={Math.max(all, 1)} high={all * 0.9} value={Math.min(used, all)} />;
}

type Kind = keyof StorageUse["kinds"];

/** The stored bytes by kind, and the time at which the cameras reach the limit. */
function Use({ use }: { use: StorageUse }) {
  const text = USAGE;
  const { kinds, forecast, limitBytes } = use;
  const { cameraCount, neededBytes, bytesPerDay, daysUntilFull } = forecast;
  return (
    <>
      <section class="card pad stack">
        <h2>{text.kinds}</h2>
        <dl class="pairs nums">
          {(Object.keys(text.kindNames) as Kind[]).map((kind) => (
            <Fragment key={kind}>
              <dt>{text.kindNames[kind]}</dt>
              <dd>{sizeOf(kinds[kind])}</dd>
            </Fragment>
          ))}
        </dl>
        <p class="small muted">{text.exportsHelp}</p>
      </section>
      <section class="card pad stack">
        <h2>{text.forecast}</h2>
        {cameraCount === 0 ? (
          <p>{text.forecastNone}</p>
        ) : (
          <>
            <p class="strong">{daysUntilFull === null ? text.forecastEnough : text.forecastFull(daysUntilFull)}</p>
            <p class="nums">{text.forecastCameras(cameraCount, sizeOf(bytesPerDay))}</p>
            <p class="nums">{text.forecastNeeds(sizeOf(neededBytes), percentOf(neededBytes, limitBytes))}</p>
            <p class="small muted">{text.forecastHelp}</p>
          </>
        )}
      </section>
    </>
  );
}

/** The limits of the organization and their use. Owners and admins see the use by kind, with a forecast. */
export function UsagePart() {
  const text = USAGE;
  const organizationId = organization.value?.id ?? "";
  const { data, error, slow, reload } = useLoaded(`usage ${organizationId}`, () =>
    dataOf(api.GET("/v1/orgs/{organizationId}/entitlements", { params: { path: { organizationId } } })),
  );
  const manages = roleShares(organization.value);
  const use = useLoaded(`storage ${organizationId} ${manages}`, async () =>
    manages ? dataOf(api.GET("/v1/orgs/{organizationId}/storage", { params: { path: { organizationId } } })) : null,
  );
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data && (
        <div class="usage">
          <section class="card pad stack">
            <h2>{text.storage}</h2>
            <p class="nums">{text.used(sizeOf(data.usage.usedBytes), sizeOf(data.documentStorageBytes))}</p>
            <Meter label={text.storage} used={data.usage.usedBytes} all={data.documentStorageBytes} />
            {data.usage.reservedBytes > 0 && (
              <p class="small muted nums">{text.reserved(sizeOf(data.usage.reservedBytes))}</p>
            )}
          </section>
          {use.error !== undefined && <Alert title={text.useFailed} error={use.error} onRetry={use.reload} />}
          {use.data && <Use use={use.data} />}
          <section class="card pad stack">
            <h2>{text.jobs}</h2>
            <p class="nums">{text.jobsUsed(number(data.usage.jobsThisMonth), number(data.jobsPerMonth))}</p>
            <Meter label={text.jobs} used={data.usage.jobsThisMonth} all={data.jobsPerMonth} />
            <p class="small muted">{text.jobsHelp}</p>
          </section>
          <section class="card pad stack">
            <h2>{text.allowed}</h2>
            <dl class="pairs nums">
              <dt>{text.cameras}</dt>
              <dd>{data.cameras ? text.yes : text.no}</dd>
              <dt>{text.shares}</dt>
              <dd>{data.externalShares ? text.yes : text.no}</dd>
              <dt>{text.retention}</dt>
              <dd>{text.days(data.maxRetentionDays)}</dd>
            </dl>
            <p class="small muted">{text.change}</p>
          </section>
        </div>
      )}
    </>
  );
}
