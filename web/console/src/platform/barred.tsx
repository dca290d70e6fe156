import { REQUIREMENT } from "#texts/second-factor.ts";
import { settingsPath } from "../../../../src/platform/paths.ts";
import { Icon } from "../../../ui/icon.tsx";
import { CalmCard } from "../../../ui/notice.tsx";
import { signOut } from "./session.ts";
import { barred, barredNames } from "./workspace.ts";

/** The line that names the organizations that show nothing to this session, and leads to the passkeys. */
export function BarredLine() {
  return (
    <div role="status">
      {barred.value.length > 0 && (
        <p class="thinline">
          <Icon name="lock" />
          <span class="grow">{REQUIREMENT.line(barredNames.value)}</span>
          <a class="btn" href={settingsPath("passkeys")}>
            {REQUIREMENT.toPasskeys}
          </a>
        </p>
      )}
    </div>
  );
}

/** What a person does to see the organizations that show nothing to this session. */
export function BarredCard({ hasPasskey }: { hasPasskey: boolean }) {
  const text = REQUIREMENT;
  if (barred.value.length === 0) return null;
  return (
    <CalmCard icon="lock" title={text.cardTitle(barredNames.value)} help={hasPasskey ? text.cardSignIn : text.cardAdd}>
      {hasPasskey && (
        <button type="button" class="btn primary" onClick={() => signOut()}>
          {text.signOut}
        </button>
      )}
    </CalmCard>
  );
}
