import { type EventOf, type Message, type MessagesOf, NOWHERE } from "../../events";
import type { Context } from "../../platform/context";
import type { InEachLanguage, ReaderLanguage } from "../../platform/languages/languages";
import * as de from "./de";
import * as en from "./en";
import * as es from "./es";
import * as fr from "./fr";

const MESSAGES: InEachLanguage<typeof en.MESSAGES> = {
  en: en.MESSAGES,
  de: de.MESSAGES,
  fr: fr.MESSAGES,
  es: es.MESSAGES,
};

/** The mail about a database that has a level. @param hundredths percent of its largest size */
export const levelMail = (language: ReaderLanguage, database: string, hundredths: number, link: string) =>
  MESSAGES[language].levelMail(database, hundredths, link);

async function databaseLevel(_: Context, { database, percent, userIds }: EventOf<"database-level">): Promise<Message> {
  return {
    type: "database-level",
    severity: percent === 80 ? "error" : "warning",
    text: (language) => ({
      title: MESSAGES[language].level(database, percent),
      body: MESSAGES[language].advice,
    }),
    origin: null,
    ...NOWHERE,
    audience: { kind: "users", userIds },
    actorUserId: null,
  };
}

/** The messages for the administrators of the service. */
export const administrationMessages: MessagesOf<"database-level"> = { "database-level": databaseLevel };
