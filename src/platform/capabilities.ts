import { z } from "@hono/zod-openapi";

/** The capabilities. Their levels are ordered `None < Read < Write`; a capability without levels is held at `Read`. */
export const CAPABILITIES = [
  "OrganizationView",
  "ClusterView",
  "LocationView",
  "Documents",
  "LocationBundles",
  "LocationCameras",
  "Reports",
  "ExternalShareLinksCreate",
  "ExternalShareLinksManage",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const LEVELS = ["None", "Read", "Write"] as const;
export type LevelName = (typeof LEVELS)[number];

/** Levels as numbers that can be compared: 0 None, 1 Read, 2 Write. */
export const NONE = 0;
export const READ = 1;
export const WRITE = 2;
export type Level = 0 | 1 | 2;

export const levelOf = (name: LevelName): Level => LEVELS.indexOf(name) as Level;
export const nameOf = (level: Level): LevelName => LEVELS[level] ?? "None";

/** Capabilities with their levels, as the API and the database write them: `{ "Documents": "Read" }`. */
export const capabilityMapSchema = z
  .partialRecord(z.enum(CAPABILITIES), z.enum(LEVELS))
  .openapi("Capabilities", { example: { Documents: "Read", LocationView: "Read" } });
export type CapabilityMap = z.infer<typeof capabilityMapSchema>;

export const ROLES = ["owner", "admin", "member", "guest"] as const;
export type Role = (typeof ROLES)[number];

const all = (level: Level): Readonly<Record<Capability, Level>> =>
  Object.fromEntries(CAPABILITIES.map((c) => [c, level])) as Record<Capability, Level>;

/** The levels of each role, before a member's overrides. */
export const ROLE_LEVELS: Readonly<Record<Role, Readonly<Record<Capability, Level>>>> = {
  owner: all(WRITE),
  admin: all(WRITE),
  member: {
    ...all(NONE),
    OrganizationView: READ,
    ClusterView: READ,
    LocationView: READ,
    Documents: WRITE,
    LocationBundles: WRITE,
    LocationCameras: READ,
    Reports: WRITE,
  },
  guest: { ...all(NONE), OrganizationView: READ },
};

/** The levels of the owner of a personal workspace: everything except cameras, branding and external shares. */
export const PERSONAL_LEVELS: Readonly<Record<Capability, Level>> = {
  ...all(WRITE),
  OrganizationView: NONE,
  LocationCameras: NONE,
  ExternalShareLinksCreate: NONE,
  ExternalShareLinksManage: NONE,
};
