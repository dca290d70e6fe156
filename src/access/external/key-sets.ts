import { z } from "@hono/zod-openapi";
import { createRemoteJWKSet, customFetch } from "jose";
import { readBounded } from "../../platform/http/bounded";
import type { Settings } from "../../platform/settings";
import { MINUTE, SECOND } from "../../platform/time";

export type Issuer = Settings["OIDC_ISSUERS"][number];

const FETCH_TIMEOUT = 3 * SECOND;
/** Keys are fetched again when this old; an unknown key id fetches at most once in the cooldown. */
const LARGEST_AGE = 10 * MINUTE;
const COOLDOWN = 30 * SECOND;
/** An issuer that failed is left alone this long: nobody makes us ask it for every forged token. */
const LEFT_ALONE = 5 * SECOND;
/** A key set is a few kilobytes; more is not read. */
const LARGEST_KEY_SET = 256 * 1024;

/** The issuer's keys could not be had: not a verdict on the token. */
export class IssuerUnavailable extends Error {}

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** When each issuer's address failed last. */
const failedAt = new Map<string, number>();

async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  if (Date.now() < (failedAt.get(url) ?? 0) + LEFT_ALONE)
    throw new IssuerUnavailable("the key set could not be fetched just now");
  try {
    const response = await fetch(url, init);
    if (response.status !== 200 || response.body === null) throw new Error(`answered ${response.status}`);
    const body = await readBounded(response.body, LARGEST_KEY_SET);
    if (body === null) throw new Error("the key set is too large");
    const keySet = keySetSchema.parse(JSON.parse(await body.text()));
    failedAt.delete(url);
    return Response.json(keySet);
  } catch (cause) {
    failedAt.set(url, Date.now());
    throw new IssuerUnavailable("the key set could not be fetched", { cause });
  }
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** One a configured issuer, so at most ten; an isolate's requests share what was fetched. */
const keySets = new Map<string, KeySet>();

/** The keys an issuer signs with, fetched when needed and kept for a while. */
export function keySetOf({ jwksUrl }: Issuer): KeySet {
  const known = keySets.get(jwksUrl);
  if (known !== undefined) return known;
  const keySet = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: FETCH_TIMEOUT,
    cacheMaxAge: LARGEST_AGE,
    cooldownDuration: COOLDOWN,
    [customFetch]: fetchBounded,
  });
  keySets.set(jwksUrl, keySet);
  return keySet;
}
