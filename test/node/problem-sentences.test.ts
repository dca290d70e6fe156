import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SENTENCES } from "../../src/platform/languages/sentences/de/index.ts";
import { sentencesOf } from "./support/sentences.ts";

/* The sentences of problems are found in the sources, so that none is forgotten in a catalogue. */

const ROOT = join(import.meta.dirname, "../..");

/** Files whose sentences stay in English, by the reason. */
const ENGLISH_FILES: Readonly<Record<string, RegExp>> = {
  "the operator reads it, in the log, the jobs or the moves of the service":
    /^src\/(?:administration|backups|carried|access\/moves|platform\/(?:settings|db|jobs|http\/health)|search\/indexing)/,
  "a device or another program reads it, and no person":
    /^src\/(?:hub|reports\/room|search\/telemetry|platform\/(?:objects\/endpoint|jpeg)|cameras\/(?:ingestion|pairing|health|archive|previews))/,
  "a person who develops a client reads it": /^src\/platform\/http\/(?:middleware|idempotency|description)/,
  "it is in a language": /\/(?:messages|labels|languages)\//,
};

/** Further sentences in English, by the reason. */
const ENGLISH: Readonly<Record<string, readonly string[]>> = {
  "a person who develops a client reads it": [
    "Send `Bearer <token>`",
    "Send the body as application/json.",
    "The body is not valid JSON",
    "must be 64 lower-case hex characters",
    "must be base64url without padding",
  ],
  "a server that delivers a mail reads it": ["This address does not exist, or takes no mail."],
  "it has the words of the format of a picture": ["a row has filter", "its header gives"],
  "only the operator's issuer of sign-ins can change it": ["The issuer of this credential has not verified"],
};

test("each sentence of a problem in the sources is in the catalogues", () => {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith(".ts") && !Object.values(ENGLISH_FILES).some((form) => form.test(file)));
  const found = files.flatMap((file) =>
    sentencesOf(file, readFileSync(join(ROOT, file), "utf8")).map((sentence) => ({ file, sentence })),
  );
  expect(found.length).toBeGreaterThan(300);
  const starts = Object.values(ENGLISH).flat();
  const missing = found
    .filter(({ sentence }) => !Object.hasOwn(SENTENCES, sentence) && !starts.some((start) => sentence.includes(start)))
    .map(({ file, sentence }) => `${file}: ${sentence}`);
  expect(missing).toEqual([]);
});
