import type { Signal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { COMMON } from "#texts/common.ts";
import { INBOX as TEXT } from "#texts/inbox.ts";
import { KEYS } from "#texts/keys.ts";
import { SEARCH } from "#texts/search.ts";
import { SHELL } from "#texts/shell.ts";
import { dataOf } from "../../../client/src/index.ts";
import type { ReaderLanguage } from "../../../src/platform/languages/languages.ts";
import { CAMERAS, HOME, INBOX, REPORTS, SETTINGS, settingsPath } from "../../../src/platform/paths.ts";
import { initialsOf } from "../../ui/format.ts";
import { Icon, type IconName, Logo } from "../../ui/icon.tsx";
import { LanguageChoice } from "../../ui/language-choice.tsx";
import { sayFailed, Toasts } from "../../ui/notice.tsx";
import { type Theme, theme } from "../../ui/theme.ts";
import { OrganizationSwitcher } from "./organization-switcher.tsx";
import { accessTurn } from "./platform/access.ts";
import { BarredLine } from "./platform/barred.tsx";
import { COMMAND, Keys, showKeys } from "./platform/keys.tsx";
import { ConnectionLine, unreadCount } from "./platform/live/index.ts";
import { MovingLine } from "./platform/moving.tsx";
import { address } from "./platform/router.ts";
import { api, keepUser, session, signOut } from "./platform/session.ts";
import { topField } from "./platform/top-field.ts";
import { openPalette, Palette } from "./search/palette.tsx";

/** Larger counts are shown as "99+". */
const MAX_BADGE = 99;

interface RailItem {
  path: string;
  /** Views that are parts of this view and have their own addresses. */
  parts?: readonly string[];
  icon: IconName;
  label: string;
  unread?: Signal<number>;
  admin?: boolean;
}

const RAIL: readonly RailItem[] = [
  { path: "/console/search", icon: "search", label: SHELL.rail.search },
  {
    path: HOME,
    parts: ["/console/documents", "/console/clusters", "/console/trash"],
    icon: "pin",
    label: SHELL.rail.locations,
  },
  { path: CAMERAS, icon: "camera", label: SHELL.rail.cameras },
  { path: REPORTS, icon: "report", label: SHELL.rail.reports },
  { path: INBOX, icon: "bell", label: SHELL.rail.inbox, unread: unreadCount },
  { path: SETTINGS, icon: "gear", label: SHELL.rail.settings },
  { path: "/console/admin", icon: "people", label: SHELL.rail.admin, admin: true },
];

/** The count at an icon: a number that screen readers ignore, and a text for them. */
function Badge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <>
      <span class="badge" aria-hidden="true">
        {count > MAX_BADGE ? `${MAX_BADGE}+` : count}
      </span>
      <span class="sr">, {TEXT.unreadCount(count)}</span>
    </>
  );
}

function Bell() {
  return (
    <a class="btn bare icon-only bell phone-hide" href={INBOX} aria-label={TEXT.bell(unreadCount.value)}>
      <Icon name="bell" />
      <Badge count={unreadCount.value} />
    </a>
  );
}

function Rail() {
  const { pathname } = address.value;
  const isShown = ({ path, parts = [] }: RailItem) => [path, ...parts].some((one) => pathname.startsWith(one));
  return (
    <nav class="rail" aria-label={SHELL.mainNavigation}>
      <span class="logo">
        <Logo />
      </span>
      {RAIL.filter(({ admin }) => !admin || session.value?.user.isAdmin).map((item) => (
        <a key={item.path} href={item.path} aria-current={isShown(item) ? "page" : undefined}>
          <Icon name={item.icon} />
          {item.label}
          {item.unread && <Badge count={item.unread.value} />}
        </a>
      ))}
      <a class="last" href="/docs">
        <Icon name="code" />
        {SHELL.rail.reference}
      </a>
    </nav>
  );
}

/** Saves the language of the person. @returns whether that was done */
async function saveLanguage(language: ReaderLanguage | null): Promise<boolean> {
  try {
    const { user } = await dataOf(api.PATCH("/v1/auth/me", { body: { language } }));
    keepUser(user);
    return true;
  } catch (thrown) {
    sayFailed(COMMON.languageFailed, thrown);
    return false;
  }
}

const THEMES: Theme[] = ["system", "light", "dark"];

function Account() {
  const user = session.value?.user;
  if (user === undefined) return null;
  return (
    <>
      <button
        type="button"
        class="btn bare icon-only"
        popovertarget="account"
        aria-label={SHELL.account.open(initialsOf(user.displayName), user.displayName)}
      >
        <span class="avatar" aria-hidden="true">
          {initialsOf(user.displayName)}
        </span>
      </button>
      <div id="account" popover="auto" class="account">
        <p>
          <b class="strong">{user.displayName}</b>
          <br />
          <span class="small muted">{user.email}</span>
        </p>
        <fieldset>
          <legend class="label">{SHELL.account.theme}</legend>
          <div class="seg">
            {THEMES.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={theme.value === one}
                onClick={() => {
                  theme.value = one;
                }}
              >
                {SHELL.account.themes[one]}
              </button>
            ))}
          </div>
        </fieldset>
        <LanguageChoice save={saveLanguage} />
        <a class="btn" href={settingsPath("profile")}>
          {SHELL.account.password}
        </a>
        <button type="button" class="btn" popovertarget="account" onClick={showKeys}>
          {KEYS.title}
        </button>
        <button type="button" class="btn" onClick={() => signOut()}>
          {SHELL.account.signOut}
        </button>
      </div>
    </>
  );
}

/** The frame around every view. It stays mounted while views change; what shows data is made anew when access changes. */
export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <div class="app">
      <a class="skip" href="#main">
        {COMMON.skip}
      </a>
      <Rail />
      <header class="top">
        {topField.value ?? (
          <button type="button" class="btn search-open" onClick={openPalette}>
            <Icon name="search" />
            <span class="cut phone-hide">{SEARCH.open}</span>
            <span class="sr phone-only">{SEARCH.openShort}</span>
            <kbd class="phone-hide">{COMMAND} K</kbd>
          </button>
        )}
        <OrganizationSwitcher />
        <Bell />
        <Account />
      </header>
      <div class="lines">
        <ConnectionLine />
        <MovingLine />
        <BarredLine />
      </div>
      <main id="main" tabIndex={-1}>
        <Fragment key={accessTurn.value}>{children}</Fragment>
      </main>
      <Keys />
      <Toasts />
      <Palette key={accessTurn.value} />
    </div>
  );
}
