import { LOCATIONS } from "../../texts/locations.ts";
import "../../ui/tokens.css";
import "../../ui/base.css";
import "./shell.css";
import "../../ui/components.css";
import "../../ui/theme.ts";
import "./accent.ts";
import { effect } from "@preact/signals";
import { render } from "preact";
import { Alert } from "../../ui/notice.tsx";
import { enterByLink } from "./entry/link.ts";
import { Entry } from "./entry/sign-in.tsx";
import { startLive } from "./live/index.ts";
import { address } from "./router.ts";
import { findSession, session } from "./session.ts";
import { Shell } from "./shell.tsx";
import { Lost, OPEN_VIEWS, VIEWS } from "./views.tsx";
import { organizations, organizationsError, readOrganizations } from "./workspace.ts";

/** The view of the present address. */
function Console() {
  const Open = OPEN_VIEWS[address.value.pathname];
  if (Open !== undefined) return <Open />;
  if (session.value === null) return <Entry />;
  if (organizationsError.value !== null)
    return (
      <main class="page">
        <Alert title={LOCATIONS.failed} error={organizationsError.value} onRetry={readOrganizations} />
      </main>
    );
  if (organizations.value === null) return null;
  const [area = "", ...path] = address.value.pathname
    .split("/")
    .slice(2)
    .filter((part) => part !== "");
  const View = VIEWS[area];
  // One frame for all views: an open window or message stays while the view changes.
  return <Shell>{View === undefined ? <Lost /> : <View path={path} />}</Shell>;
}

/** The user whose organizations are read. */
let readFor: string | null = null;
effect(() => {
  const userId = session.value?.user.id ?? null;
  if (userId === readFor) return;
  readFor = userId;
  organizations.value = null;
  if (userId !== null) readOrganizations();
});

await enterByLink();
await findSession();
const root = document.getElementById("console");
if (root !== null) render(<Console />, root);
startLive();
