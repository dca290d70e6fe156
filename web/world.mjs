import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature, mesh } from "topojson-client";
import { presimplify, simplify } from "topojson-simplify";

/*
 * The outline of the world for maps: land and borders of Natural Earth (1 : 50 million, by the package world-atlas) in the
 * projection of Web Mercator, made simpler when the pages are built.
 */

/** The module that pages import. */
const ID = "virtual:world";
/** The width of the world in units of the paths. */
const SIZE = 8192;
/** Points whose triangle with their neighbours is smaller are left out, square degrees. */
const MIN_AREA = 0.006;
/** The latitude at which Web Mercator ends, degrees. */
const MAX_LATITUDE = 85.05;

const place = ([longitude, latitude]) => {
  const phi = (Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude)) * Math.PI) / 180;
  const y = 0.5 - Math.log(Math.tan(Math.PI / 4 + phi / 2)) / (2 * Math.PI);
  return [Math.round((longitude / 360 + 0.5) * SIZE), Math.round(y * SIZE)];
};

/** A line that goes on over the 180th meridian instead of back around the world. */
function unwrapped(line) {
  let turn = 0;
  return line.map(([longitude, latitude], n) => {
    const step = n === 0 ? 0 : longitude - line[n - 1][0];
    if (Math.abs(step) > 180) turn -= 360 * Math.sign(step);
    return [longitude + turn, latitude];
  });
}

/** A line once, or twice if it goes over the 180th meridian: at each side of the map. A map cuts what is outside of it. */
function sides(line) {
  const longitudes = line.map(([longitude]) => longitude);
  const shifted = (by) => line.map(([longitude, latitude]) => [longitude + by, latitude]);
  if (Math.min(...longitudes) < -180) return [line, shifted(360)];
  return Math.max(...longitudes) > 180 ? [line, shifted(-360)] : [line];
}

/** The ring of a land that has the pole in it ends at the bottom of the map. */
function closed(ring) {
  const [first, last] = [ring[0], ring.at(-1)];
  return Math.abs(first[0] - last[0]) < 180 ? ring : [...ring, [last[0], -90], [first[0], -90]];
}

/** A line as a path of relative steps. Steps of less than a unit are left out. */
function pathOf(line, end) {
  const [first, ...rest] = line.map(place);
  let [x, y] = first;
  const steps = [];
  for (const [nextX, nextY] of rest) {
    if (nextX === x && nextY === y) continue;
    steps.push(`${nextX - x} ${nextY - y}`);
    [x, y] = [nextX, nextY];
  }
  return steps.length < 2 ? "" : `M${first.join(" ")}l${steps.join(" ")}${end}`.replaceAll(" -", "-");
}

/** The source of the module. */
function sourceOf() {
  const file = createRequire(import.meta.url).resolve("world-atlas/countries-50m.json");
  const world = simplify(presimplify(JSON.parse(readFileSync(file, "utf8"))), MIN_AREA);
  const { features } = feature(world, world.objects.land);
  const rings = features.flatMap(({ geometry }) => geometry.coordinates.flat());
  const borders = mesh(world, world.objects.countries, (a, b) => a !== b).coordinates;
  const text = (lines, end) =>
    JSON.stringify(
      lines
        .flatMap(sides)
        .map((line) => pathOf(line, end))
        .join(""),
    );
  const land = rings.map((ring) => closed(unwrapped(ring)));
  return `export const SIZE = ${SIZE};export const LAND = ${text(land, "z")};export const BORDERS = ${text(borders.map(unwrapped), "")};`;
}

let source;

/** Gives pages the outline of the world. @returns {import("vite").Plugin} */
export const world = () => ({
  name: "world",
  resolveId: (id) => (id === ID ? `\0${ID}` : null),
  load(id) {
    if (id !== `\0${ID}`) return null;
    source ??= sourceOf();
    return source;
  },
});
