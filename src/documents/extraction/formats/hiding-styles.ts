/** A style of an office document. */
export interface HidingStyle {
  /** Whether its own properties hide text; null if they do not say it. */
  hides: boolean | null;
  /** The name of the style that it is based on. */
  base: string | undefined;
}

/** Maximum number of styles that a style is based on, one after another. */
const MAX_BASES = 32;

/** The names of the styles that hide text, by themselves or by the nearest style that they are based on. */
export function hiddenAmong(styles: ReadonlyMap<string, HidingStyle>): Set<string> {
  const hidden = new Set<string>();
  for (const [name, own] of styles) {
    let [style, steps] = [own as HidingStyle | undefined, 0];
    while (style !== undefined && style.hides === null && steps++ < MAX_BASES) style = styles.get(style.base ?? "");
    if (style?.hides === true) hidden.add(name);
  }
  return hidden;
}
