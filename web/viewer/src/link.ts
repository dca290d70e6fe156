import { signal } from "@preact/signals";
import {
  createClient,
  dataOf,
  ProblemError,
  type SharedCameraList,
  type SharedLatestPreview,
} from "../../../client/src/index.ts";
import type { ArchivePort } from "../../archive/port.ts";

/** Time between two checks of the link. An ended link closes within 5 seconds. */
const WATCH_MS = 4_000;
/** Maximum number of cameras in one request for latest pictures. */
const MAX_PREVIEWS = 32;
/** Pause after an answer that does not name one. */
const RETRY_MS = 5_000;

export type SharedCamera = SharedCameraList["cameras"][number];

type LinkState = "opening" | "locked" | "open" | "ended" | "incomplete";

const isToken = (token: string): boolean => /^svcshare1\.[0-9a-f]{32}\.[0-9a-f]{64}$/.test(token);

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A share link: its state, its cameras, and a reader of their archives. The token is only in a request header. */
export class Link {
  readonly state = signal<LinkState>("opening");
  readonly shown = signal<SharedCameraList | null>(null);
  /** The reason why the service cannot be reached at present. */
  readonly trouble = signal<unknown>(null);
  readonly #api;
  #checking: Promise<void> | null = null;
  /** Proves that the passcode was entered. It is kept only in memory. */
  #pass: string | null = null;

  constructor(private readonly token: string) {
    this.#api = createClient({
      baseUrl: location.origin,
      fetch: (request) => {
        request.headers.set("accept-language", document.documentElement.lang);
        request.headers.set("x-camera-share", token);
        if (this.#pass !== null) request.headers.set("x-camera-share-pass", this.#pass);
        return fetch(request, { credentials: "omit", cache: "no-store" });
      },
      // The page tries again by itself, and shows the trouble meanwhile.
      retries: false,
    }).api;
  }

  /** Opens the link, and checks it regularly until it has ended. */
  async watch(): Promise<void> {
    if (!isToken(this.token)) {
      this.state.value = "incomplete";
      return;
    }
    document.addEventListener("visibilitychange", () => void this.check());
    while (this.state.peek() !== "ended") {
      if (!document.hidden && this.state.peek() !== "locked") await this.check();
      await wait(WATCH_MS);
    }
  }

  /** Checks the link once. Simultaneous calls share one request. */
  check(): Promise<void> {
    this.#checking ??= this.#look().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #look(): Promise<void> {
    try {
      const shown = await dataOf(this.#api.GET("/v1/shared-cameras"));
      this.trouble.value = null;
      if (JSON.stringify(shown) !== JSON.stringify(this.shown.peek())) this.shown.value = shown;
      this.state.value = "open";
    } catch (thrown) {
      if (thrown instanceof ProblemError && thrown.status === 404) {
        this.state.value = "ended";
        return;
      }
      if (thrown instanceof ProblemError && thrown.code === "passcode-required") {
        this.trouble.value = null;
        this.state.value = "locked";
        return;
      }
      this.trouble.value = thrown;
      const seconds = thrown instanceof ProblemError ? thrown.retryAfter : null;
      await wait(seconds === null ? RETRY_MS : seconds * 1000);
    }
  }

  /** Sends the passcode. @throws ProblemError if it is wrong. */
  async unlock(passcode: string): Promise<void> {
    const { pass } = await dataOf(this.#api.POST("/v1/shared-cameras/unlock", { body: { passcode } }));
    this.#pass = pass;
    await this.check();
  }

  /** The answer to a request of the link. A 404 can mean that the link has ended. */
  async #found<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (thrown) {
      if (thrown instanceof ProblemError && (thrown.status === 404 || thrown.status === 401)) await this.check();
      throw thrown;
    }
  }

  /** The logo of the organization; null if it was removed. */
  async logo(): Promise<Blob | null> {
    const { data, error, response } = await this.#api.GET("/v1/shared-cameras/logo", { parseAs: "blob" });
    if (response.status === 404) return null;
    return dataOf(Promise.resolve({ ...(data !== undefined && { data }), error, response }));
  }

  /** The previews of the latest pictures of cameras. */
  async latest(cameraIds: readonly string[]): Promise<SharedLatestPreview[]> {
    const all: SharedLatestPreview[] = [];
    for (let at = 0; at < cameraIds.length; at += MAX_PREVIEWS) {
      const body = { cameraIds: cameraIds.slice(at, at + MAX_PREVIEWS) };
      const { items } = await this.#found(dataOf(this.#api.POST("/v1/shared-cameras/latest-previews", { body })));
      all.push(...items);
    }
    return all;
  }

  /** The archive of a camera of the link. */
  port(cameraId: string): ArchivePort {
    const path = { cameraId };
    const found = <T>(call: Promise<T>) => this.#found(call);
    return {
      timeline: (range) =>
        found(
          dataOf(this.#api.GET("/v1/shared-cameras/{cameraId}/timeline", { params: { path, query: { ...range } } })),
        ),
      times: (query) =>
        found(dataOf(this.#api.GET("/v1/shared-cameras/{cameraId}/captures/times", { params: { path, query } }))),
      seek: async (at) => {
        const params = { path, query: { at } };
        const call = this.#api.GET("/v1/shared-cameras/{cameraId}/captures/seek", { params });
        return (await found(dataOf(call))).capture;
      },
      previews: (times, signal) =>
        found(
          dataOf(
            this.#api.POST("/v1/shared-cameras/{cameraId}/previews", { params: { path }, body: { times }, signal }),
          ),
        ),
      image: async (captureId, form, signal) => {
        const { data, error, response } = await this.#api.GET("/v1/shared-cameras/captures/{captureId}/image", {
          params: { path: { captureId }, query: { thumbnail: form === "thumbnail" ? "true" : "false" } },
          parseAs: "blob",
          signal,
        });
        if (response.status === 404) {
          await this.check();
          return null;
        }
        return dataOf(Promise.resolve({ ...(data !== undefined && { data }), error, response }));
      },
    };
  }
}
