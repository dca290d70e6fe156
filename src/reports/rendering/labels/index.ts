import type { InEachLanguage } from "../../../platform/languages/languages";
import { LABELS as da } from "./da";
import { LABELS as de } from "./de";
import { LABELS as en } from "./en";
import { LABELS as es } from "./es";
import { LABELS as fi } from "./fi";
import { LABELS as fr } from "./fr";
import { LABELS as it } from "./it";
import type { Labels } from "./labels";
import { LABELS as nb } from "./nb";
import { LABELS as nl } from "./nl";
import { LABELS as sv } from "./sv";

export type { Labels } from "./labels";

/** Words by primary language subtag. `no` is unspecified Norwegian, and `nn` gets Bokmål instead of English. */
export const LABELS: Readonly<Record<string, Labels>> & InEachLanguage<Labels> = {
  da,
  de,
  en,
  es,
  fi,
  fr,
  it,
  nb,
  nl,
  sv,
  nn: { ...nb, dates: ["nn", "nb"] },
  no: nb,
};
