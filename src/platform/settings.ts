import { z } from "@hono/zod-openapi";
import { canonicalEmail } from "./http/fields";
import { idSchema } from "./ids";

const flag = z.enum(["true", "false"]).transform((v) => v === "true");
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((s) => s.trim())
    .filter(Boolean),
);
/** An origin: scheme, host and port, as browsers write them. `what` begins the error message. */
const originOf = (what: string, example: string) => {
  const advice = `${what}, such as ${example}, without a path`;
  return z.string({ error: advice }).transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
    context.addIssue({ code: "custom", message: advice });
    return z.NEVER;
  });
};
const bytes = z.coerce.number().int().nonnegative();

/** A variable that contains JSON of a known shape. */
export const jsonOf = <T extends z.ZodType>(shape: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: "custom", message: "must be JSON" });
        return z.NEVER;
      }
    })
    .pipe(shape);

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
const secureUrl = z.url().refine((url) => {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname));
}, "must be an https address");

const domain = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, "must be domains, such as example.org");

/** A claim whose values bring memberships. Nobody becomes an owner by a claim. */
const claimedMemberships = z.strictObject({
  claim: z.string().min(1).max(200),
  roles: z
    .array(
      z.strictObject({
        value: z.string().min(1).max(500),
        organizationId: idSchema,
        role: z.enum(["guest", "member", "admin"]),
      }),
    )
    .min(1)
    .max(200),
});

const oidcIssuers = jsonOf(
  z
    .array(
      z.strictObject({
        issuer: z.url(),
        audience: z.string().min(1),
        jwksUrl: secureUrl,
        /** The domains of email addresses that the issuer can verify; absent: all domains. */
        domains: z.array(domain).min(1).max(100).optional(),
        memberships: claimedMemberships.optional(),
      }),
    )
    .max(10),
);

const KEY_ADVICE = "set it with `npm run secrets`: an Ed25519 private key as a JWK";
const keyPart = z.string({ error: KEY_ADVICE }).regex(/^[A-Za-z0-9_-]{43}$/, KEY_ADVICE);
const ed25519 = { kty: z.literal("OKP", { error: KEY_ADVICE }), crv: z.literal("Ed25519", { error: KEY_ADVICE }) };
const publicKey = z.object({ ...ed25519, x: keyPart });
const privateKey = publicKey.extend({ d: keyPart });

/** All settings of an operator, with their defaults. docs/reference/settings.md describes each. */
const settingsSchema = z
  .object({
    PUBLIC_BASE_URL: originOf("set it to the address at which people reach the service", "https://docs.example.org"),
    SESSION_SIGNING_KEY: z.string({ error: KEY_ADVICE }).pipe(jsonOf(privateKey)),
    /** Earlier public keys. Tokens that they signed stay valid until they expire. */
    SESSION_VERIFY_KEYS: jsonOf(z.array(publicKey).max(5)).default([]),
    REGISTRATION: z.enum(["open", "invite", "closed"]).default("invite"),
    FIRST_USER_IS_ADMIN: flag.default(false),
    ADMIN_EMAILS: list
      .transform((emails) => emails.map((email) => canonicalEmail(email) ?? email.toLowerCase()))
      .default([]),
    MAIL_FROM: z.email().optional(),
    /** The domain whose mails Email Routing gives to the Worker. */
    MAIL_DOMAIN: domain.optional(),
    ALLOWED_ORIGINS: list.pipe(z.array(originOf("name origins", "https://console.example.org"))).default([]),
    OIDC_ISSUERS: oidcIssuers.default([]),
    OBJECT_STORE: z.enum(["worker", "s3"]).default("worker"),
    OBJECT_SIGNING_SECRET: z.string().min(32, "set it with `npm run secrets`: at least 32 random characters"),
    S3_ENDPOINT: z.url().optional(),
    S3_BUCKET: z.string().min(3).optional(),
    S3_ACCESS_KEY_ID: z.string().min(1).optional(),
    S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
    DEFAULT_STORAGE_BYTES: bytes.default(10 * 1024 ** 3),
    PERSONAL_STORAGE_BYTES: bytes.default(1024 ** 3),
    DEFAULT_JOBS_PER_MONTH: bytes.default(1_000),
    DEFAULT_MAX_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(365),
    DEFAULT_CAMERAS: flag.default(false),
    DEFAULT_EXTERNAL_SHARES: flag.default(false),
    RECOVERY_WINDOW_DAYS: z.coerce.number().int().min(1).max(365).default(30),
    CAPTURE_RECOVERY_HOURS: z.coerce.number().int().min(0).max(8_760).default(24),
    BACKUP_RETENTION_DAYS: z.coerce.number().int().min(1).max(3_650).default(30),
    NOTIFICATION_RETENTION_DAYS: z.coerce.number().int().min(1).default(180),
    PRINT_BROWSERS: z.coerce.number().int().min(1).max(100).default(3),
    RECOGNITION_BROWSERS: z.coerce.number().int().min(0).max(100).default(2),
    CHAT_CATALOG_URL: z.url().optional(),
    CHAT_CATALOG_TOKEN: z.string().min(1).optional(),
    WEBHOOK_RESOLVER_URL: secureUrl.default("https://cloudflare-dns.com/dns-query"),
    WEBHOOK_LOOPBACK: flag.default(false),
    SEARCH_TERMS_DAYS: z.coerce.number().int().min(1).max(3_650).default(90),
  })
  .superRefine((s, context) => {
    if (s.OIDC_ISSUERS.some(({ issuer }) => issuer === s.PUBLIC_BASE_URL))
      context.addIssue({ code: "custom", path: ["OIDC_ISSUERS"], message: "name issuers other than this service" });
    if (s.WEBHOOK_LOOPBACK && !LOOPBACK.has(new URL(s.PUBLIC_BASE_URL).hostname))
      context.addIssue({
        code: "custom",
        path: ["WEBHOOK_LOOPBACK"],
        message: "set it only for a service whose PUBLIC_BASE_URL is an address of this machine",
      });
    if (s.OBJECT_STORE !== "s3") return;
    for (const name of ["S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const)
      if (s[name] === undefined)
        context.addIssue({ code: "custom", path: [name], message: "set it, since OBJECT_STORE is s3" });
  });

export type Settings = z.infer<typeof settingsSchema>;

/** Settings that are missing or wrong. The message is for the operator. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The service cannot start:\n${problems.map((p) => `  - ${p}`).join("\n")}`);
    this.name = "SettingsError";
  }
}

/**
 * Reads the settings from the Worker's variables and secrets. An empty variable counts as not set.
 * @throws SettingsError with one sentence for each wrong setting
 */
export function parseSettings(vars: object): Settings {
  const given = Object.fromEntries(Object.entries(vars).filter(([, v]) => typeof v === "string" && v !== ""));
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.map((i) => `${i.path.join(".")}: ${i.message}`));
}

let cached: { env: object; settings: Settings } | undefined;

/** The settings of this isolate. They are parsed once. */
export function settingsOf(env: object): Settings {
  if (cached?.env !== env) cached = { env, settings: parseSettings(env) };
  return cached.settings;
}
