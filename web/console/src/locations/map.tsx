import { number } from "#texts/language.ts";
import { LOCATION } from "#texts/locations.ts";

/* A plan around a location. It is drawn from coordinates only, without tiles of another host. North is up. */

interface MapPoint {
  latitude: number;
  longitude: number;
}

const [WIDTH, HEIGHT] = [360, 220];
const METRES_PER_DEGREE = 111_320;
/** Minimum half height of the plan, metres. */
const LEAST_METRES = 100;
/** Lengths of the scale, metres. */
const SCALES = [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 200_000, 1_000_000];

/** The distance of a point from the middle: metres to the east and to the north. */
function metresFrom(middle: MapPoint, { latitude, longitude }: MapPoint): { east: number; north: number } {
  const turn = ((longitude - middle.longitude + 540) % 360) - 180;
  return {
    east: turn * METRES_PER_DEGREE * Math.cos((middle.latitude * Math.PI) / 180),
    north: (latitude - middle.latitude) * METRES_PER_DEGREE,
  };
}

const inUnits = (value: number, unit: "meter" | "kilometer"): string => number(value, { style: "unit", unit });
const lengthOf = (metres: number): string =>
  metres < 1_000 ? inUnits(metres, "meter") : inUnits(metres / 1_000, "kilometer");

/** The location in the middle, and points around it, with a grid and a scale. */
export function Plan({ middle, points }: { middle: MapPoint; points: readonly (MapPoint & { title: string })[] }) {
  const placed = points.map((point) => ({ ...metresFrom(middle, point), title: point.title }));
  const far = Math.max(
    LEAST_METRES,
    ...placed.map(({ east, north }) => Math.max((Math.abs(east) * HEIGHT) / WIDTH, Math.abs(north)) * 1.2),
  );
  const perMetre = HEIGHT / 2 / far;
  const step = SCALES.find((metres) => metres * perMetre >= 56) ?? 1_000_000;
  const gap = step * perMetre;
  const lines = (size: number) =>
    Array.from(
      { length: 2 * Math.floor(size / 2 / gap) + 1 },
      (_, n) => size / 2 + (n - Math.floor(size / 2 / gap)) * gap,
    );
  return (
    <svg class="plan" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={LOCATION.plan(placed.length)}>
      <g class="grid">
        {lines(WIDTH).map((x) => (
          <path key={`x${x}`} d={`M${x} 0V${HEIGHT}`} />
        ))}
        {lines(HEIGHT).map((y) => (
          <path key={`y${y}`} d={`M0 ${y}H${WIDTH}`} />
        ))}
      </g>
      {placed.map(({ east, north, title }, n) => (
        <circle key={n} class="point" cx={WIDTH / 2 + east * perMetre} cy={HEIGHT / 2 - north * perMetre} r="5">
          <title>{title}</title>
        </circle>
      ))}
      <circle class="halo" cx={WIDTH / 2} cy={HEIGHT / 2} r="14" />
      <circle class="dot" cx={WIDTH / 2} cy={HEIGHT / 2} r="7" />
      <path class="scale" d={`M16 ${HEIGHT - 22}v6h${gap}v-6`} />
      <text x={16 + gap / 2} y={HEIGHT - 22} text-anchor="middle">
        {lengthOf(step)}
      </text>
      <path class="scale" d={`M${WIDTH - 22} 34V14m-5 6l5-6 5 6`} />
      <text x={WIDTH - 22} y="48" text-anchor="middle">
        {LOCATION.north}
      </text>
    </svg>
  );
}
