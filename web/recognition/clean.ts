/** Minimum difference of brightness of a speck. */
const SPECK_CONTRAST = 50;
/** Minimum share of specks in a noisy picture. */
const NOISY_SHARE = 0.002;
/** Edge of a tile for measuring the brightness of the paper, pixels. */
const TILE = 32;
/** Share of the brightest points of a tile that count as its paper. */
const PAPER_SHARE = 0.2;
/** Minimum brightness of paper that needs no correction. */
const WHITE = 225;
/** Minimum brightness of paper. Darker tiles are pictures. */
const MIN_PAPER = 48;

/** Maximum brightness of ink, and minimum number of ink points of a page that is not empty: a small letter has more. */
const [INK, MIN_INK_POINTS] = [200, 60];

/** Whether a picture has no ink. */
export function isBlank(grey: Uint8Array): boolean {
  let ink = 0;
  for (const value of grey) if (value < INK && ++ink >= MIN_INK_POINTS) return false;
  return true;
}

/** Replaces each point by the median of nine. It also blurs letters, so only pictures with many specks are changed. */
export function despeckle(grey: Uint8Array<ArrayBuffer>, width: number, height: number): Uint8Array<ArrayBuffer> {
  const at = (index: number): number => grey[index] ?? 0;
  const far = (i: number, j: number): boolean => Math.abs(at(i) - at(j)) > SPECK_CONTRAST;
  let specks = 0;
  for (let i = width + 1; i < grey.length - width - 1; i += 7)
    if (far(i, i - 1) && far(i, i + 1) && far(i, i - width) && far(i, i + width)) specks++;
  if (specks * 7 < grey.length * NOISY_SHARE) return grey;
  const out = grey.slice();
  const nine = new Uint8Array(9);
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      for (let k = 0; k < 9; k++) nine[k] = at((y + Math.floor(k / 3) - 1) * width + x + (k % 3) - 1);
      out[y * width + x] = nine.sort()[4] ?? 0;
    }
  return out;
}

/**
 * Divides each point by the brightness of the paper around it, because a copy is grey and a photo has shadows. Works in
 * place.
 */
export function flatten(grey: Uint8Array<ArrayBuffer>, width: number, height: number): void {
  const [columns, rows] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
  const paper = paperOf(grey, { width, height, columns, rows });
  if ((paper.toSorted()[Math.floor(paper.length * 0.05)] ?? 255) > WHITE) return;
  const near = widened(paper, columns, rows);
  const level = (u: number, v: number): number => near[v * columns + u] ?? MIN_PAPER;
  for (let y = 0; y < height; y++) {
    const v = clamp(y / TILE - 0.5, rows - 1);
    const [v0, v1] = [Math.floor(v), Math.min(rows - 1, Math.floor(v) + 1)];
    for (let x = 0; x < width; x++) {
      const u = clamp(x / TILE - 0.5, columns - 1);
      const [u0, u1] = [Math.floor(u), Math.min(columns - 1, Math.floor(u) + 1)];
      const above = level(u0, v0) + (level(u1, v0) - level(u0, v0)) * (u - u0);
      const below = level(u0, v1) + (level(u1, v1) - level(u0, v1)) * (u - u0);
      const index = y * width + x;
      grey[index] = Math.min(255, ((grey[index] ?? 0) * 255) / (above + (below - above) * (v - v0)));
    }
  }
}

const clamp = (value: number, top: number): number => Math.max(0, Math.min(top, value));

interface Grid {
  width: number;
  height: number;
  columns: number;
  rows: number;
}

/** The brightness of the paper in each tile: the brightness of its brightest points. */
function paperOf(grey: Uint8Array, { width, height, columns, rows }: Grid): Float32Array {
  const paper = new Float32Array(columns * rows);
  const counts = new Uint32Array(256);
  for (let tile = 0; tile < paper.length; tile++) {
    counts.fill(0);
    let points = 0;
    const [top, left] = [Math.floor(tile / columns) * TILE, (tile % columns) * TILE];
    for (let y = top; y < Math.min(height, top + TILE); y += 2)
      for (let x = left; x < Math.min(width, left + TILE); x += 2, points++) {
        const value = grey[y * width + x] ?? 0;
        counts[value] = (counts[value] ?? 0) + 1;
      }
    let level = 255;
    for (let seen = counts[255] ?? 0; level > 0 && seen < points * PAPER_SHARE; ) seen += counts[--level] ?? 0;
    paper[tile] = level;
  }
  return paper;
}

/**
 * The brightest paper of each tile and its neighbours, so that a tile full of ink gets the value of the paper around
 * it.
 */
function widened(paper: Float32Array, columns: number, rows: number): Float32Array {
  return paper.map((_, tile) => {
    let most = MIN_PAPER;
    for (let k = 0; k < 9; k++) {
      const row = clamp(Math.floor(tile / columns) + Math.floor(k / 3) - 1, rows - 1);
      const column = clamp((tile % columns) + (k % 3) - 1, columns - 1);
      most = Math.max(most, paper[row * columns + column] ?? 0);
    }
    return most;
  });
}
