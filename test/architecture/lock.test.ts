import { expect, test } from "vitest";
import lock from "../../package-lock.json";

interface Locked {
  version?: string;
  resolved?: string;
  optionalDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}
const packages: Readonly<Record<string, Locked>> = lock.packages;

const resolves = (path: string, name: string): boolean =>
  packages[`${path}/node_modules/${name}`] !== undefined || packages[`node_modules/${name}`] !== undefined;

test("the lock file is complete for every platform, so `npm ci` works everywhere", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {}, peerDependenciesMeta = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !peerDependenciesMeta[name]?.optional && !resolves(path, name))
      .map((name) => `${path} -> ${name}`),
  );
  expect(missing).toEqual([]);
});

test("the lock file has the runtime for five platforms", () => {
  const platforms = Object.keys(packages).filter((path) => path.startsWith("node_modules/@cloudflare/workerd-"));
  expect(platforms).toHaveLength(5);
});
