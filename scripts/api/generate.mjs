import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { main, Refusal, ROOT } from "../setup/project.mjs";
import { describeApi } from "./describe.mjs";

const SCHEMA = join(ROOT, "client/src/schema.ts");

const HEADER = `// Generated from the service's OpenAPI description by \`npm run client\`. Do not edit it.

`;

/** The generator of types, which has a TypeScript of its own in the client's package. */
const { astToString, default: generate } = createRequire(join(ROOT, "client/package.json"))("openapi-typescript");

/** The types of every path and schema of the service, as the text of a file. */
async function generateSchema() {
  const options = { alphabetize: true, rootTypes: true, rootTypesNoSchemaPrefix: true, silent: true };
  return HEADER + astToString(await generate(await describeApi(), options));
}

/** `npm run client` writes the client's types; with `--check` it refuses when the committed ones are not the same. */
main(async () => {
  const schema = await generateSchema();
  if (!process.argv.includes("--check")) return writeFileSync(SCHEMA, schema);
  if (readFileSync(SCHEMA, "utf8") !== schema)
    throw new Refusal("client/src/schema.ts is not what the service's description gives: run `npm run client`.");
  console.log("client/src/schema.ts fits the service's description.");
});
