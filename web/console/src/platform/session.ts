import { signal } from "@preact/signals";
import { putWithProgress } from "../../../../client/src/browser.ts";
import {
  createClient,
  ProblemError,
  type SessionTokens,
  type TokenStore,
  type User,
} from "../../../../client/src/index.ts";
import { keepLanguage, keptLanguage } from "../../../ui/reader-language.ts";
import { checksumOf } from "./checksum.ts";

/*
 * The session of this browser. Its refresh token is in a cookie that no script can read; all tabs share it. Each tab has an access
 * token, which is valid for minutes, in sessionStorage: it survives a reload. The tabs tell each other about a new access token, about
 * the end of the session and about another person. One tab at a time renews, signs in or signs out.
 */

const KEY = "session";
/**
 * A mark in localStorage, which is no secret. `on`: the cookie has a session, as far as is known, so a new tab asks for it. `ending`: a
 * person has signed out and the service did not answer, so the next page asks again.
 */
const MARK = "signed-in";
type Mark = "on" | "ending";
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

function mark(now: Mark | null): void {
  if (now === null) localStorage.removeItem(MARK);
  else localStorage.setItem(MARK, now);
}

/** Whether the next sign-in is kept when the browser is closed. */
export const isKept = signal(false);
/** The cookie that a sign-in asks for. */
export const cookieKind = (): "session" | "kept" => (isKept.peek() ? "kept" : "session");

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

/** Whether the session is now another person's. What the page shows and has not saved belongs to the person before. */
const isOther = (before: SessionTokens | null, now: SessionTokens | null): boolean =>
  before !== null && now !== null && before.user.id !== now.user.id;

const store: TokenStore = {
  read: () => session.peek(),
  write: (tokens) => {
    const before = session.peek();
    sessionEnd.value = tokens === null && before !== null ? "lost" : null;
    keep(tokens);
    mark(tokens === null ? null : "on");
    if (isOther(before, tokens)) location.reload();
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

/** Starts a session with the tokens of a sign-in or a registration. It replaces the one of the browser. */
export function beginSession(tokens: SessionTokens): void {
  const before = session.peek();
  if (isOther(before, tokens)) keep(null);
  store.write(tokens);
}

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  const own = session.peek();
  if (data.kind === "ask" && own !== null) tell({ kind: "tokens", tokens: own });
  if (data.kind === "ended" && own?.user.id === data.userId) keep(null);
  if (data.kind !== "tokens") return;
  const { tokens } = data;
  if (own !== null && own.user.id === tokens.user.id && own.expiresAtUtc >= tokens.expiresAtUtc) return;
  keep(tokens);
  if (isOther(own, tokens)) location.reload();
};

/** Ends the session that a person has left while the service did not answer. */
async function endLeft(): Promise<void> {
  const { response } = await client.api.POST("/v1/auth/logout", { body: {} });
  if (response.ok || response.status === 401) mark(null);
}

/** Finds the session of the browser: in another tab, or with the cookie. */
export async function findSession(): Promise<void> {
  // An earlier version has kept the refresh token in this tab: it moves to the cookie.
  if (session.peek()?.refreshToken) await client.renew().catch(() => null);
  if (session.peek() !== null) return;
  if (localStorage.getItem(MARK) === "ending") return endLeft().catch(() => undefined);
  tell({ kind: "ask" });
  await new Promise<void>((done) => {
    const stop = session.subscribe((tokens) => tokens !== null && done());
    setTimeout(() => {
      stop();
      done();
    }, HAND_OVER_MS);
  });
  if (session.peek() === null && localStorage.getItem(MARK) !== null) await client.resume().catch(() => null);
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
  // Without locks, over plain http, tabs that renew at once get the same successor.
  ownPage: { alone: (call) => navigator.locks?.request("renewal", call) ?? call() },
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
  mark("ending");
  try {
    await ending;
  } catch (thrown) {
    if (!(thrown instanceof ProblemError) || thrown.status !== 401) return;
  }
  if (session.peek() === null) mark(null);
}

/** Ends the session here and in the other tabs: the service has deleted the account with its sessions. */
export function endDeleted(): void {
  store.write(null);
  sessionEnd.value = "account-deleted";
}
