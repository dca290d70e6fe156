import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ROOT } from "../setup/project.mjs";
import { seedCameras } from "./cameras.mjs";
import { openClient } from "./client.mjs";
import { CLUSTERS, FIRST_SEARCH, NEIGHBOURS, ORGANIZATION, PEOPLE } from "./demo.mjs";
import { openJournal } from "./journal.mjs";
import { seedReports } from "./reports/seed.mjs";

const FILES = resolve(ROOT, "scripts/seed/documents");
const SEARCHABLE_TIMEOUT_MS = 60_000;

/**
 * @typedef {{ email: string, password: string, token: string, search: string }} Demo
 * @typedef {{ email: string, password: string, token: string, isNew: boolean,
 *   cameras: import("./cameras.mjs").SeededCamera[] }} Wall
 */

/**
 * Fills a service with the demo through its API, and waits until the demo is searchable. No step runs twice, even after
 * an interrupted start.
 * @param {string} url
 * @param {string} stateDir folder of its journal
 * @param {(line: string) => void} say
 * @param {(wall: Wall) => Promise<void>} [onWall] called when the cameras are there, before the documents
 * @param {number} [databases] workspace databases of the service: with several there are more organizations
 * @returns {Promise<Demo>}
 */
export async function seedDemo(url, stateDir, say, onWall = async () => {}, databases = 1) {
  const { step, hasRun } = openJournal(resolve(stateDir, "demo.json"));
  const password = await step("password", async () => randomBytes(12).toString("base64url"));
  const anonymous = openClient(url);
  const { email, displayName } = PEOPLE.owner;
  const register = (person, more, headers) =>
    anonymous.request("POST", "/v1/auth/register", { ...person, password, ...more }, headers);

  await step("owner", async (headers) => {
    say("Creating the demo: people, locations, annotations …");
    const { user } = await register({ email, displayName }, {}, headers);
    return { id: user.id };
  });
  const token = await step("token", async (headers) => {
    const { accessToken } = await anonymous.request("POST", "/v1/auth/login", { email, password });
    const made = await openClient(url, accessToken).request("POST", "/v1/auth/tokens", { name: "demo" }, headers);
    return made.token;
  });
  const owner = openClient(url, token);
  const member = async () => {
    const account = { email: PEOPLE.member.email, password };
    return openClient(url, (await anonymous.request("POST", "/v1/auth/login", account)).accessToken);
  };
  const create = (name, path, body) => step(name, (headers) => owner.request("POST", path, body, headers));

  const organization = await create("organization", "/v1/orgs", { name: ORGANIZATION });
  const join = async ({ role, ...person }) => {
    const invite = { email: person.email, role };
    const { invitation } = await create(`invite-${role}`, `/v1/orgs/${organization.id}/members`, invite);
    return step(role, async (headers) => {
      const { user } = await register(person, { invitation: invitation.token }, headers);
      return { id: user.id };
    });
  };
  await join(PEOPLE.member);
  const guest = await join(PEOPLE.guest);

  const uploads = [];
  const locationIds = new Map();
  for (const { locations, ...place } of CLUSTERS) {
    const cluster = await create(place.name, "/v1/spatial/clusters", { organizationId: organization.id, ...place });
    for (const { documents, annotations, sharedWithGuest, ...fields } of locations) {
      const location = await create(fields.name, "/v1/spatial/locations", { clusterId: cluster.id, ...fields });
      locationIds.set(fields.name, location.id);
      for (const annotation of annotations)
        await create(annotation.title, `/v1/spatial/locations/${location.id}/annotations`, annotation);
      if (sharedWithGuest)
        await create(`grant ${fields.name}`, `/v1/spatial/locations/${location.id}/grants`, {
          userId: guest.id,
          capabilities: sharedWithGuest,
        });
      for (const file of documents) uploads.push({ locationId: location.id, file });
    }
  }

  const cameras = await seedCameras(owner, organization.id, locationIds, create, step);
  await onWall({ email, password, token, cameras, isNew: !hasRun("past") });
  await step("past", async () => true);

  for (const [n, { locationId, file }] of uploads.entries())
    await step(`document ${file.fileName}`, async () => {
      const { source, byMember = false, ...declared } = file;
      say(`Uploading ${file.fileName} (${n + 1} of ${uploads.length}) …`);
      const bytes = readFileSync(resolve(FILES, source));
      const upload = await (byMember ? await member() : owner).send(locationId, { ...declared, bytes });
      const { id } = await upload.complete();
      return { id };
    });
  for (const { name, cluster, location } of NEIGHBOURS.slice(0, databases - 1)) {
    const { id: organizationId } = await create(name, "/v1/orgs", { name });
    const { id: clusterId } = await create(cluster, "/v1/spatial/clusters", { organizationId, name: cluster });
    await create(location, "/v1/spatial/locations", { clusterId, name: location });
  }
  say("Adding branding, report templates and reports …");
  await seedReports({ owner, step, create, organizationId: organization.id, locationIds });
  await step("searchable", async () => {
    say("Waiting until the documents are searchable …");
    await searchable(owner);
    return true;
  });
  return { email, password, token, search: FIRST_SEARCH };
}

/** Waits until the search of the demo finds its page. */
async function searchable(client) {
  const deadline = Date.now() + SEARCHABLE_TIMEOUT_MS;
  for (;;) {
    const { results } = await client.request("POST", "/v1/search", { term: FIRST_SEARCH });
    if (results.some(({ source }) => source?.pageNumber === 2)) return;
    if (Date.now() > deadline)
      throw new Error(`"${FIRST_SEARCH}" is not found after ${SEARCHABLE_TIMEOUT_MS / 1_000} s`);
    await wait(300);
  }
}
