import "./settings.css";
import type { ComponentType } from "preact";
import { DELETED } from "#texts/leaving.ts";
import { PASSKEYS } from "#texts/passkeys.ts";
import { SETTINGS } from "#texts/settings.ts";
import { WEBHOOKS } from "#texts/webhooks.ts";
import { settingsPath } from "../../../../src/platform/paths.ts";
import { useStrip } from "../../../ui/tabs.tsx";
import { useTitle } from "../../../ui/title.ts";
import { MembersPart, roleShares } from "../people/index.ts";
import type { ViewProps } from "../platform/lazy.tsx";
import { organization, organizationName } from "../platform/workspace.ts";
import { AuditPart } from "./audit.tsx";
import { BrandingPart } from "./branding.tsx";
import { CleanupsPart } from "./cleanups.tsx";
import { DeletedPart } from "./deleted.tsx";
import { NotificationsPart } from "./notifications.tsx";
import { OrganizationPart } from "./organization.tsx";
import { PasskeysPart } from "./passkeys.tsx";
import { ProfilePart } from "./profile.tsx";
import { SearchesPart } from "./searches.tsx";
import { SessionsPart } from "./sessions.tsx";
import { TokensPart } from "./tokens.tsx";
import { UsagePart } from "./usage.tsx";
import { WebhooksPart } from "./webhooks/index.ts";

interface Part {
  path: string;
  label: string;
  View: ComponentType;
}

const OWN: readonly Part[] = [
  { path: "profile", label: SETTINGS.labels.profile, View: ProfilePart },
  { path: "sessions", label: SETTINGS.labels.sessions, View: SessionsPart },
  { path: "passkeys", label: PASSKEYS.title, View: PasskeysPart },
  { path: "notifications", label: SETTINGS.labels.notifications, View: NotificationsPart },
  { path: "tokens", label: SETTINGS.labels.tokens, View: TokensPart },
  { path: "deleted-organizations", label: DELETED.title, View: DeletedPart },
];

/** The parts of the chosen organization. */
const OF_ORGANIZATION: readonly Part[] = [
  { path: "organization", label: SETTINGS.labels.organization, View: OrganizationPart },
  { path: "members", label: SETTINGS.labels.members, View: MembersPart },
  { path: "usage", label: SETTINGS.labels.usage, View: UsagePart },
  { path: "branding", label: SETTINGS.labels.branding, View: BrandingPart },
  { path: "searches", label: SETTINGS.labels.searches, View: SearchesPart },
  { path: "webhooks", label: WEBHOOKS.title, View: WebhooksPart },
  { path: "audit", label: SETTINGS.labels.audit, View: AuditPart },
  { path: "cleanups", label: SETTINGS.labels.cleanups, View: CleanupsPart },
];

/** The parts that only owners and admins have. */
const MANAGED = new Set(["branding", "searches", "webhooks", "audit", "cleanups"]);

function Group({ title, parts, shown }: { title: string; parts: readonly Part[]; shown: Part | undefined }) {
  return (
    <>
      <h2 class="cut">{title}</h2>
      {parts.map(({ path, label }) => (
        <a key={path} href={settingsPath(path)} aria-current={path === shown?.path ? "page" : undefined}>
          {label}
        </a>
      ))}
    </>
  );
}

/** The settings of the person and of the chosen organization. */
export default function Settings({ path: [path] }: ViewProps) {
  const present = organization.value;
  const manages = roleShares(present);
  const ofOrganization = present === null ? [] : OF_ORGANIZATION.filter(({ path }) => manages || !MANAGED.has(path));
  const shown = [...OWN, ...ofOrganization].find((part) => part.path === path) ?? OWN[0];
  useTitle(shown?.label ?? SETTINGS.title);
  const strip = useStrip<HTMLElement>(shown?.path);
  return (
    <div class="settings">
      <nav class="subnav" aria-label={SETTINGS.parts} ref={strip}>
        <Group title={SETTINGS.you} parts={OWN} shown={shown} />
        {present !== null && <Group title={organizationName.value} parts={ofOrganization} shown={shown} />}
      </nav>
      <div class="page">{shown && <shown.View key={`${present?.id} ${shown.path}`} />}</div>
    </div>
  );
}
