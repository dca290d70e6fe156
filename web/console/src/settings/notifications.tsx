import { useState } from "preact/hooks";
import { PREFERENCES } from "#texts/inbox.ts";
import { dataOf, type NotificationPreferences } from "../../../../client/src/index.ts";
import { Check } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, sayFailed, Waiting } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { api } from "../platform/session.ts";

type Type = keyof NotificationPreferences;
type Group = keyof typeof PREFERENCES.groups;

/** The group of each type: a new type must be added here. */
const GROUP_OF: Readonly<Record<Type, Group>> = {
  "document-uploaded": "work",
  "report-pdf-ready": "work",
  "report-pdf-failed": "work",
  "export-ready": "work",
  "grant-given": "work",
  "membership-given": "work",
  "organization-deleted": "work",
  "organization-removed": "work",
  "webhook-disabled": "work",
  "database-level": "storage",
  "camera-silent": "cameras",
  "camera-back": "cameras",
  "capture-rejected": "cameras",
  "storage-low": "storage",
  "storage-full": "storage",
};
const TYPES = Object.keys(GROUP_OF) as Type[];
const GROUPS = Object.keys(PREFERENCES.groups) as Group[];

/** Which events the person's inbox tells. Each choice is saved at once. */
export function NotificationsPart() {
  const text = PREFERENCES;
  const { data, error, slow, reload } = useLoaded("preferences", () =>
    dataOf(api.GET("/v1/notifications/preferences")),
  );
  const [failures, setFailures] = useState(0);
  const choose = async (type: Type, inApp: boolean) => {
    try {
      await dataOf(api.PUT("/v1/notifications/preferences", { body: { [type]: { inApp } } }));
      say(text.saved);
    } catch (thrown) {
      sayFailed(text.saveFailed, thrown);
      setFailures(failures + 1);
      reload();
    }
  };
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data &&
        GROUPS.map((group) => (
          <section key={group} class="card pad narrow" aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{text.groups[group]}</h2>
            {TYPES.filter((type) => GROUP_OF[type] === group).map((type) => (
              <Check
                // A box whose choice was not saved shows the state of the service again.
                key={`${type} ${failures}`}
                label={text.types[type]}
                name={type}
                checked={data[type].inApp}
                onChange={(isOn) => void choose(type, isOn)}
              />
            ))}
          </section>
        ))}
    </>
  );
}
