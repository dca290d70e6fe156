import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { indexShared, mergeIndex } from "../../src/search";
import { buildOrganization } from "./bulk.ts";
import { runSlice } from "./contexts.ts";
import { Corpus } from "./corpus.ts";
import { addGrant, addMember, addPerson } from "./rows.ts";
import { openSchema, TimedD1 } from "./sqlite-d1.ts";

/** Passages and organizations of the large database. The queries use the first two organizations. */
export const PASSAGES = Number(process.env.BENCH_PASSAGES ?? 1_000_000);
export const ORGANIZATIONS = Number(process.env.BENCH_ORGANIZATIONS ?? 1_000);
export const [SMALL, LARGE, LOCATIONS, GRANTS] = [140, Number(process.env.BENCH_LARGE ?? 96_000), 240, 25];

const builtSchema = z.object({
  aloneUser: z.string(),
  smallUser: z.string(),
  member: z.string(),
  guest: z.string(),
  /** The size of the built database. Another size is built again. */
  passages: z.literal(PASSAGES),
  organizations: z.literal(ORGANIZATIONS),
});
export type Built = z.infer<typeof builtSchema>;

export const databases = (folder: string) => ({
  alone: join(folder, "alone.sqlite"),
  many: join(folder, "many.sqlite"),
  note: join(folder, "built.json"),
});

/** Builds an organization of 140 passages with a member. */
function small(d1: TimedD1): string {
  const built = buildOrganization(d1.sqlite, new Corpus(11), SMALL, 3);
  const { userId } = addPerson(d1.sqlite);
  addMember(d1.sqlite, built.organizationId, userId);
  return userId;
}

/** Shares a location with a user and runs the job that posts its contents. */
async function share(d1: TimedD1, userId: string, place: Parameters<typeof addGrant>[2]): Promise<void> {
  addGrant(d1.sqlite, userId, place);
  const payload = { target: "location" as const, id: place.locationId };
  for (let state: unknown = null; ; ) {
    const outcome = await runSlice(d1, indexShared, { id: place.locationId, kind: "index-shared", payload, state });
    if (outcome.kind === "complete") return;
    state = outcome.state;
  }
}

/** Merges the index, as the sweeper does each day. */
async function merge(d1: TimedD1): Promise<void> {
  for (let state: unknown = null; ; ) {
    const outcome = await runSlice(d1, mergeIndex, { id: "merge", kind: "merge-index", payload: {}, state });
    if (outcome.kind === "complete") return;
    state = outcome.state;
  }
}

/** Builds both databases in a folder unless they exist. */
export async function build(folder: string): Promise<Built> {
  const { alone, many, note } = databases(folder);
  if (existsSync(note)) return builtSchema.parse(JSON.parse(readFileSync(note, "utf8")));
  mkdirSync(folder, { recursive: true });
  const one = new TimedD1(openSchema(alone));
  const aloneUser = small(one);
  one.sqlite.close();
  const d1 = new TimedD1(openSchema(many));
  const smallUser = small(d1);
  const large = buildOrganization(d1.sqlite, new Corpus(12), LARGE, LOCATIONS);
  const rest = Math.floor((PASSAGES - SMALL - LARGE) / (ORGANIZATIONS - 2));
  const corpus = new Corpus(13);
  for (let n = 2; n < ORGANIZATIONS; n += 1) buildOrganization(d1.sqlite, corpus, rest, 4);
  const [member, guest] = [addPerson(d1.sqlite).userId, addPerson(d1.sqlite).userId];
  addMember(d1.sqlite, large.organizationId, member);
  for (const place of large.places.slice(0, GRANTS)) await share(d1, guest, place);
  await merge(d1);
  d1.sqlite.close();
  const built: Built = { aloneUser, smallUser, member, guest, passages: PASSAGES, organizations: ORGANIZATIONS };
  writeFileSync(note, JSON.stringify(built));
  return built;
}
