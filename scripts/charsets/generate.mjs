import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { main, ROOT } from "../setup/project.mjs";
import { modelFiles } from "./model.mjs";

/** Writes the tables by which the service detects the character set of a text. */
main(async () => {
  for (const [name, lines] of Object.entries(modelFiles()))
    writeFileSync(join(ROOT, "src/documents/extraction/charsets", name), `${lines.join("\n")}\n`);
});
