/* Web Mercator: the world is a square from 0 to 1, with north at the top. */

export interface Coordinates {
  latitude: number;
  longitude: number;
}

/** What a map shows: the point in its middle, and the power of two by which a world of 256 pixels is larger. */
export interface MapView {
  x: number;
  y: number;
  zoom: number;
}

const TILE = 256;
export const [MIN_ZOOM, MAX_ZOOM] = [0, 18];
const MAX_LATITUDE = 85.05;

/** The width of the world at a zoom, pixels. */
export const worldWidth = (zoom: number): number => TILE * 2 ** zoom;

export function project({ latitude, longitude }: Coordinates): { x: number; y: number } {
  const phi = (Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude)) * Math.PI) / 180;
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log(Math.tan(Math.PI / 4 + phi / 2)) / (2 * Math.PI) };
}

export const unproject = ({ x, y }: { x: number; y: number }): Coordinates => ({
  latitude: ((2 * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - Math.PI / 2) * 180) / Math.PI,
  longitude: (x - 0.5) * 360,
});

const between = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** The nearest view that a map can show. */
export const bounded = ({ x, y, zoom }: MapView): MapView => ({
  x: between(x, 0, 1),
  y: between(y, 0, 1),
  zoom: between(zoom, MIN_ZOOM, MAX_ZOOM),
});

/** Changes the zoom by steps. The point at this distance from the middle, pixels, keeps its place. */
export function zoomed(view: MapView, steps: number, right = 0, down = 0): MapView {
  const zoom = between(view.zoom + steps, MIN_ZOOM, MAX_ZOOM);
  const gain = 1 / worldWidth(view.zoom) - 1 / worldWidth(zoom);
  return bounded({ x: view.x + right * gain, y: view.y + down * gain, zoom });
}

/** Moves a view by pixels. */
export const moved = (view: MapView, right: number, down: number): MapView =>
  bounded({ ...view, x: view.x + right / worldWidth(view.zoom), y: view.y + down / worldWidth(view.zoom) });

/** The zoom for one point, or for points at one place. */
const NEAR_ZOOM = 9;

/** The view that shows all points in a box of this size, pixels; the whole world for no points. */
export function fitted(points: readonly { x: number; y: number }[], width: number, height: number): MapView {
  if (points.length === 0) return { x: 0.5, y: 0.4, zoom: Math.max(MIN_ZOOM, Math.log2(width / TILE)) };
  const [left, right] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...points.map(({ y }) => y)), Math.max(...points.map(({ y }) => y))];
  const room = Math.min((width * 0.8) / TILE / (right - left || 1e-9), (height * 0.8) / TILE / (bottom - top || 1e-9));
  return bounded({ x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.min(NEAR_ZOOM, Math.log2(room)) });
}

/** Points that are too close to each other for a finger, under one mark. */
export interface Cluster<T> {
  x: number;
  y: number;
  items: T[];
}

/** Minimum distance between marks, pixels. */
const DISTANCE = 48;

/**
 * Gathers points so that all marks are at least `DISTANCE` apart. Each point joins the first mark near it, which the cells
 * around it name, so the cost is linear.
 */
export function clustered<T extends { x: number; y: number }>(points: readonly T[], zoom: number): Cluster<T>[] {
  const cell = DISTANCE / worldWidth(zoom);
  const cells = new Map<string, Cluster<T>[]>();
  const all: Cluster<T>[] = [];
  for (const point of points) {
    const [column, row] = [Math.floor(point.x / cell), Math.floor(point.y / cell)];
    let near: Cluster<T> | undefined;
    for (let n = 0; n < 9 && near === undefined; n++)
      near = cells
        .get(`${column + (n % 3) - 1} ${row + Math.floor(n / 3) - 1}`)
        ?.find(({ x, y }) => Math.hypot(x - point.x, y - point.y) < cell);
    if (near !== undefined) {
      near.items.push(point);
      continue;
    }
    const made = { x: point.x, y: point.y, items: [point] };
    all.push(made);
    const key = `${column} ${row}`;
    cells.set(key, [...(cells.get(key) ?? []), made]);
  }
  return all;
}

/** The view of an address field `latitude,longitude,zoom`; null if it names none. */
export function viewOf(text: string | null): MapView | null {
  const numbers = (text ?? "").split(",").map(Number);
  const [latitude, longitude, zoom] = numbers;
  if (numbers.length !== 3 || latitude === undefined || longitude === undefined || zoom === undefined) return null;
  return numbers.every(Number.isFinite) ? bounded({ ...project({ latitude, longitude }), zoom }) : null;
}

export function textOf(view: MapView): string {
  const { latitude, longitude } = unproject(view);
  return `${latitude.toFixed(5)},${longitude.toFixed(5)},${view.zoom.toFixed(2)}`;
}
