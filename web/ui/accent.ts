import { type Accent, accentOf } from "./colour.ts";

const NAMES: Readonly<Record<keyof Accent, string>> = {
  accent: "--accent",
  hover: "--accent-hover",
  onAccent: "--on-accent",
  soft: "--accent-soft",
};
const THEMES = ["light", "dark"] as const;

/**
 * Shows a colour as the accent of the page in each theme where it has enough contrast; null shows the accent of
 * tokens.css.
 */
export function showAccent(primary: string | null): void {
  const { style } = document.documentElement;
  for (const theme of THEMES) {
    const accent = primary === null ? null : accentOf(primary, theme);
    for (const part of Object.keys(NAMES) as (keyof Accent)[])
      style.setProperty(`${NAMES[part]}-${theme}`, accent === null ? null : accent[part]);
  }
}
