import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../context";

/** The parts of /openapi.json about the whole service. The routes declare the rest. */
const SERVICE = {
  openapi: "3.1.0",
  info: {
    title: "Document workspace",
    version: "1",
    description: [
      "Organizations have clusters, locations, documents and annotations. One permission rule decides which of them each caller can see.",
      "",
      "- Errors are `application/problem+json` (RFC 9457) with a stable `code`. A resource that you may not see answers like one that does not exist.",
      "- Lists are `{ items, nextCursor }`: send `nextCursor` back as `cursor`.",
      "- A resource that you can edit has a `revision`, which is also its `ETag`. Send it in `If-Match` or `baseRevision` to change exactly that revision.",
      "- A POST, PUT or PATCH with an `Idempotency-Key` makes its change once, also if it names a revision. A repeat within 24 hours gets the first answer, if the caller still has access. While the first request runs, a repeat gets 409 `request-in-progress` with `Retry-After`.",
      "- A DELETE is carried out once. Each repeat, also one at the same moment, gets 404. A repeated cancellation of an upload gets its first answer again.",
      "- `Location` is the address of what a request made or began (201, 202). While it is not ready, ask there after `Retry-After`.",
      "- Limited requests say what is left in `RateLimit`, by the limits in `RateLimit-Policy`. A 429 has `Retry-After`.",
      "- Unknown fields in a body or a query are refused with 400.",
      "- Fields that end in `Utc` are ISO 8601 times. Every answer has an `X-Request-Id`.",
    ].join("\n"),
  },
  tags: [
    { name: "Authentication", description: "Accounts, sessions and personal access tokens." },
    { name: "Organizations", description: "Workspaces of several people, and their limits." },
    { name: "Members", description: "The people of an organization, their roles, overrides and invitations." },
    { name: "Entitlements", description: "The features and limits of an organization, and its usage." },
    { name: "Audit", description: "The record of changes to access and settings, and of deletions." },
    { name: "Clusters", description: "Groups of locations." },
    { name: "Locations", description: "Places with documents and annotations." },
    { name: "Grants", description: "The shares of a cluster, location or document with one person." },
    { name: "Annotations", description: "Notes, defects and marks at a location." },
    { name: "Documents", description: "The documents of a location: uploads, versions, text and downloads." },
    {
      name: "Documents by mail",
      description: "The mail address of a location: its rules, and the mails that became documents or were refused.",
    },
    { name: "Trash", description: "Deleted resources that can still be restored." },
    { name: "Webhooks", description: "Addresses that get the events of an organization, and their deliveries." },
    { name: "Branding", description: "An organization's name, colours, logo and banner, as its reports show them." },
    { name: "Exports", description: "A whole organization, or the own data of a person, as one ZIP." },
    { name: "Report templates", description: "The layout and the initial content of reports." },
    { name: "Reports", description: "The report drafts of a location, and their PDFs." },
    { name: "Cameras", description: "The cameras of a location: settings, pairing and status." },
    { name: "Camera devices", description: "The routes that a camera's device calls." },
    { name: "Search", description: "One search over all resources that the caller can see." },
    { name: "Search index", description: "The status and the rebuild of the index, for platform administrators." },
    { name: "Notifications", description: "The inbox of the caller: events that concern them." },
    {
      name: "Camera archive",
      description: "The captures of cameras: history, timeline, previews, frames and downloads.",
    },
    {
      name: "Camera exports",
      description: "The original images of a camera as one ZIP file, which you can download whole or in ranges.",
    },
    { name: "Camera shares", description: "Links that show cameras of a location to people without an account." },
    { name: "Shared cameras", description: "The cameras of such a link, for everyone who has it." },
    {
      name: "Administration",
      description: "Jobs and organizations of the whole service, for platform administrators.",
    },
    { name: "Health", description: "Health checks for load balancers and monitoring." },
  ],
};

/** The OpenAPI description of an application, which /openapi.json serves. */
export const describeApi = (app: OpenAPIHono<AppEnv>) =>
  withExamples(withoutSecurity(app.getOpenAPI31Document(SERVICE)));

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** States that an operation without a security needs none. A generator of clients could take it for forgotten. */
function withoutSecurity<T extends { paths?: object }>(description: T): T {
  const paths = (description.paths ?? {}) as Record<string, Partial<Record<string, { security?: unknown[] }>>>;
  for (const operations of Object.values(paths))
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation !== undefined) operation.security ??= [];
    }
  return description;
}

/** The parts of a JSON schema from which an example is derived. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  example?: unknown;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  properties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
type Schemas = Record<string, Schema>;

/** Example values by field name, for fields that declare none. A field's own example comes first. */
const BY_FIELD: Readonly<Record<string, string | number>> = {
  accentColor: "#d97706",
  accessToken: "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIwMTkyZjBjMSJ9.c2lnbmF0dXJl",
  address: "12 Harbour Street, Oslo",
  altitude: 12.5,
  at: "The east pier",
  body: "A crack at the east bearing.",
  bodyFieldPath: "body",
  brandName: "Northern Bridges",
  bytesRemoved: 52_428_800,
  cameraName: "North gate",
  checksumSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  color: "#0f766e",
  contentType: "application/pdf",
  correctedTerm: "bridge bearing",
  credentialSecret: "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
  cssMediaType: "print",
  cssStylesheetTemplate: "h1 { color: {{brand.primaryColor}}; }",
  current: "correct horse battery staple",
  date: "2026-11-20",
  description: "The yard north of the bridge.",
  detail: "Correct these and send it again: name: Required.",
  displayName: "Ada Lovelace",
  email: "ada@example.org",
  fileName: "inspection.pdf",
  freeBytes: 12_884_901_888,
  height: 1080,
  hint: "Convert the letters of the SVG to outlines.",
  htmlLayoutTemplate: "<h1>{{title}}</h1>",
  hubPath: "/sync-hub",
  image: "images/pier.jpg",
  instance: "/v1/spatial/clusters",
  ip: "203.0.113.7",
  jpegBase64: "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ==",
  latitude: 59.9139,
  limit: 20,
  link: "https://docs.example.org/invitation#svcinv1.0192f0c1.secret",
  locationLatitude: 59.9139,
  locationLongitude: 10.7522,
  locationName: "East pier",
  longitude: 10.7522,
  message: "Required",
  name: "North yard",
  new: "another correct horse battery",
  organizationName: "Northern Bridges",
  pairingCode: "7KQ2-M9XD",
  password: "correct horse battery staple",
  path: "plans/2026",
  primaryColor: "#0f766e",
  refreshToken: "svcref1.0192f0c1.secret",
  reformulatedTerm: "bearing replacement",
  resultId: "document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
  roomName: "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
  secondaryColor: "#334155",
  serverUrl: "wss://docs.example.org/v1/reports/rooms",
  sizeBytes: 52_428,
  slogan: "We keep bridges open.",
  snippet: "The bearing at the east pier was replaced.",
  status: 400,
  subjectType: "cluster",
  subtitle: "plans/2026",
  templateKey: "inspection",
  term: "bearing replacement",
  text: "The bearing at the east pier was replaced.",
  thumbnailUrl: "https://docs.example.org/objects/thumbnail.jpg",
  timeZone: "Europe/Oslo",
  title: "Inspection of the east pier",
  token: "svcinv1.0192f0c1.secret",
  totalBytes: 52_428_800,
  uploadUrl: "https://docs.example.org/objects/staging?signature=secret",
  url: "https://docs.example.org/objects/file?signature=secret",
  userAgent: "Mozilla/5.0",
  width: 1920,
};

const isNull = ({ type }: Schema): boolean => type === "null";

/** An example of a schema: its own, or one composed of the examples of its parts. */
function exampleOf(schema: Schema, schemas: Schemas, field = ""): unknown {
  if (schema.$ref !== undefined) return exampleOf(schemas[schema.$ref.replace(/^.*\//, "")] ?? {}, schemas, field);
  for (const given of [schema.example, schema.const, schema.default]) if (given !== undefined) return given;
  if (schema.enum !== undefined) return schema.enum.find((value) => value !== null) ?? null;
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, schemas, field)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return exampleOf(choices.find((one) => !isNull(one)) ?? {}, schemas, field);
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  const known = BY_FIELD[field];
  switch (type) {
    case "object":
      return objectExample(schema, schemas);
    case "array":
      return schema.items === undefined ? [] : [exampleOf(schema.items, schemas, field)];
    case "string":
      return typeof known === "string" ? known : "text";
    case "integer":
    case "number":
      return typeof known === "number" ? known : Math.max(schema.minimum ?? 0, 1);
    case "boolean":
      return false;
    default:
      return null;
  }
}

function objectExample({ properties = {}, propertyNames, additionalProperties }: Schema, schemas: Schemas): object {
  const example: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) example[name] = exampleOf(property, schemas, name);
  const key = propertyNames?.enum?.[0];
  if (typeof key === "string" && typeof additionalProperties === "object")
    example[key] = exampleOf(additionalProperties, schemas, key);
  return example;
}

/** Adds an example to every named schema of a description. */
function withExamples<T extends { components?: { schemas?: object } }>(description: T): T {
  const schemas = (description.components?.schemas ?? {}) as Schemas;
  const complete = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { ...schema, example: exampleOf(schema, schemas) }]),
  );
  return { ...description, components: { ...description.components, schemas: complete } };
}
