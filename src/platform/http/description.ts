import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../context";
import { withExamples } from "./examples";

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
