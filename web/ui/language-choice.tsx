import { COMMON } from "#texts/common.ts";
import { LANGUAGE_COOKIE, LANGUAGE_NAMES } from "../../src/platform/languages/languages.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Keeps the language in this browser and loads the page in it. */
function choose(language: string): void {
  const secure = location.protocol === "https:" ? "; secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: Safari before 18.4 has no cookieStore.
  document.cookie = `${LANGUAGE_COOKIE}=${language}; path=/; max-age=${YEAR_SECONDS}; samesite=lax${secure}`;
  location.reload();
}

/** The choice of the language of the pages. Without a choice, pages have the language of the browser. */
export function LanguageChoice() {
  return (
    <label class="field">
      <span>{COMMON.language}</span>
      <select class="input" onChange={(event) => choose(event.currentTarget.value)}>
        {Object.entries(LANGUAGE_NAMES).map(([language, name]) => (
          <option key={language} value={language} lang={language} selected={language === document.documentElement.lang}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
