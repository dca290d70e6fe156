import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureInstalled } from "../setup/install.mjs";
import { CACHE, main, Refusal, ROOT, SCHEMA } from "../setup/project.mjs";
import { unlessDone } from "../setup/stamp.mjs";

/** Everything that the description is made from. */
const INPUTS = ["src", "package-lock.json", "scripts/api", "scripts/setup"];

const HEADER = `// Generated from the service's OpenAPI description by \`npm run client\`. Do not edit it.

`;

/** The types of every path and schema of the service, as the text of a file. */
async function generateSchema() {
  // The bundler and the generator take longer to load than everything else here.
  const { describeApi } = await import("./describe.mjs");
  // The generator has its own TypeScript in the client's package.
  const { astToString, default: generate } = createRequire(join(ROOT, "client/package.json"))("openapi-typescript");
  const names = { rootTypes: true, rootTypesNoSchemaPrefix: true };
  // A field of a request that has a default may be absent.
  const options = { ...names, alphabetize: true, defaultNonNullable: false, silent: true };
  return HEADER + astToString(await generate(await describeApi(), options));
}

/**
 * Writes the types of the client, unless they are there and were made from the same source. Runs at the same time do not
 * disturb each other.
 */
export const writeSchema = () =>
  unlessDone({ stamp: join(CACHE, "client.json"), inputs: INPUTS }, async () => {
    const fresh = `${SCHEMA}.${process.pid}`;
    writeFileSync(fresh, await generateSchema());
    renameSync(fresh, SCHEMA);
    return [SCHEMA];
  });

/** `npm run client` writes the client's types; with `--check` it also refuses if the types that were there do not fit. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  main(async () => {
    await ensureInstalled();
    await writeSchema();
    if (!process.argv.includes("--check")) return;
    if (readFileSync(SCHEMA, "utf8") !== (await generateSchema()))
      throw new Refusal("client/src/schema.ts is not what the description gives. Delete it and run `npm run client`.");
    console.log("client/src/schema.ts fits the service's description.");
  });
