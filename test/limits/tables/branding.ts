import type { LimitTable } from "../row";

export const brandingLimits: LimitTable<typeof import("../../../src/branding/limits")> = {
  MAX_ASSET_BYTES: { page: "size | Reports and branding | size of a logo or banner", held: "inputs" },
  SMALL_EDGE_PIXELS: { held: "effects > previews of a logo have the length of their longer edge" },
  MEDIUM_EDGE_PIXELS: { held: "effects > previews of a logo have the length of their longer edge" },
  PREVIEW_QUALITY: { unheld: "It is a choice between size and quality." },
  MAX_SVG_ELEMENTS: { held: "bounds" },
  MAX_DRAWN_SVG_ELEMENTS: { held: "bounds" },
  MAX_SVG_LAYERS: { held: "bounds" },
  MAX_SVG_STYLE_WORK: { held: "bounds" },
  MAX_SVG_DEPTH: { held: "bounds" },
  MAX_SVG_FORM_WORK: { held: "bounds" },
  MAX_SVG_DRAWING_MS: { held: "bounds" },
  MIN_DRAWN_SVG_EDGE_PIXELS: { held: "effects" },
  MAX_SVG_LAYER_BYTES: { held: "bounds" },
  LINK_LIFETIME_MS: { held: "lifetimes" },
  PENDING_PREVIEW_LIFETIME_MS: { held: "effects" },
  MAX_INLINE_ASSET_BYTES: { held: "bounds" },
};
