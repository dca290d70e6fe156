import { useState } from "preact/hooks";
import { PARTIALS as PARTIAL_TEXTS } from "#texts/partials.ts";
import { TEMPLATES } from "#texts/templates.ts";
import type { ReportTemplateSummary } from "../../../../../client/src/index.ts";
import { newTemplatePath, PARTIALS, REPORTS, templatePath } from "../../../../../src/platform/paths.ts";
import { IconButton } from "../../../../ui/buttons.tsx";
import { CardTable } from "../../../../ui/card-table.tsx";
import { Confirm } from "../../../../ui/dialog.tsx";
import { timeOf } from "../../../../ui/format.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert, CalmCard, Waiting } from "../../../../ui/notice.tsx";
import { useTitle } from "../../../../ui/title.ts";
import { organizations } from "../../platform/workspace.ts";
import { readTemplates } from "../read.ts";
import { deleteTemplate } from "./model.ts";

/** Whether the person may change the templates of an owner. */
export const mayChange = (organizationId: string | null): boolean =>
  organizationId === null ||
  organizations.value?.find(({ id }) => id === organizationId)?.capabilities.OrganizationView === "Write";

/** The name of a template's owner. */
const ownerOf = (organizationId: string | null): string =>
  organizationId === null
    ? TEMPLATES.you
    : (organizations.value?.find(({ id }) => id === organizationId)?.name ?? TEMPLATES.anOrganization);

function Row({ template, reload }: { template: ReportTemplateSummary; reload: () => void }) {
  const { key, displayName, organizationId, updatedAtUtc } = template;
  const [asking, setAsking] = useState(false);
  const owner = ownerOf(organizationId);
  return (
    <tr>
      <td>
        <a href={templatePath(key, organizationId)}>{displayName}</a>
        <span class="under small muted">
          <code>{key}</code>
          <span class="phone-only xs">{owner}</span>
        </span>
      </td>
      <td>{owner}</td>
      <td class="nums">
        <time dateTime={updatedAtUtc}>{timeOf(updatedAtUtc)}</time>
      </td>
      <td class="actions">
        <a
          class="btn bare icon-only"
          href={newTemplatePath(organizationId, key)}
          aria-label={TEMPLATES.copy(displayName)}
        >
          <Icon name="copy" />
        </a>
        {mayChange(organizationId) && (
          <IconButton icon="trash" label={TEMPLATES.remove(displayName)} onPress={() => setAsking(true)} />
        )}
        {asking && (
          <Confirm
            title={TEMPLATES.removeTitle}
            help={TEMPLATES.removeHelp(displayName)}
            send={TEMPLATES.removeSend}
            failed={TEMPLATES.removeFailed}
            onSend={() => deleteTemplate(template, reload)}
            onClose={() => setAsking(false)}
          />
        )}
      </td>
    </tr>
  );
}

/** The person's own templates, and the templates of their organizations. */
export function TemplatesPage() {
  const text = TEMPLATES;
  useTitle(text.title);
  const { data, error, slow, reload } = useLoaded("templates", readTemplates);
  const create = (
    <a class="btn primary" href={newTemplatePath(null)}>
      <Icon name="plus" />
      {text.create}
    </a>
  );
  return (
    <div class="page">
      <header class="page-head">
        <div class="grow">
          <p class="small">
            <a class="backlink" href={REPORTS}>
              {text.back}
            </a>
          </p>
          <h1>{text.title}</h1>
        </div>
        <a class="btn" href={PARTIALS}>
          {PARTIAL_TEXTS.link}
        </a>
        {data !== undefined && data.length > 0 && create}
      </header>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data !== undefined && data.length === 0 && (
        <CalmCard icon="report" title={text.none} help={text.noneHelp}>
          {create}
        </CalmCard>
      )}
      {data !== undefined && data.length > 0 && (
        <CardTable
          title={text.title}
          columns={[text.columns.name, text.columns.owner, text.columns.changed]}
          actions={text.columns.actions}
        >
          {data.map((template) => (
            <Row key={template.id} template={template} reload={reload} />
          ))}
        </CardTable>
      )}
    </div>
  );
}
