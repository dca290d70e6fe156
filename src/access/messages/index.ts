import type { InEachLanguage } from "../../platform/languages/languages";
import { MESSAGES as en } from "./en";

/** The texts of this feature in each language. */
export const MESSAGES: InEachLanguage<typeof en> = { en };
