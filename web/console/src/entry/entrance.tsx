import "./sign-in.css";
import type { ComponentChildren } from "preact";
import { COMMON } from "#texts/common.ts";
import { SIGN_IN } from "#texts/entry.ts";
import { HOME } from "../../../../src/platform/paths.ts";
import { Check } from "../../../ui/form.tsx";
import { Logo } from "../../../ui/icon.tsx";
import { LanguageChoice } from "../../../ui/language-choice.tsx";
import { isKept, session } from "../platform/session.ts";
import picture from "./harbour.jpg";

/** The frame of every page that needs no session: a picture, and a form beside it. */
export function Entrance({ children }: { children?: ComponentChildren }) {
  return (
    <div class="signin">
      <aside class="view" aria-label={SIGN_IN.aside}>
        <img src={picture} alt={SIGN_IN.picture} />
      </aside>
      <main id="main">
        <div class="stack entrance">
          <span class="logo">
            <Logo size={40} />
          </span>
          {children}
          <LanguageChoice />
        </div>
      </main>
    </div>
  );
}

/** The choice to stay signed in when the browser is closed. It counts for the password, a passkey and the second step. */
export const KeepSignedIn = () => (
  <Check
    label={SIGN_IN.keep}
    help={SIGN_IN.keepHelp}
    checked={isKept.peek()}
    onChange={(checked) => {
      isKept.value = checked;
    }}
  />
);

/** The head of such a page. */
export function Head({ title, lead }: { title: string; lead?: string }) {
  return (
    <div>
      <h1>{title}</h1>
      {lead !== undefined && <p class="muted">{lead}</p>}
    </div>
  );
}

/** The way on from such a page: to the sign-in, or to the locations of the person who is signed in. */
export const ToConsole = () => (
  <p class="links">
    <a href={HOME}>{session.value === null ? SIGN_IN.send : COMMON.toLocations}</a>
  </p>
);
