import { useState } from "preact/hooks";
import { list } from "#texts/language.ts";
import { NEW_REPORT } from "#texts/reports.ts";
import { dataOf, type Location, type ReportTemplateSummary } from "../../../../client/src/index.ts";
import { reportPath } from "../../../../src/platform/paths.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Choice, Field, Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { recentLocationId } from "../platform/recent.ts";
import { navigate } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { humanName, valueAt } from "./json.ts";
import { readTemplate, readTemplates } from "./read.ts";

/** Number of characters of a template's first text that are shown. */
const MAX_SAMPLE_CHARACTERS = 240;

/** The fields of a template and the beginning of its text. */
function Sample({ template }: { template: ReportTemplateSummary }) {
  const { data, error, reload } = useLoaded(template.id, () => readTemplate(template));
  if (error !== undefined) return <Alert title={NEW_REPORT.sampleFailed} error={error} onRetry={reload} />;
  if (data === undefined) return <p class="sample small muted">{NEW_REPORT.sampleLoading}</p>;
  const { contentTemplateJson, bodyFieldPath } = data;
  const body = bodyFieldPath === null ? "" : String(valueAt(contentTemplateJson, bodyFieldPath) ?? "");
  const fields = Object.keys(contentTemplateJson).filter((key) => key !== bodyFieldPath?.split(".")[0]);
  return (
    <dl class="sample small">
      {fields.length > 0 && (
        <>
          <dt>{NEW_REPORT.fields}</dt>
          <dd>{list(fields.map(humanName))}</dd>
        </>
      )}
      {body.trim() !== "" && (
        <>
          <dt>{NEW_REPORT.text}</dt>
          <dd class="lines">{body.trim().slice(0, MAX_SAMPLE_CHARACTERS)}</dd>
        </>
      )}
    </dl>
  );
}

/** The templates that a report of a location can have. */
const fitting = (templates: readonly ReportTemplateSummary[], location: Location | undefined) =>
  templates.filter(
    ({ organizationId }) => organizationId === null || organizationId === (location?.organizationId ?? null),
  );

/** The window that creates a report at one of these locations: at first, the location that the person saw last. */
export function CreateReport({ locations, onClose }: { locations: readonly Location[]; onClose: () => void }) {
  const text = NEW_REPORT;
  const { data, error, slow, reload } = useLoaded("templates", readTemplates);
  const [locationId, setLocationId] = useState(() => recentLocationId(locations));
  const [chosenId, setChosenId] = useState("");
  const location = locations.find(({ id }) => id === locationId);
  const templates = fitting(data ?? [], location);
  const chosen = templates.find(({ id }) => id === chosenId) ?? templates[0];
  const create = async (value: (name: string) => string) => {
    if (chosen === undefined) return;
    const title = value("title").trim();
    const body = { templateId: chosen.id, ...(title !== "" && { title }) };
    const params = { path: { locationId } };
    const made = await dataOf(api.POST("/v1/reports/locations/{locationId}", { params, body }));
    onClose();
    navigate(reportPath(made.id));
  };
  if (error !== undefined)
    return (
      <Dialog title={text.title} onClose={onClose}>
        <Alert title={text.templatesFailed} error={error} onRetry={reload} />
      </Dialog>
    );
  if (data === undefined)
    return (
      <Dialog title={text.title} onClose={onClose}>
        {slow && <Waiting text={text.templatesLoading} />}
      </Dialog>
    );
  return (
    <Dialog title={text.title} onClose={onClose}>
      <Form send={text.send} failed={text.failed} onSend={create} beside={<Cancel onClose={onClose} />}>
        {locations.length > 1 && (
          <Choice
            label={text.location}
            name="location"
            options={locations.map(({ id, name }) => ({ value: id, label: name }))}
            value={locationId}
            onChange={setLocationId}
          />
        )}
        {chosen === undefined ? (
          <p class="muted">{text.noTemplates}</p>
        ) : (
          <fieldset class="choices">
            <legend class="label">{text.template}</legend>
            {templates.map((template) => (
              <label key={template.id} class="choice">
                <input
                  type="radio"
                  name="template"
                  value={template.id}
                  checked={template.id === chosen.id}
                  onChange={() => setChosenId(template.id)}
                />
                <span class="grow">
                  <b class="strong">{template.displayName}</b>
                  <span class="small muted">{template.organizationId === null ? text.mine : text.ofOrganization}</span>
                </span>
              </label>
            ))}
            <Sample key={chosen.id} template={chosen} />
          </fieldset>
        )}
        <Field label={text.name} name="title" help={text.nameHelp} maxLength={200} />
      </Form>
    </Dialog>
  );
}
