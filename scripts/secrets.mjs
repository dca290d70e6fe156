import { generateKeyPairSync, randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** New values of every secret that the service needs, by the name of its setting. */
export function newSecrets() {
  const { privateKey } = generateKeyPairSync("ed25519");
  return {
    SESSION_SIGNING_KEY: JSON.stringify(privateKey.export({ format: "jwk" })),
    OBJECT_SIGNING_SECRET: randomBytes(32).toString("hex"),
  };
}

const toEnvFile = (secrets) =>
  Object.entries(secrets)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join("");

/**
 * The secrets of a local service. They are made at its first start and stored in its state, where only this user can
 * read them. A secret that a later version needs is added. Returns the path of the .env file.
 */
export function localSecrets(stateDir) {
  const file = join(stateDir, "secrets.env");
  const held = existsSync(file) ? readFileSync(file, "utf8") : "";
  const missing = Object.entries(newSecrets()).filter(([name]) => !new RegExp(`^${name}=`, "m").test(held));
  if (missing.length > 0) writePrivately(file, held + toEnvFile(Object.fromEntries(missing)));
  chmodSync(file, 0o600);
  return file;
}

/** Replaces a file as a whole, or keeps the old one. Only this user can read it. */
export function writePrivately(file, text) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, text, { mode: 0o600 });
  renameSync(whole, file);
}

// `npm run secrets` prints values for a deployment. Set them with `npm run wrangler -- secret put`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  for (const [name, value] of Object.entries(newSecrets()))
    console.log(`\nnpm run wrangler -- secret put ${name}\n${value}`);
