import { useState } from "preact/hooks";
import { MOVES, ORGANIZATIONS } from "#texts/admin.ts";
import { number, sizeOf } from "#texts/language.ts";
import { type AdministeredOrganization, dataOf } from "../../../../client/src/index.ts";
import { adminPath } from "../../../../src/platform/paths.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Check, Field, Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { say } from "../../../ui/notice.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { usePages } from "../../../ui/pages.ts";
import { address, navigate } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { Meter } from "../settings/index.ts";
import { MoveOrganization } from "./move.tsx";

const PAGE_SIZE = 50;
const GIGABYTE = 1_000_000_000;
/** Maximum number of gigabytes whose number of bytes is exact. */
const MAX_GIGABYTES = Math.floor(Number.MAX_SAFE_INTEGER / GIGABYTE);
const MAX_RETENTION_DAYS = 36_500;

/** The window that changes an organization's allowances. */
function Limits(props: { organization: AdministeredOrganization; onDone: () => void; onClose: () => void }) {
  const text = ORGANIZATIONS;
  const { id, name, entitlements } = props.organization;
  const { documentStorageBytes: bytes } = entitlements;
  const gigabytes = bytes / GIGABYTE;
  return (
    <Dialog title={text.editTitle(name)} onClose={props.onClose}>
      <Form
        send={text.save}
        failed={text.saveFailed}
        onSend={async (value) => {
          const given = Number(value("storage"));
          const body = {
            // Values that are not changed stay exact.
            documentStorageBytes: given === gigabytes ? bytes : Math.round(given * GIGABYTE),
            jobsPerMonth: Number(value("jobs")),
            maxRetentionDays: Number(value("retention")),
            cameras: value("cameras") === "on",
            externalShares: value("shares") === "on",
            baseRevision: entitlements.revision,
          };
          const params = { path: { organizationId: id } };
          await dataOf(api.PUT("/v1/orgs/{organizationId}/entitlements", { params, body }));
          say(text.saved(name));
          props.onDone();
        }}
        beside={<Cancel onClose={props.onClose} />}
      >
        <Field
          label={text.storage}
          name="storage"
          type="number"
          min={0}
          max={MAX_GIGABYTES}
          step="any"
          required
          defaultValue={gigabytes}
          help={text.storageHelp(sizeOf(entitlements.usage.usedBytes))}
        />
        <Field
          label={text.jobs}
          name="jobs"
          type="number"
          min={0}
          max={Number.MAX_SAFE_INTEGER}
          step={1}
          required
          defaultValue={entitlements.jobsPerMonth}
        />
        <Field
          label={text.retention}
          name="retention"
          type="number"
          min={1}
          max={MAX_RETENTION_DAYS}
          step={1}
          required
          defaultValue={entitlements.maxRetentionDays}
        />
        <Check label={text.cameras} name="cameras" checked={entitlements.cameras} />
        <Check label={text.shares} name="shares" checked={entitlements.externalShares} />
      </Form>
    </Dialog>
  );
}

function Row(props: { organization: AdministeredOrganization; onEdit: () => void; onMove: (() => void) | null }) {
  const { organization, onEdit, onMove } = props;
  const text = ORGANIZATIONS;
  const { name, entitlements, memberCount, locationCount, cameraCount } = organization;
  const { usage, documentStorageBytes } = entitlements;
  return (
    <li class="organization">
      <span class="grow">
        <b class="strong">{name}</b>
        <span class="small muted nums said">{text.counts(memberCount, locationCount, cameraCount)}</span>
      </span>
      <span class="use small nums">
        <span class="said">{text.used(sizeOf(usage.usedBytes), sizeOf(documentStorageBytes))}</span>
        <Meter label={text.useOf(name)} used={usage.usedBytes} all={documentStorageBytes} />
        <span class="said muted">{text.jobsUsed(number(usage.jobsThisMonth), number(entitlements.jobsPerMonth))}</span>
      </span>
      <button type="button" class="btn" aria-label={text.editOf(name)} onClick={onEdit}>
        {text.edit}
      </button>
      {onMove && (
        <button type="button" class="btn" aria-label={MOVES.moveOf(name)} onClick={onMove}>
          {MOVES.move}
        </button>
      )}
    </li>
  );
}

/** The organizations of the service, with their use and their allowances. The address contains the search. */
export function Organizations() {
  const text = ORGANIZATIONS;
  const search = address.value.searchParams.get("q") ?? "";
  const [editing, setEditing] = useState<AdministeredOrganization | null>(null);
  const [moving, setMoving] = useState<AdministeredOrganization | null>(null);
  // Without an answer nobody can move an organization here; the part with the databases shows the error.
  const databases = useLoaded("databases", () => dataOf(api.GET("/v1/admin/status"))).data?.databases ?? [];
  const canMove = databases.filter(({ hasWorkspaces }) => hasWorkspaces).length > 1;
  const pages = usePages(`organizations ${search}`, (cursor) =>
    dataOf(
      api.GET("/v1/admin/organizations", {
        params: { query: { limit: PAGE_SIZE, cursor, ...(search !== "" && { search }) } },
      }),
    ),
  );
  return (
    <>
      <search>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            const term = String(new FormData(event.currentTarget).get("q") ?? "").trim();
            navigate(`${adminPath("organizations")}${term === "" ? "" : `?${new URLSearchParams({ q: term })}`}`);
          }}
        >
          <input
            key={search}
            class="input grow"
            type="search"
            name="q"
            aria-label={text.search}
            placeholder={text.search}
            defaultValue={search}
            maxLength={200}
          />
          <button type="submit" class="btn">
            {text.find}
          </button>
        </form>
      </search>
      <section class="card" aria-labelledby="organizations-title">
        <h2 id="organizations-title" class="list-head">
          {text.title}
        </h2>
        <PagedList
          pages={pages}
          failed={text.failed}
          loading={text.loading}
          none={search === "" ? text.none : text.notFound(search)}
          row={(one) => (
            <Row
              key={one.id}
              organization={one}
              onEdit={() => setEditing(one)}
              onMove={canMove ? () => setMoving(one) : null}
            />
          )}
        />
      </section>
      {moving && <MoveOrganization organization={moving} databases={databases} onClose={() => setMoving(null)} />}
      {editing && (
        <Limits
          organization={editing}
          onDone={() => {
            setEditing(null);
            pages.reload();
          }}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}
