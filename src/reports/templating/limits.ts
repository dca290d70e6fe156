/** Largest layout and stylesheet template, characters each. */
export const LARGEST_TEMPLATE = 128 * 1024;
/** Longest tag from `{{` to `}}`, characters: mustache's scanner takes quadratic time in one. */
export const LONGEST_TAG = 1_000;
/** Sections inside one another. */
export const DEEPEST_SECTION = 16;
/** Steps of rendering: tags, texts and turns of sections. */
export const MOST_STEPS = 200_000;
/** Largest page without its pictures, characters. */
export const LARGEST_PAGE = 4 * 1024 * 1024;
/** Pictures of one report. */
export const MOST_IMAGES = 300;
