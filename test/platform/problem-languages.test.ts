import { expect, test } from "vitest";
import { z } from "zod";
import { PROBLEMS } from "../../src/platform/errors";
import { CATALOGUES, say } from "../../src/platform/languages/translate";
import { call } from "../support/call";

const asked = async (accept: string) => {
  const body = { email: "nobody@example.org", password: "correct horse battery" };
  const response = await call("POST", "/v1/auth/login", { body, headers: { "accept-language": accept } });
  const { code, title, detail } = z
    .object({ code: z.string(), title: z.string(), detail: z.string() })
    .parse(await response.json());
  return { code, title, detail, language: response.headers.get("content-language") };
};

test("a wrong password is explained in the language of the reader, and its code stays", async () => {
  expect(await asked("fr-CH, fr;q=0.9, de;q=0.4")).toEqual({
    code: "invalid-credentials",
    title: "Les identifiants sont faux",
    detail: "L’adresse e-mail ou le mot de passe est incorrect.",
    language: "fr",
  });
  const english = await asked("it, en;q=0.5");
  expect(english).toMatchObject({ detail: "The e-mail address or the password is wrong.", language: "en" });
  expect((await asked("de;q=0.1, es;q=0.8")).language).toBe("es");
});

test("the messages of fields are translated, also those of the schemas, and names of fields stay", async () => {
  const response = await call("POST", "/v1/auth/register", {
    body: { email: "x", password: "short", displayName: "\u0007", wrong: 1 },
    headers: { "accept-language": "de" },
  });
  const { detail, errors } = z
    .object({ detail: z.string(), errors: z.array(z.object({ path: z.string(), message: z.string() })) })
    .parse(await response.json());
  expect(errors).toContainEqual({ path: "email", message: "muss eine E-Mail-Adresse sein" });
  expect(errors).toContainEqual({ path: "displayName", message: "darf keine Steuerzeichen haben" });
  expect(errors).toContainEqual({ path: "", message: 'unbekanntes Feld: "wrong"' });
  expect(detail).toMatch(/^Korrigieren Sie diese Felder, und senden Sie die Anfrage erneut: .*E-Mail-Adresse/);
});

test("sentences keep the values of people as they are, and translate their own parts", () => {
  expect(say("You are the only owner of “1 page”. Make another member an owner there, or delete it first.", "de")).toBe(
    "Sie sind der einzige Eigentümer von “1 page”. Machen Sie dort ein anderes Mitglied zum Eigentümer, oder löschen Sie zuerst die Organisation.",
  );
  expect(
    say(
      "Text was recognized on 2 of 3 pages. 1 page: damaged. Open the file in the program that made it and save it again.",
      "es",
    ),
  ).toBe(
    "Se reconoció texto en 2 de 3 páginas. 1 página: datos dañados. Abra el archivo en el programa que lo creó y vuelva a guardarlo.",
  );
  const refused = "The picture cannot be read: its data is damaged. The file itself is kept unchanged";
  expect(say(`A logo or banner is a PNG, JPEG, WebP or SVG picture: ${refused}.`, "es")).toBe(
    "Un logotipo o banner es una imagen PNG, JPEG, WebP o SVG: La imagen no se puede leer: sus datos están dañados. El propio archivo se conserva sin cambios.",
  );
  expect(say('cssStylesheetTemplate, line 2, column 5: unclosed section "report.pages"', "fr")).toBe(
    "cssStylesheetTemplate, ligne 2, colonne 5\u00a0: la section «\u00a0report.pages\u00a0» n’est pas fermée",
  );
  expect(say("Nobody has written this sentence. {0} [0]", "fr")).toBe("Nobody has written this sentence. {0} [0]");
  expect(say('No database has the name "x".', "en")).toBe('No database has the name "x".');
});

test("every language has the same sentences with the same holes, and every title", () => {
  const holes = (text: string) => [...text.matchAll(/[[{](\d)[\]}]/g)].map(([, n]) => n).sort();
  const { en: _, ...catalogues } = CATALOGUES;
  const [first, ...others] = Object.values(catalogues);
  for (const catalogue of others) expect(Object.keys(catalogue).sort()).toEqual(Object.keys(first ?? {}).sort());
  for (const catalogue of Object.values(catalogues)) {
    expect(Object.values(PROBLEMS).filter(([, title]) => !Object.hasOwn(catalogue, title))).toEqual([]);
    for (const [sentence, translation] of Object.entries(catalogue))
      expect(holes(translation)).toEqual(holes(sentence));
  }
});
