import { useState } from "preact/hooks";
import { PARTIALS } from "#texts/partials.ts";
import type { ReportPartialSummary } from "../../../../../../client/src/index.ts";
import { newPartialPath, partialPath, TEMPLATES } from "../../../../../../src/platform/paths.ts";
import { IconButton } from "../../../../../ui/buttons.tsx";
import { CardTable } from "../../../../../ui/card-table.tsx";
import { Confirm } from "../../../../../ui/dialog.tsx";
import { timeOf } from "../../../../../ui/format.ts";
import { Icon } from "../../../../../ui/icon.tsx";
import { useLoaded } from "../../../../../ui/loading.ts";
import { Alert, CalmCard, say, Waiting } from "../../../../../ui/notice.tsx";
import { useTitle } from "../../../../../ui/title.ts";
import { organization, organizationName } from "../../../platform/workspace.ts";
import { mayChange } from "../list.tsx";
import { deletePartial, readPartials } from "./model.ts";

function Row({ partial, onRemove }: { partial: ReportPartialSummary; onRemove: () => void }) {
  const { organizationId, name, updatedAtUtc } = partial;
  return (
    <tr>
      <td>
        <a href={partialPath(name, organizationId)}>
          <code>{name}</code>
        </a>
      </td>
      <td class="nums">
        <time dateTime={updatedAtUtc}>{timeOf(updatedAtUtc)}</time>
      </td>
      <td class="actions">
        {mayChange(organizationId) && <IconButton icon="trash" label={PARTIALS.remove(name)} onPress={onRemove} />}
      </td>
    </tr>
  );
}

/** The shared parts of an organization. */
function Listed({ organizationId }: { organizationId: string }) {
  const { data, error, slow, reload } = useLoaded(organizationId, () => readPartials(organizationId));
  const [going, setGoing] = useState<ReportPartialSummary | null>(null);
  const create = mayChange(organizationId) && (
    <a class="btn primary" href={newPartialPath(organizationId)}>
      <Icon name="plus" />
      {PARTIALS.create}
    </a>
  );
  return (
    <>
      {data !== undefined && data.length > 0 && (
        <p class="row wrap">
          <span class="grow muted">{PARTIALS.about}</span>
          {create}
        </p>
      )}
      {error !== undefined && <Alert title={PARTIALS.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={PARTIALS.loading} />}
      {data !== undefined && data.length === 0 && (
        <CalmCard icon="report" title={PARTIALS.none} help={PARTIALS.noneHelp}>
          {create}
        </CalmCard>
      )}
      {data !== undefined && data.length > 0 && (
        <CardTable
          title={PARTIALS.title}
          columns={[PARTIALS.columns.name, PARTIALS.columns.changed]}
          actions={PARTIALS.columns.actions}
        >
          {data.map((partial) => (
            <Row key={partial.name} partial={partial} onRemove={() => setGoing(partial)} />
          ))}
        </CardTable>
      )}
      {going !== null && (
        <Confirm
          title={PARTIALS.removeTitle}
          help={PARTIALS.removeHelp(going.name)}
          send={PARTIALS.removeSend}
          failed={PARTIALS.removeFailed}
          onSend={async () => {
            await deletePartial(going);
            say(PARTIALS.removed(going.name));
            reload();
          }}
          onClose={() => setGoing(null)}
        />
      )}
    </>
  );
}

/** The parts that the templates of the chosen organization share. */
export function PartialsPage() {
  useTitle(PARTIALS.title);
  const chosen = organization.value;
  return (
    <div class="page">
      <header class="page-head">
        <div class="grow">
          <p class="small">
            <a class="backlink" href={TEMPLATES}>
              {PARTIALS.back}
            </a>
          </p>
          <h1>{PARTIALS.title}</h1>
          <p>{organizationName.value}</p>
        </div>
      </header>
      {chosen === null ? (
        <CalmCard icon="report" title={PARTIALS.personal} help={PARTIALS.personalHelp} />
      ) : (
        <Listed key={chosen.id} organizationId={chosen.id} />
      )}
    </div>
  );
}
