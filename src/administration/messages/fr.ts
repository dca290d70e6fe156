import { percent } from "../../platform/languages/fr";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  level: (database, hundredths) => `La base de données ${database} est remplie à ${percent(hundredths / 100)}`,
  advice:
    "À partir de 90 %, une base n’accepte plus de nouvelle organisation. Ajoutez une base, ou déplacez des organisations vers une autre.",
  levelMail: (database, hundredths, link) => ({
    subject: `La base de données ${database} est remplie à ${percent(hundredths / 100)}`,
    text: `La base de données ${database} a atteint ${percent(hundredths / 100)} de sa taille maximale, que personne ne peut augmenter. À partir de 90 %, elle n’accepte plus de nouvelle organisation.\n\nAjoutez une base, ou déplacez des organisations vers une autre :\n${link}\n`,
  }),
};
