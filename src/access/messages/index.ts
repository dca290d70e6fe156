import type { InEachLanguage } from "../../platform/languages/languages";
import * as de from "./de";
import * as en from "./en";
import * as es from "./es";
import * as fr from "./fr";

/** The texts of this feature in each language. */
export const MESSAGES: InEachLanguage<typeof en.MESSAGES> = {
  en: en.MESSAGES,
  de: de.MESSAGES,
  fr: fr.MESSAGES,
  es: es.MESSAGES,
};
