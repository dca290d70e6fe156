import { SHELL } from "#texts/shell.ts";
import "../../ui/tokens.css";
import "../../ui/base.css";
import "./shell.css";
import "./dialogs.css";
import "../../ui/components.css";
import "../../ui/print.css";
import "../../ui/theme.ts";
import "./platform/branding.ts";
import "./platform/installed.ts";
import { effect } from "@preact/signals";
import { render } from "preact";
import { Alert } from "../../ui/notice.tsx";
import { enterByLink } from "./entry/link.ts";
import { Entry } from "./entry/sign-in.tsx";
import { watchAccess } from "./platform/access.ts";
import { Wait } from "./platform/lazy.tsx";
import { startLive } from "./platform/live/index.ts";
import { address } from "./platform/router.ts";
import { findSession, session, showOwnLanguage } from "./platform/session.ts";
import { organizations, organizationsError, readOrganizations } from "./platform/workspace.ts";
import { Shell } from "./shell.tsx";
import { Lost, OPEN_VIEWS, Page, viewAt } from "./views.tsx";

/** The view of the current address. */
function Console() {
  const Open = OPEN_VIEWS[address.value.pathname];
  if (Open !== undefined) return <Open />;
  if (session.value === null) return <Entry />;
  const { View, path } = viewAt(address.value);
  // One frame for all views: an open window or message of it stays while the view changes.
  return (
    <Shell>{organizations.value === null ? <Opening /> : View === undefined ? <Lost /> : <View path={path} />}</Shell>
  );
}

/** The organizations are being read, or could not be read: no view can be shown without them. */
function Opening() {
  const error = organizationsError.value;
  return (
    <Page>
      <h1 class="sr">{SHELL.opening}</h1>
      {error === null ? (
        <Wait text={SHELL.opening} />
      ) : (
        <Alert title={SHELL.openingFailed} error={error} onRetry={readOrganizations} />
      )}
    </Page>
  );
}

/** The user whose organizations are read. */
let readFor: string | null = null;
effect(() => {
  const userId = session.value?.user.id ?? null;
  if (userId === readFor) return;
  readFor = userId;
  organizations.value = null;
  if (userId === null) return;
  // A page of a link goes on with what it does.
  if (OPEN_VIEWS[address.peek().pathname] === undefined) showOwnLanguage();
  void readOrganizations();
});

await enterByLink();
await findSession();
// The code of the view is fetched while the organizations are read.
if (session.peek() !== null) viewAt(address.peek()).View?.begin();
const root = document.getElementById("console");
root?.replaceChildren();
if (root !== null) render(<Console />, root);
startLive();
watchAccess();
