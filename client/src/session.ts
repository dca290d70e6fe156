import { ProblemError } from "./problem.ts";
import type { SessionTokens } from "./schema.ts";

/** The store of the tokens of a session. The access token is valid for minutes, the refresh token for days. */
export interface TokenStore {
  read(): SessionTokens | null;
  write(tokens: SessionTokens | null): void;
}

export type Send = (request: Request) => Promise<Response>;

/**
 * For pages of the service itself: the refresh token is in a cookie that scripts cannot read. All tabs of the browser share it.
 */
export interface OwnPage {
  /** Runs `call`, which changes the cookie, while no other tab runs one. */
  alone<T>(call: () => Promise<T>): Promise<T>;
}

/** The calls whose answers set or delete the cookie: they renew, begin or end a session. */
const COOKIE_CALLS = new Set([
  "/v1/auth/login",
  "/v1/auth/login/passkey",
  "/v1/auth/login/second-factor",
  "/v1/auth/logout",
  "/v1/auth/refresh",
  "/v1/auth/register",
]);

/**
 * Sends calls that change the cookie one after the other, in all tabs: a late answer to a renewal would replace the cookie of a sign-in
 * that was answered before.
 */
export const inTurn = (send: Send, ownPage: OwnPage | null): Send =>
  ownPage === null
    ? send
    : (request) =>
        COOKIE_CALLS.has(new URL(request.url).pathname) ? ownPage.alone(() => send(request)) : send(request);

/** An access token is renewed this long before it ends, so that it does not end during a request. */
const RENEWAL_MARGIN_MS = 30_000;

/** Keeps the tokens in memory. They are lost with the page or the process. */
export function memoryStore(): TokenStore {
  let kept: SessionTokens | null = null;
  return {
    read: () => kept,
    write: (tokens) => {
      kept = tokens;
    },
  };
}

const isEnding = ({ expiresAtUtc }: SessionTokens): boolean =>
  Date.parse(expiresAtUtc) - RENEWAL_MARGIN_MS < Date.now();

/** Sends requests with the access token of a session, and renews the token when it ends. */
export class Session {
  #renewal: Promise<void> | null = null;
  /** Sends every call but the renewal, which holds its turn already. */
  readonly #sendInTurn: Send;

  constructor(
    private readonly baseUrl: string,
    private readonly send: Send,
    private readonly store: TokenStore,
    private readonly ownPage: OwnPage | null,
  ) {
    this.#sendInTurn = inTurn(send, ownPage);
  }

  /**
   * Sends a request with the access token. If the service refuses the token, the token is renewed and the request is
   * sent again.
   */
  async authorized(request: Request): Promise<Response> {
    const tokens = this.store.read();
    if (tokens === null) return this.#sendInTurn(request);
    const again = request.clone();
    const current = await this.#current(tokens);
    const response = await this.#sendWith(request, current);
    if (response.status !== 401 || current === null) return response;
    const renewed = await this.renew(current);
    return renewed === null ? response : this.#sendWith(again, renewed);
  }

  /** An access token that has not ended; null without a session. @throws ProblemError when the service fails. */
  async accessToken(): Promise<string | null> {
    const tokens = this.store.read();
    return tokens === null ? null : ((await this.#current(tokens))?.accessToken ?? null);
  }

  async #current(tokens: SessionTokens): Promise<SessionTokens | null> {
    return isEnding(tokens) ? this.renew(tokens) : tokens;
  }

  #sendWith(request: Request, tokens: SessionTokens | null): Promise<Response> {
    if (tokens !== null) request.headers.set("authorization", `Bearer ${tokens.accessToken}`);
    return this.#sendInTurn(request);
  }

  /**
   * New tokens that replace `used`, or null when the session has ended; the store is then empty. Calls at the same
   * time share one renewal, because a refresh token works once.
   * @param used null: the session of the cookie
   * @throws ProblemError when the service fails.
   */
  async renew(used: SessionTokens | null): Promise<SessionTokens | null> {
    if (this.#isPresent(used)) {
      this.#renewal ??= this.#refreshAlone(used).finally(() => {
        this.#renewal = null;
      });
      await this.#renewal;
    }
    // Another tab can have begun a session of somebody else: what this person wanted is not done in that name.
    const present = this.store.read();
    return used === null || present?.user.id === used.user.id ? present : null;
  }

  #isPresent(used: SessionTokens | null): boolean {
    return this.store.read()?.accessToken === used?.accessToken;
  }

  async #refreshAlone(used: SessionTokens | null): Promise<void> {
    const refresh = () => this.#refresh(used?.refreshToken ?? "");
    if (this.ownPage === null) return refresh();
    await this.ownPage.alone(async () => {
      // The tab that was first has told its tokens.
      if (this.#isPresent(used)) await refresh();
    });
  }

  /** @param refreshToken empty if the cookie has it */
  async #refresh(refreshToken: string): Promise<void> {
    const given = refreshToken === "" ? {} : { refreshToken, ...(this.ownPage && { cookie: "session" }) };
    const response = await this.send(
      new Request(new URL("/v1/auth/refresh", this.baseUrl), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(given),
      }),
    );
    if (!response.ok && response.status !== 401)
      throw new ProblemError(response, await response.json().catch(() => null));
    this.store.write(response.ok ? ((await response.json()) as SessionTokens) : null);
  }
}
