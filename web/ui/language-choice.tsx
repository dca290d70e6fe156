import { COMMON } from "#texts/common.ts";
import { LANGUAGE_NAMES, type ReaderLanguage } from "../../src/platform/languages/languages.ts";
import { keepLanguage, keptLanguage } from "./reader-language.ts";

/**
 * The choice of the language of the pages. Without a choice, pages have the language of the browser. `save` keeps the choice of a
 * person who is signed in: null is the language of the browser. The page is loaded again when it is saved.
 */
export function LanguageChoice({ save }: { save?: (language: ReaderLanguage | null) => Promise<boolean> }) {
  const choose = async (value: string) => {
    const language = value === "" ? null : (value as ReaderLanguage);
    if (save !== undefined && !(await save(language))) return;
    keepLanguage(value);
    location.reload();
  };
  const kept = keptLanguage();
  return (
    <label class="field">
      <span>{COMMON.language}</span>
      <select class="input" name="language" onChange={(event) => void choose(event.currentTarget.value)}>
        <option value="" selected={kept === ""}>
          {COMMON.browserLanguage}
        </option>
        {Object.entries(LANGUAGE_NAMES).map(([language, name]) => (
          <option key={language} value={language} lang={language} selected={language === kept}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
