import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the tables of the charset detector are what `npm run charsets` writes", async () => {
  const { modelFiles } = await import(join(process.cwd(), "scripts/charsets/model.mjs"));
  for (const [name, lines] of Object.entries(modelFiles() as Record<string, string[]>))
    expect(readFileSync(join("src/documents/extraction/charsets", name), "utf8"), name).toBe(`${lines.join("\n")}\n`);
});
