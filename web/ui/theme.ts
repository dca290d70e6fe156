import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "theme";

const isTheme = (value: string | null): value is Theme => value === "system" || value === "light" || value === "dark";
const stored = localStorage.getItem(KEY);

export const theme = signal<Theme>(isTheme(stored) ? stored : "system");

theme.subscribe((chosen) => {
  localStorage.setItem(KEY, chosen);
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
});
