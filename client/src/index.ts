import createFetchClient, { type Client } from "openapi-fetch";
import { dataOf } from "./problem.ts";
import type { RetryBounds } from "./retries.ts";
import type { BrandingUploadResult, Document, Login, paths, SessionTokens, SignInConfirmation } from "./schema.ts";
import { inTurn, memoryStore, type OwnPage, type Send, Session, type TokenStore } from "./session.ts";
import { type ChecksumOf, type PutBytes, putWithFetch, type UploadOptions } from "./transfer.ts";
import { type BrandingFile, type FileToUpload, uploadBranding, uploadDocument } from "./uploads.ts";

export {
  type LiveHandlers,
  type LiveHub,
  LiveLocations,
  LOCATION_EVENTS,
  type LocationEventName,
  type RefusalReason,
} from "./live.ts";
export { eachItem, type Page } from "./pages.ts";
export { dataOf, type ProblemCode, ProblemError } from "./problem.ts";
export type { RetryBounds } from "./retries.ts";
export type * from "./schema.ts";
export { memoryStore, type OwnPage, type TokenStore } from "./session.ts";
export {
  type ChecksumOf,
  type PutAnswer,
  type PutBytes,
  TransferError,
  type UploadOptions,
  UploadPaused,
} from "./transfer.ts";
export type { BrandingFile, FileToUpload } from "./uploads.ts";
export { type Followed, type WaitOptions, waitFor } from "./waiting.ts";

export interface ClientOptions {
  /** Address of the service, such as `https://docs.example.org`. */
  baseUrl: string;
  /** Sends every request; the platform's `fetch` unless given. */
  fetch?: Send;
  /** A personal access token. A client with one has no session. */
  personalAccessToken?: string;
  /** The store of the tokens of a session; in memory unless given. */
  tokens?: TokenStore;
  /** Given by a page of the service itself, whose refresh token is in a cookie that scripts cannot read. */
  ownPage?: OwnPage;
  /** Sends the bytes of uploads; with `fetch` unless given. */
  putBytes?: PutBytes;
  /** Computes the SHA-256 of a file; in slices unless given. */
  checksumOf?: ChecksumOf;
  /**
   * The bounds of the repeats of a request after 429, 503 and a lost connection. With `false`, each request is sent once, and
   * no request gets an `Idempotency-Key` by itself.
   */
  retries?: false | RetryBounds;
}

export interface WorkspaceClient {
  /** Every path of the service with its types: `api.GET("/v1/orgs")`. Read its answers with `dataOf`. */
  api: Client<paths>;
  /**
   * Begins a session. @throws ProblemError; with the code `second-factor-required`, its `problem.secondStep` has the ticket for
   * `confirmSignIn`
   */
  signIn(login: Login): Promise<SessionTokens>;
  /** Begins a session whose password was right, with a passkey or a recovery code. @throws ProblemError */
  confirmSignIn(confirmation: SignInConfirmation): Promise<SessionTokens>;
  /** Continues a session from its refresh token alone. @throws ProblemError */
  enter(refreshToken: string): Promise<SessionTokens>;
  /** Continues the session of the cookie, on a page of the service itself; null when there is none. @throws ProblemError */
  resume(): Promise<SessionTokens | null>;
  /** Ends the session here and at the service. */
  signOut(): Promise<void>;
  /** Renews the access token at once; null when there is no session. @throws ProblemError */
  renew(): Promise<SessionTokens | null>;
  /**
   * An access token that has not expired, for connections that are not requests; null without a session.
   * @throws ProblemError
   */
  accessToken(): Promise<string | null>;
  /** Uploads a file, from its announcement to the document, in parts if it is large. @throws ProblemError, TransferError */
  uploadDocument(file: FileToUpload, options?: UploadOptions): Promise<Document>;
  /** Uploads a logo or banner, which replaces the current one. @throws ProblemError, TransferError */
  uploadBranding(file: BrandingFile, options?: UploadOptions): Promise<BrandingUploadResult>;
}

/** A client of one installation of the service, for one person at a time. */
export function createClient({
  baseUrl,
  fetch: send = (request) => fetch(request),
  personalAccessToken,
  tokens = memoryStore(),
  ownPage,
  putBytes = putWithFetch(send),
  checksumOf = async (file, signal) => (await import("./checksum.ts")).checksumOf(file, signal),
  retries = {},
}: ClientOptions): WorkspaceClient {
  const session = new Session(baseUrl, send, tokens, ownPage ?? null);
  const patient = (once: Send): Send =>
    retries === false ? once : async (request) => (await import("./retries.ts")).retrying(once, retries)(request);
  const api = createFetchClient<paths>(
    personalAccessToken === undefined
      ? { baseUrl, fetch: patient((request) => session.authorized(request)) }
      : { baseUrl, fetch: patient(send), headers: { authorization: `Bearer ${personalAccessToken}` } },
  );
  const open = createFetchClient<paths>({ baseUrl, fetch: patient(inTurn(send, ownPage ?? null)) });
  return {
    api,
    signIn: async (login) => {
      const begun = await dataOf(open.POST("/v1/auth/login", { body: login }));
      tokens.write(begun);
      return begun;
    },
    confirmSignIn: async (confirmation) => {
      const begun = await dataOf(open.POST("/v1/auth/login/second-factor", { body: confirmation }));
      tokens.write(begun);
      return begun;
    },
    enter: async (refreshToken) => {
      const cookie = ownPage && { cookie: "session" as const };
      const entered = await dataOf(
        open.POST("/v1/auth/refresh", { body: { refreshToken, isSingleUse: true, ...cookie } }),
      );
      tokens.write(entered);
      return entered;
    },
    resume: () => session.renew(tokens.read()),
    signOut: async () => {
      const ended = tokens.read();
      tokens.write(null);
      if (ended === null) return;
      const { accessToken, refreshToken } = ended;
      const headers = { authorization: `Bearer ${accessToken}` };
      await dataOf(
        open.POST("/v1/auth/logout", refreshToken === "" ? { body: {}, headers } : { body: { refreshToken } }),
      );
    },
    renew: async () => {
      const present = tokens.read();
      return present === null ? null : session.renew(present);
    },
    accessToken: async () => personalAccessToken ?? (await session.accessToken()),
    uploadDocument: (file, options) => uploadDocument({ api, putBytes, checksumOf }, file, options),
    uploadBranding: (file, options) => uploadBranding({ api, putBytes, checksumOf }, file, options),
  };
}
