import { useState } from "preact/hooks";
import { REQUIREMENT } from "#texts/second-factor.ts";
import { ORGANIZATION, ROLES } from "#texts/settings.ts";
import { dataOf, type Organization } from "../../../../client/src/index.ts";
import { RECOGNITION_LANGUAGES, type RecognitionLanguage } from "../../../../src/platform/languages/recognition.ts";
import { HOME } from "../../../../src/platform/paths.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { Check, Choice, Field, Form } from "../../../ui/form.tsx";
import { say } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { navigate } from "../platform/router.ts";
import { api, session } from "../platform/session.ts";
import { chooseOrganization, organization, readOrganizations } from "../platform/workspace.ts";
import { OrganizationExport } from "./export.tsx";

const params = ({ id }: Organization) => ({ path: { organizationId: id } });

async function gone(said: string): Promise<void> {
  chooseOrganization("");
  await readOrganizations();
  navigate(HOME);
  say(said);
}

function Rename({ present }: { present: Organization }) {
  const text = ORGANIZATION;
  return (
    <section class="card pad narrow">
      <Form
        send={text.save}
        failed={text.saveFailed}
        onSend={async (value) => {
          const body = { name: value("name"), baseRevision: present.revision };
          await dataOf(api.PATCH("/v1/orgs/{organizationId}", { params: params(present), body }));
          await readOrganizations();
          say(text.saved);
        }}
      >
        <Field
          label={text.name}
          name="name"
          defaultValue={present.name}
          help={text.nameHelp}
          required
          maxLength={200}
        />
      </Form>
    </section>
  );
}

/** Switches the recognition of text in scans and photos on or off. */
function Recognition({ present }: { present: Organization }) {
  const text = ORGANIZATION;
  const { recognizesScans, revision: baseRevision } = present;
  return (
    <section class="card pad narrow stack">
      <div>
        <h2>{text.scans}</h2>
        <p class="muted">{recognizesScans ? text.scansOn : text.scansOff}</p>
      </div>
      <Form
        send={recognizesScans ? text.scansSwitchOff : text.scansSwitchOn}
        failed={text.scansFailed}
        secondary
        onSend={async () => {
          const body = { recognizesScans: !recognizesScans, baseRevision };
          await dataOf(api.PATCH("/v1/orgs/{organizationId}", { params: params(present), body }));
          await readOrganizations();
          say(text.scansSaved(!recognizesScans));
        }}
      >
        {null}
      </Form>
    </section>
  );
}

/** Languages of an organization: a copy of the limit in `src/workspace/limits.ts`. */
const MAX_RECOGNITION_LANGUAGES = 3;

/** The choice of the languages that are recognized in scans, and whether recognized scans are read again. */
function ScanLanguages({ present }: { present: Organization }) {
  const text = ORGANIZATION;
  const [chosen, setChosen] = useState<readonly RecognitionLanguage[]>(present.recognitionLanguages);
  const [isAgain, setAgain] = useState(false);
  const isFull = chosen.length >= MAX_RECOGNITION_LANGUAGES;
  return (
    <section class="card pad narrow stack">
      <Form
        send={text.scanLanguagesSave}
        failed={text.scanLanguagesFailed}
        secondary
        onSend={async () => {
          if (chosen.length === 0) throw new Error(text.scanLanguagesNone);
          const body = {
            recognitionLanguages: [...chosen],
            ...(isAgain && { recognizeAgain: true }),
            baseRevision: present.revision,
          };
          await dataOf(api.PATCH("/v1/orgs/{organizationId}", { params: params(present), body }));
          await readOrganizations();
          say(text.scanLanguagesSaved(isAgain));
        }}
      >
        <fieldset class="stack">
          <legend>{text.scanLanguages}</legend>
          <p class="small muted">{text.scanLanguagesHelp}</p>
          <div class="row wrap">
            {RECOGNITION_LANGUAGES.map((language) => (
              <Check
                key={language}
                label={text.scanLanguageNames[language]}
                checked={chosen.includes(language)}
                disabled={isFull && !chosen.includes(language)}
                onChange={(isOn) =>
                  setChosen((before) => [...before.filter((one) => one !== language), ...(isOn ? [language] : [])])
                }
              />
            ))}
          </div>
        </fieldset>
        <Check label={text.scansAgain} help={text.scansAgainHelp} checked={false} onChange={setAgain} />
      </Form>
    </section>
  );
}

const REQUIREMENTS = ["none", "admins", "members"] as const;

/** The choice of the members who must sign in with a passkey or a second factor. */
function Requirement({ present }: { present: Organization }) {
  const text = REQUIREMENT;
  return (
    <section class="card pad narrow stack">
      <div>
        <h2>{text.title}</h2>
        <p class="muted">{text.lead}</p>
      </div>
      <Form
        send={text.save}
        failed={text.failed}
        secondary
        onSend={async (value) => {
          const chosen = REQUIREMENTS.find((one) => one === value("requirement")) ?? "none";
          const body = { signInRequirement: chosen, baseRevision: present.revision };
          await dataOf(api.PATCH("/v1/orgs/{organizationId}", { params: params(present), body }));
          await readOrganizations();
          say(text.saved);
        }}
      >
        <Choice
          label={text.whom}
          name="requirement"
          value={present.signInRequirement}
          options={REQUIREMENTS.map((value) => ({ value, label: text.choices[value] }))}
        />
      </Form>
    </section>
  );
}

/** The name of the organization, its export, and the buttons to leave or delete it. */
export function OrganizationPart() {
  const text = ORGANIZATION;
  const present = organization.value;
  const [asking, setAsking] = useState<"leave" | "remove" | null>(null);
  if (present === null) return null;
  const { name, role } = present;
  const close = () => setAsking(null);
  return (
    <>
      <PageHead title={text.title} lead={text.lead(ROLES[role])} />
      {present.capabilities.OrganizationView === "Write" && <Rename present={present} />}
      {role === "owner" && <Recognition present={present} />}
      {role === "owner" && present.recognizesScans && <ScanLanguages present={present} />}
      {role === "owner" && <Requirement present={present} />}
      {role === "owner" && (
        <OrganizationExport organizationId={present.id} hasImages={present.capabilities.LocationCameras !== "None"} />
      )}
      <section class="card pad narrow stack">
        <div>
          <h2>{text.leave}</h2>
          <p class="muted">{text.leaveLead}</p>
        </div>
        <p>
          <button type="button" class="btn" onClick={() => setAsking("leave")}>
            {text.leave}
          </button>
        </p>
      </section>
      {role === "owner" && (
        <section class="card pad narrow stack">
          <div>
            <h2>{text.remove}</h2>
            <p class="muted">{text.removeLead}</p>
          </div>
          <p>
            <button type="button" class="btn" onClick={() => setAsking("remove")}>
              {text.remove}
            </button>
          </p>
        </section>
      )}
      {asking === "leave" && (
        <Confirm
          title={text.leaveTitle(name)}
          help={text.leaveHelp}
          send={text.leave}
          failed={text.leaveFailed}
          onSend={async () => {
            const userId = session.value?.user.id ?? "";
            const path = { organizationId: present.id, userId };
            await dataOf(api.DELETE("/v1/orgs/{organizationId}/members/{userId}", { params: { path } }));
            await gone(text.left(name));
          }}
          onClose={close}
        />
      )}
      {asking === "remove" && (
        <Confirm
          title={text.removeTitle(name)}
          help={text.removeHelp}
          send={text.remove}
          failed={text.removeFailed}
          onSend={async () => {
            await dataOf(api.DELETE("/v1/orgs/{organizationId}", { params: params(present) }));
            await gone(text.removed(name));
          }}
          onClose={close}
        />
      )}
    </>
  );
}
