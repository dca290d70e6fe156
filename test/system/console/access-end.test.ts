import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HTTPRequest } from "puppeteer-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ROOT } from "../../../scripts/setup/project.mjs";
import { AREAS } from "../../../src/platform/paths";
import { beforeItEnds, eventually, LONG_PATIENCE } from "../../support/patience";
import { pairCamera } from "../support/cameras";
import { visibleText } from "../support/console";
import { enter, openProfile, page, service, site, siteClient, turnTo, useDesk } from "../support/desk";
import { listenToHub } from "../support/hub-frames";
import { joinSite } from "../support/running";

/*
 * Ben has each view of the console open while Ada removes him from the organization. The view then shows nothing of it, at
 * once and not at its next reading. Each name of the organization has the word "zanzibar".
 */

const ben = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
/** Time in which the view closes: more than the two seconds of a quiet machine, and less than any view waits to read again. */
const CLOSES_WITHIN_MS = 15_000;
/** Time in which a quiet machine opens a view and its live connection. */
const OPENS_WITHIN_MS = 3_000;

/** A location that closes names itself in the reason. */
const REASON = "You no longer have access to zanzibar quay";

let token: string;
let userId: string;
let names: Record<"documentId" | "cameraId" | "reportId" | "clusterId" | "locationId", string>;

const withId = z.looseObject({ id: z.string() });

/**
 * What each view shows before the removal. The keys are the paths below /console, with the names of ids. Null: the view shows
 * nothing of the organization, or nothing to this person.
 */
const VIEWS: Readonly<Record<string, string | null>> = {
  locations: "zanzibar quay",
  "locations/:locationId/overview": "zanzibar quay",
  "locations/:locationId/cameras": "zanzibar gate",
  "locations/:locationId/documents": "zanzibar.txt",
  "locations/:locationId/reports": "zanzibar report",
  "locations/:locationId/annotations": "zanzibar note",
  "locations/:locationId/people": "Ada",
  "clusters/:clusterId": "zanzibar north",
  "documents/:documentId": "A zanzibar sentence",
  "documents/:documentId/people": "zanzibar.txt",
  cameras: "zanzibar gate",
  "cameras/:cameraId": "zanzibar gate",
  "search?q=sentence": "zanzibar.txt",
  inbox: "zanzibar.txt",
  trash: "zanzibar-old.txt",
  reports: "zanzibar report",
  "reports/:reportId": "zanzibar report",
  "reports/templates": "zanzibar form",
  "reports/templates/zanzibar": "zanzibar",
  "reports/new-template": null,
  "reports/partials": "zanzibar-head",
  "reports/partials/zanzibar-head": "zanzibar-head",
  "reports/new-partial": null,
  "settings/profile": null,
  "settings/sessions": null,
  "settings/passkeys": null,
  "settings/notifications": null,
  "settings/tokens": null,
  "settings/deleted-organizations": null,
  "settings/organization": "Zanzibar Ltd",
  "settings/members": "Ada",
  "settings/usage": "Zanzibar Ltd",
  "settings/branding": "Zanzibar Ltd",
  "settings/searches": "Zanzibar Ltd",
  "settings/webhooks": "zanzibar hook",
  "settings/audit": "Zanzibar Ltd",
  "settings/cleanups": "Zanzibar Ltd",
  admin: null,
  "admin/jobs": null,
  "admin/organizations": null,
  "admin/deleted": null,
  "admin/databases": null,
};

/** The texts of a pattern's group in a source file of the console. */
function namesIn(file: string, pattern: RegExp): string[] {
  const source = readFileSync(join(ROOT, "web/console/src", file), "utf8");
  const found = [...source.matchAll(pattern)].map(([, name]) => name ?? "");
  expect(found).not.toEqual([]);
  return found;
}

test("every view of the router is listed", () => {
  const PATH = /\bpath: "([a-z-]*)"/g;
  const router = [
    ...AREAS,
    ...namesIn("locations/tabs.ts", PATH).map((tab) => `locations/:locationId/${tab}`),
    ...namesIn("settings/page.tsx", PATH).map((part) => `settings/${part}`),
    ...namesIn("admin/page.tsx", PATH).map((part) => (part === "" ? "admin" : `admin/${part}`)),
    ...namesIn("reports/page.tsx", /first [!=]== "([\w-]+)"/g).map((part) => `reports/${part}`),
    ...namesIn("documents/viewer/page.tsx", /part === "([\w-]+)"/g).map((part) => `documents/:documentId/${part}`),
  ];
  const listed = Object.keys(VIEWS).map((path) => path.split("?")[0] ?? "");
  const isListed = (path: string) => listed.some((one) => one === path || one.startsWith(`${path}/:`) || path === one);
  const unlisted = router.filter((path) => !isListed(path) && !listed.some((one) => one.startsWith(`${path}/`)));
  expect(unlisted).toEqual([]);
});

useDesk({ site: "entitled" }, async () => {
  const { organizationId, locationId } = site;
  const api = <T extends z.ZodType>(schema: T, method: string, path: string, body?: unknown) =>
    service.api(schema, method, path, site.token, body);
  await joinSite(service, site, { ...ben, displayName: "Ben", role: "admin" });
  const signedIn = z.looseObject({ accessToken: z.string(), user: withId });
  const login = await service.api(signedIn, "POST", "/v1/auth/login", undefined, ben);
  [token, userId] = [login.accessToken, login.user.id];
  await api(z.unknown(), "PATCH", `/v1/orgs/${organizationId}`, { name: "Zanzibar Ltd" });
  const location = z.looseObject({ clusterId: z.string() });
  const at = `/v1/spatial/locations/${locationId}`;
  const { clusterId } = await api(location, "PATCH", at, { name: "zanzibar quay" });
  await api(z.unknown(), "PATCH", `/v1/spatial/clusters/${clusterId}`, { name: "zanzibar north" });
  await api(z.unknown(), "POST", `${at}/annotations`, { kind: "note", title: "zanzibar note" });
  const template = { key: "zanzibar", displayName: "zanzibar form", contentTemplateJson: { notes: "" } };
  await api(z.unknown(), "POST", `/v1/reports/templates/organizations/${organizationId}`, {
    ...template,
    bodyFieldPath: "notes",
  });
  await api(z.unknown(), "PUT", `/v1/reports/partials/organizations/${organizationId}/zanzibar-head`, {
    source: "<p>Head</p>",
  });
  const report = { templateKey: "zanzibar", title: "zanzibar report" };
  const { id: reportId } = await api(withId, "POST", `/v1/reports/locations/${locationId}`, report);
  const ada = siteClient();
  const upload = (fileName: string, text: string) =>
    ada.uploadDocument({ locationId, fileName, file: new Blob([text], { type: "text/plain" }) });
  // Nothing is exported here, so nothing is sent.
  const hook = { name: "zanzibar hook", url: "https://hooks.example.com/zanzibar", types: ["export.ready"] };
  await api(z.unknown(), "POST", `/v1/orgs/${organizationId}/webhooks`, hook);
  const { id: documentId } = await upload("zanzibar.txt", "A zanzibar sentence.");
  const { id: oldId } = await upload("zanzibar-old.txt", "Another one.");
  await api(z.unknown(), "DELETE", `/v1/documents/${oldId}`);
  const camera = await pairCamera(service, site, "zanzibar gate");
  await camera.send(60_000, 200);
  names = { documentId, reportId, clusterId, locationId, cameraId: camera.id };
  const searched = z.looseObject({ results: z.array(z.unknown()) });
  await eventually(
    async () => expect((await api(searched, "POST", "/v1/search", { term: "sentence" })).results).not.toEqual([]),
    LONG_PATIENCE,
  );
  await enter("settings/profile", ben);
});

/** The texts that a person reads in the tab: its title, its texts and its fields. */
const readable = async (): Promise<string> =>
  `${await page.title()} ${await visibleText(page)} ${await page.$$eval("input, textarea", (all) =>
    all.map((one) => (one as unknown as { value: string }).value).join(" "),
  )}`;

async function joinAgain(): Promise<void> {
  const made = z.object({ invitation: z.object({ token: z.string() }) });
  const members = `/v1/orgs/${site.organizationId}/members`;
  const { invitation } = await service.api(made, "POST", members, site.token, { email: ben.email, role: "admin" });
  await service.api(z.unknown(), "POST", "/v1/invitations/accept", token, { token: invitation.token });
}

const addressOf = (path: string): string =>
  `${service.url}/console/${path.replace(/:(\w+)/, (_, name: keyof typeof names) => names[name])}`;

const members = () => `/v1/orgs/${site.organizationId}/members/${userId}`;

test.each(Object.entries(VIEWS))(
  "/console/%s closes when its reader is removed",
  async (path, shows) => {
    const isJoined = await listenToHub(page);
    await page.goto(addressOf(path));
    await eventually(async () => expect(await readable()).toContain(shows ?? "Zanzibar Ltd"), LONG_PATIENCE);
    await isJoined();
    await service.api(z.unknown(), "DELETE", members(), site.token);
    try {
      await eventually(
        async () => expect((await readable()).replace(REASON, "")).not.toMatch(/zanzibar/i),
        CLOSES_WITHIN_MS,
      );
      expect(await page.$$("main canvas, main img")).toEqual([]);
      await eventually(async () => expect(await page.$$(".badge")).toEqual([]), LONG_PATIENCE);
    } finally {
      await joinAgain();
    }
  },
  LONG_PATIENCE,
);

/**
 * Opens a view, and lets its live connection begin only after `meanwhile`: what the view shows was read before. The request for
 * the address of the hub waits until then.
 */
async function openBefore(path: string, shows: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const waiting: HTTPRequest[] = [];
  let isHeld = true;
  const hold = (request: HTTPRequest) => {
    if (isHeld && request.url().endsWith("/v1/notifications/bootstrap")) waiting.push(request);
    else void request.continue();
  };
  page.on("request", hold);
  await page.setRequestInterception(true);
  try {
    await page.goto(addressOf(path));
    await eventually(async () => expect(await readable()).toContain(shows), LONG_PATIENCE);
    await eventually(() => expect(waiting).not.toEqual([]), LONG_PATIENCE);
    await meanwhile();
  } finally {
    isHeld = false;
    for (const request of waiting) await request.continue();
    // The handler goes first: it cannot continue a request that is not held.
    page.off("request", hold);
    await page.setRequestInterception(false);
  }
}

test.each(["locations", "cameras", "search?q=sentence", "inbox", "trash", "reports", "settings/members"])(
  "/console/%s closes when its reader is removed after it was read and before it is connected",
  async (path) => {
    await openBefore(path, VIEWS[path] ?? "", () => service.api(z.unknown(), "DELETE", members(), site.token));
    try {
      await eventually(async () => expect(await readable()).not.toMatch(/zanzibar/i), CLOSES_WITHIN_MS);
    } finally {
      await joinAgain();
    }
  },
  LONG_PATIENCE,
);

describe("for a guest", () => {
  const guest = { email: `${crypto.randomUUID()}@people.test`, password: ben.password };
  const SEEING = { LocationView: "Read" };
  const capabilities = { ...SEEING, LocationCameras: "Read", Documents: "Read", Reports: "Read" };
  const grants = () => `/v1/spatial/locations/${site.locationId}/grants`;
  const share = (ends: { expiresAtUtc?: string } = {}) =>
    service.api(withId, "POST", grants(), site.token, { email: guest.email, capabilities, ...ends });
  const withdraw = (id: string) => service.api(z.unknown(), "DELETE", `${grants()}/${id}`, site.token);
  /** The texts that a guest reads in each view of shared resources. */
  const GUEST_VIEWS = {
    cameras: "zanzibar gate",
    "cameras/:cameraId": "zanzibar gate",
    "search?q=sentence": "zanzibar.txt",
    "documents/:documentId": "A zanzibar sentence",
    reports: "zanzibar report",
    inbox: "zanzibar quay",
  };
  /** The parts that are lost when only the sight of the location is left. */
  const NARROWED = {
    cameras: "zanzibar gate",
    "cameras/:cameraId": "zanzibar gate",
    "search?q=sentence": "zanzibar.txt",
    "documents/:documentId": "zanzibar.txt",
    "locations/:locationId/documents": "zanzibar.txt",
    "locations/:locationId/cameras": "zanzibar gate",
    "locations/:locationId/reports": "zanzibar report",
    reports: "zanzibar report",
  };
  const closes = (shows: string) =>
    eventually(async () => {
      expect((await readable()).replace(REASON, "")).not.toContain(shows);
      expect(await page.$$("main canvas, main img")).toEqual([]);
    }, CLOSES_WITHIN_MS);
  const open = async (path: string, shows: string) => {
    const isJoined = await listenToHub(page);
    await page.goto(addressOf(path));
    await eventually(async () => expect(await readable()).toContain(shows), LONG_PATIENCE);
    await isJoined();
  };

  beforeAll(async () => {
    await joinSite(service, site, { ...guest, displayName: "Gil", role: "guest" });
    turnTo(await openProfile());
    await enter("settings/profile", guest);
  }, LONG_PATIENCE);

  afterEach(async () => {
    const { items } = await service.api(z.object({ items: z.array(withId) }), "GET", grants(), site.token);
    for (const { id } of items) await withdraw(id);
  });

  test.each(Object.entries(GUEST_VIEWS))(
    "/console/%s closes when the grant is withdrawn, and the person stays a guest",
    async (path, shows) => {
      const { id } = await share();
      await open(path, shows);
      await withdraw(id);
      await closes(shows);
    },
    LONG_PATIENCE,
  );

  test.each(Object.entries(GUEST_VIEWS))(
    "/console/%s closes when the grant is withdrawn after it was read and before it is connected",
    async (path, shows) => {
      const { id } = await share();
      await openBefore(path, shows, () => withdraw(id));
      await closes(shows);
    },
    LONG_PATIENCE,
  );

  test.each(Object.entries(GUEST_VIEWS))(
    "/console/%s closes when the time of the grant ends",
    async (path, shows) => {
      await beforeItEnds(async (soon) => {
        const endsAt = soon + OPENS_WITHIN_MS;
        await share({ expiresAtUtc: new Date(endsAt).toISOString() });
        await open(path, shows);
        if (Date.now() < endsAt) return true;
        await closes(shows);
        return null;
      });
      await closes(shows);
    },
    LONG_PATIENCE,
  );

  test.each(Object.entries(NARROWED))(
    "/console/%s closes when the grant leaves only the sight of the location",
    async (path, shows) => {
      const { id } = await share();
      await open(path, shows);
      await service.api(z.unknown(), "PATCH", `${grants()}/${id}`, site.token, { capabilities: SEEING });
      await closes(shows);
    },
    LONG_PATIENCE,
  );
});
