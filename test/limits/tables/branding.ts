import type { LimitTable } from "../row";

export const brandingLimits: LimitTable<typeof import("../../../src/branding/limits")> = {
  MAX_ASSET_BYTES: {
    page: ["Reports and branding", "size of a logo or banner", "size"],
    held: ["branding/branding.test.ts > has at most 5 MiB"],
  },
  SMALL_EDGE_PIXELS: { held: ["branding/branding.test.ts", "documents/derivatives.test.ts"], open: true },
  MEDIUM_EDGE_PIXELS: { held: ["branding/branding.test.ts", "documents/derivatives.test.ts"], open: true },
  PREVIEW_QUALITY: { unheld: "It is a choice between size and quality." },
  MAX_SVG_ELEMENTS: { held: "bounds" },
  MAX_DRAWN_SVG_ELEMENTS: { held: "bounds" },
  MAX_SVG_STYLE_WORK: { held: "bounds" },
  MAX_SVG_DEPTH: { held: "bounds" },
  LINK_LIFETIME_MS: { held: ["branding/branding.test.ts"], open: true },
  PENDING_PREVIEW_LIFETIME_MS: { held: ["branding/branding.test.ts"], open: true },
  MAX_INLINE_ASSET_BYTES: { held: ["branding/branding.test.ts"], open: true },
};
