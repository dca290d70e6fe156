import { percent } from "../../platform/languages/en";

/** The notifications and mails for the administrators of the service. */
export const MESSAGES = {
  level: (database: string, hundredths: number) => `The database ${database} is ${percent(hundredths / 100)} full`,
  advice: "A database with 90% takes no new organization. Add a database, or move organizations to another one.",
  levelMail: (database: string, hundredths: number, link: string) => ({
    subject: `The database ${database} is ${percent(hundredths / 100)} full`,
    text: `The database ${database} has ${percent(hundredths / 100)} of its largest size, which nobody can raise. With 90% it takes no new organization.\n\nAdd a database, or move organizations to another one:\n${link}\n`,
  }),
};
