import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/shell.css";
import "../styles/pages.css";
import "./theme.ts";
import { effect } from "@preact/signals";
import { render } from "preact";
import { Alert } from "./notice.tsx";
import { LocationPage } from "./pages/location.tsx";
import { LocationsPage } from "./pages/locations.tsx";
import { SearchPage } from "./pages/search.tsx";
import { Entry } from "./pages/sign-in.tsx";
import { address } from "./router.ts";
import { findSession, session } from "./session.ts";
import { TEXTS } from "./texts.ts";
import { organizations, organizationsError, readOrganizations } from "./workspace.ts";

/** The view of the present address. */
function Console() {
  if (session.value === null) return <Entry />;
  if (organizationsError.value !== null)
    return (
      <main class="page">
        <Alert title={TEXTS.locations.failed} error={organizationsError.value} onRetry={readOrganizations} />
      </main>
    );
  if (organizations.value === null) return null;
  const [, , area, id] = address.value.pathname.split("/");
  if (area === "search") return <SearchPage />;
  if (area === "locations" && id) return <LocationPage key={id} locationId={id} />;
  return <LocationsPage />;
}

/** Whose organizations are read. */
let readFor: string | null = null;
effect(() => {
  const userId = session.value?.user.id ?? null;
  if (userId === readFor) return;
  readFor = userId;
  organizations.value = null;
  if (userId !== null) readOrganizations();
});

await findSession();
const root = document.getElementById("console");
if (root !== null) render(<Console />, root);
