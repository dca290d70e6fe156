import { PageHead } from "../../../ui/page-head.tsx";
import "./admin.css";
import type { ComponentType } from "preact";
import { ADMIN } from "#texts/admin.ts";
import { DELETED } from "#texts/leaving.ts";
import { adminPath } from "../../../../src/platform/paths.ts";
import { Tabs } from "../../../ui/tabs.tsx";
import { useTitle } from "../../../ui/title.ts";
import { Gone } from "../platform/gone.tsx";
import type { ViewProps } from "../platform/lazy.tsx";
import { session } from "../platform/session.ts";
import { DeletedOrganizations } from "../settings/index.ts";
import { Databases } from "./databases.tsx";
import { Jobs } from "./jobs.tsx";
import { Organizations } from "./organizations.tsx";
import { SearchIndex } from "./search-index.tsx";

/** The parts of the administration. The address of the view shows the first one. */
const PARTS: readonly { path: string; label: string; View: ComponentType }[] = [
  { path: "", label: ADMIN.parts.index, View: SearchIndex },
  { path: "jobs", label: ADMIN.parts.jobs, View: Jobs },
  { path: "organizations", label: ADMIN.parts.organizations, View: Organizations },
  { path: "databases", label: ADMIN.parts.databases, View: Databases },
  { path: "deleted", label: DELETED.title, View: () => <DeletedOrganizations all /> },
];

/** The administration of the service, for its administrators. */
export default function AdminPage({ path: [part = ""] }: ViewProps) {
  const shown = PARTS.find(({ path }) => path === part) ?? PARTS[0];
  useTitle(shown === undefined || part === "" ? ADMIN.title : `${shown.label} – ${ADMIN.title}`);
  if (!session.value?.user.isAdmin)
    return (
      <div class="page admin">
        <Gone heading={ADMIN.title} title={ADMIN.only} help={ADMIN.onlyHelp} />
      </div>
    );
  return (
    <div class="page admin">
      <PageHead title={ADMIN.title} lead={ADMIN.lead} />
      <Tabs
        label={ADMIN.partsOf}
        tabs={PARTS.map(({ path, label }) => ({ href: adminPath(path), label, isShown: path === shown?.path }))}
      />
      {shown && <shown.View />}
    </div>
  );
}
