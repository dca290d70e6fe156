import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../context";

/** The part of /openapi.json that is about the service as a whole. The rest comes from the routes. */
const SERVICE = {
  openapi: "3.1.0",
  info: {
    title: "Document workspace",
    version: "1",
    description: [
      "Organizations keep clusters, locations, documents and annotations; one rule of permission decides what each caller sees.",
      "",
      "- Errors are `application/problem+json` (RFC 9457) with a stable `code`; what is hidden answers like what is absent.",
      "- Lists are `{ items, nextCursor }`: send `nextCursor` back as `cursor`.",
      "- What can be edited has a `revision`, sent as `ETag`. Name it in `If-Match` or `baseRevision` to change exactly that.",
      "- `Idempotency-Key` on a POST makes its change once: a repeat within 24 hours gets the first answer, while the caller may still ask for it. While the first request runs, a repeat gets 409 `request-in-progress` with `Retry-After`.",
      "- Unknown fields are refused with 400, in a body and in a query.",
      "- Times end in `Utc` and are ISO 8601. Every answer has an `X-Request-Id`.",
    ].join("\n"),
  },
  tags: [
    { name: "Authentication", description: "Accounts, sessions and personal access tokens." },
    { name: "Organizations", description: "What belongs together: people, places and their limits." },
    { name: "Members", description: "People of an organization, their roles, overrides and invitations." },
    { name: "Entitlements", description: "What an organization may use, and how much of it is used." },
    { name: "Audit", description: "Who changed access, settings or deleted something." },
    { name: "Clusters", description: "Groups of locations." },
    { name: "Locations", description: "Places with documents and annotations." },
    { name: "Grants", description: "One cluster, location or document shared with one person." },
    { name: "Annotations", description: "Notes, defects and marks at a location." },
    { name: "Documents", description: "The library of a location: uploads, versions, text and downloads." },
    { name: "Trash", description: "What was deleted and can be restored until its window ends." },
    { name: "Branding", description: "An organization's name, colours, logo and banner, as its reports show them." },
    { name: "Report templates", description: "What reports look like, and what they begin with." },
    { name: "Reports", description: "Drafts of a location, and the PDFs that are made of them." },
    { name: "Cameras", description: "Cameras of a location: settings, pairing and how they are." },
    { name: "Camera devices", description: "What a camera's own device calls." },
    { name: "Search", description: "One search over everything the caller may see." },
    { name: "Search index", description: "For platform administrators: making the index anew, and its state." },
    { name: "Notifications", description: "The inbox: what happened that concerns the caller." },
    { name: "Camera archive", description: "What cameras took: history, timeline, previews, frames and downloads." },
    { name: "Camera exports", description: "Original images of a camera as one ZIP, downloaded whole or in ranges." },
    { name: "Camera shares", description: "Links by which strangers see cameras of a location." },
    { name: "Shared cameras", description: "What such a link shows, for whoever has it." },
    { name: "Health", description: "For load balancers and monitoring." },
  ],
};

/** The OpenAPI description of an application: what /openapi.json serves. */
export const describeApi = (app: OpenAPIHono<AppEnv>) => withExamples(app.getOpenAPI31Document(SERVICE));

/** The parts of a JSON schema that an example follows from. */
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

/** Example values of fields that declare none, by the name of the field. A field's own example comes first. */
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

/** An example of a schema: its own, or one composed from the examples of its parts. */
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

/** The same description, with an example on every schema that has a name. */
function withExamples<T extends { components?: { schemas?: object } }>(description: T): T {
  const schemas = (description.components?.schemas ?? {}) as Schemas;
  const complete = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { ...schema, example: exampleOf(schema, schemas) }]),
  );
  return { ...description, components: { ...description.components, schemas: complete } };
}
