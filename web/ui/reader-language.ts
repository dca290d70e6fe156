import { LANGUAGE_COOKIE } from "../../src/platform/languages/languages.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The language that was chosen in this browser; the empty text if none was. */
export const keptLanguage = (): string =>
  document.cookie
    .split("; ")
    .find((one) => one.startsWith(`${LANGUAGE_COOKIE}=`))
    ?.slice(LANGUAGE_COOKIE.length + 1) ?? "";

/** Keeps a language for the next pages of this browser. The empty text: that of the browser. */
export function keepLanguage(language: string): void {
  const secure = location.protocol === "https:" ? "; secure" : "";
  const age = language === "" ? 0 : YEAR_SECONDS;
  // biome-ignore lint/suspicious/noDocumentCookie: Safari before 18.4 has no cookieStore.
  document.cookie = `${LANGUAGE_COOKIE}=${language}; path=/; max-age=${age}; samesite=lax${secure}`;
}
