/** The link was revoked, has expired, or never was: the service tells these apart to nobody. */
export class LinkEnded extends Error {}

/** Nothing answered, or not in time. */
export class Unreachable extends Error {}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Calls of the service with the token of a link, which goes in a header alone: never in an address.
 * Answers 429 and 503 are waited out as the service asks.
 */
export class ShareClient {
  #token;

  constructor(token) {
    this.#token = token;
  }

  async #send(path, init = {}, tries = 4) {
    let response;
    try {
      const headers = { ...init.headers, "x-camera-share": this.#token };
      response = await fetch(path, { ...init, headers, credentials: "omit", cache: "no-store" });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new Unreachable("the service did not answer", { cause });
    }
    if ((response.status === 429 || response.status === 503) && tries > 1) {
      await wait(1000 * Math.min(60, Number(response.headers.get("retry-after")) || 2));
      return this.#send(path, init, tries - 1);
    }
    if (response.status >= 500 || response.status === 429) throw new Unreachable(`status ${response.status}`);
    return response;
  }

  /** The answer's JSON; null for 404 of a thing within the link. */
  async #json(path, init) {
    const response = await this.#send(path, init);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.json();
  }

  /** What the link shows. @throws LinkEnded. */
  async cameras() {
    const shown = await this.#json("/v1/shared-cameras");
    if (shown === null) throw new LinkEnded();
    return shown;
  }

  timeline(cameraId) {
    return this.#json(`/v1/shared-cameras/${cameraId}/timeline`);
  }

  /** The capture nearest to a time; with a direction, the next one from `capture`. Null at an edge. */
  async seek(cameraId, at, direction, captureId) {
    const query = new URLSearchParams({ at, ...(direction ? { direction, captureId } : {}) });
    return (await this.#json(`/v1/shared-cameras/${cameraId}/captures/seek?${query}`))?.capture ?? null;
  }

  /** Tiny previews of up to 32 times. */
  previews(cameraId, times, signal) {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ times });
    return this.#json(`/v1/shared-cameras/${cameraId}/previews`, { method: "POST", headers, body, signal });
  }

  /** An image's bytes, or null when it is not available any more. */
  async image(captureId, thumbnail, signal) {
    const query = thumbnail ? "?thumbnail=true" : "";
    const response = await this.#send(`/v1/shared-cameras/captures/${captureId}/image${query}`, { signal });
    return response.ok ? response.blob() : null;
  }
}
