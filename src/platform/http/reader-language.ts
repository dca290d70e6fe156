import type { Context as HonoContext } from "hono";
import { languageDetector } from "hono/language";
import type { AppEnv } from "../context";
import { DEFAULT_LANGUAGE, LANGUAGE_COOKIE, LANGUAGES, type ReaderLanguage } from "../languages/languages";

const detect = languageDetector({
  supportedLanguages: LANGUAGES,
  fallbackLanguage: DEFAULT_LANGUAGE,
  order: ["cookie", "header"],
  lookupCookie: LANGUAGE_COOKIE,
  caches: false,
});

/** The language of a request: the one chosen in the browser, else the first one that it accepts and the service has. */
export async function requestLanguage(c: HonoContext<AppEnv>): Promise<ReaderLanguage> {
  await detect(c, async () => {});
  return c.get("language") as ReaderLanguage;
}
