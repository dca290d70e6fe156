import { signal } from "@preact/signals";
import { putWithProgress } from "../../../../client/src/browser.ts";
import { createClient, type SessionTokens, type TokenStore, type User } from "../../../../client/src/index.ts";
import { keepLanguage, keptLanguage } from "../../../ui/reader-language.ts";
import { checksumOf } from "./checksum.ts";

/*
 * The session of this tab. Its tokens are kept in sessionStorage: they survive a reload, and end with the tab. A
 * refresh token works only once, so every tab must have the newest one: the tabs of one browser exchange tokens through
 * a channel. No secret is in localStorage or in a cookie.
 */

const KEY = "session";
/** Maximum time that a new tab waits for an answer of another tab that is signed in. */
const HAND_OVER_MS = 150;

type Message = { kind: "ask" } | { kind: "tokens"; tokens: SessionTokens } | { kind: "ended"; userId: string };

const isTokens = (value: unknown): value is SessionTokens =>
  typeof value === "object" && value !== null && "refreshToken" in value && "user" in value;

function readStored(): SessionTokens | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return isTokens(value) ? value : null;
  } catch {
    return null;
  }
}

/** The tokens of the signed-in person; null if nobody is signed in. */
export const session = signal<SessionTokens | null>(readStored());
/** How the session ended, if it was not by a sign-out. The sign-in page then says so. */
export const sessionEnd = signal<"lost" | "account-deleted" | null>(null);

const channel = new BroadcastChannel("session");
const tell = (message: Message) => channel.postMessage(message);

function keep(tokens: SessionTokens | null): void {
  session.value = tokens;
  if (tokens === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(tokens));
}

/**
 * Shows the pages in the language of the account. The language that a sign-in brings replaces the one of this browser; one that
 * was chosen here later stays. A browser that keeps no cookies stays in its language.
 */
export function showOwnLanguage(): void {
  const language = session.peek()?.user.language ?? null;
  if (language === null) return;
  if (keptLanguage() === "") keepLanguage(language);
  if (keptLanguage() === language && document.documentElement.lang !== language) location.reload();
}

const store: TokenStore = {
  read: () => session.peek(),
  write: (tokens) => {
    const before = session.peek();
    sessionEnd.value = tokens === null && before !== null ? "lost" : null;
    keep(tokens);
    if (before === null && tokens?.user.language) keepLanguage(tokens.user.language);
    if (tokens !== null) tell({ kind: "tokens", tokens });
    else if (before !== null) tell({ kind: "ended", userId: before.user.id });
  },
};

/** Stores the person's changes of their account. */
export function keepUser(user: User): void {
  const tokens = session.peek();
  if (tokens !== null) keep({ ...tokens, user });
}

/** Starts a session with the tokens of a registration. */
export const beginSession = (tokens: SessionTokens): void => store.write(tokens);

let asking = false;
channel.onmessage = ({ data }: MessageEvent<Message>) => {
  const own = session.peek();
  if (data.kind === "ask" && own !== null) tell({ kind: "tokens", tokens: own });
  if (data.kind === "ended" && own?.user.id === data.userId) keep(null);
  if (data.kind !== "tokens") return;
  const newer = own?.user.id === data.tokens.user.id && own.expiresAtUtc < data.tokens.expiresAtUtc;
  if (newer || (own === null && asking)) keep(data.tokens);
};

/** Requests the session of the other tabs if this tab has none. */
export async function findSession(): Promise<void> {
  if (session.peek() !== null) return;
  asking = true;
  tell({ kind: "ask" });
  await new Promise<void>((done) => {
    const stop = session.subscribe((tokens) => tokens !== null && done());
    setTimeout(() => {
      stop();
      done();
    }, HAND_OVER_MS);
  });
  asking = false;
}

/** Grows when a change was refused because its organization moves to another database. */
export const movesSeen = signal(0);

/**
 * Sends a request in the language of the page: the service writes the texts of its answers for people in it. It notes a refusal
 * of the kind above.
 */
async function send(request: Request): Promise<Response> {
  request.headers.set("accept-language", document.documentElement.lang);
  const response = await fetch(request);
  if (response.status === 503) {
    const problem: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    if (typeof problem === "object" && problem !== null && "code" in problem && problem.code === "workspace-moving")
      movesSeen.value++;
  }
  return response;
}

export const client = createClient({
  baseUrl: location.origin,
  fetch: send,
  tokens: store,
  putBytes: putWithProgress,
  checksumOf,
  // A person sees a failure at once, and decides.
  retries: false,
});
export const { api } = client;

/** Ends the session here, in the other tabs and at the service. */
export async function signOut(): Promise<void> {
  const ending = client.signOut();
  // The session did not end by itself: the sign-in page must not say so.
  sessionEnd.value = null;
  await ending.catch(() => undefined);
}

/** Ends the session here and in the other tabs: the service has deleted the account with its sessions. */
export function endDeleted(): void {
  store.write(null);
  sessionEnd.value = "account-deleted";
}
