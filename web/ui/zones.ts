/* Time zones by their cities. */

/** Cities that the zone database of browsers spells as they were called before. */
const RENAMED: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Asmara",
  "America/Coral_Harbour": "Atikokan",
  "America/Godthab": "Nuuk",
  "Asia/Calcutta": "Kolkata",
  "Asia/Katmandu": "Kathmandu",
  "Asia/Rangoon": "Yangon",
  "Asia/Saigon": "Ho_Chi_Minh",
  "Europe/Kiev": "Kyiv",
  "Pacific/Enderbury": "Kanton",
  "Pacific/Ponape": "Pohnpei",
  "Pacific/Truk": "Chuuk",
};

/** The city of a zone: "Buenos Aires" for "America/Argentina/Buenos_Aires". */
export const cityOf = (zone: string): string => (RENAMED[zone] ?? zone.split("/").at(-1) ?? zone).replaceAll("_", " ");

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The countries of zones, in a language; none where the browser does not know the zones of a country. */
export function countriesOfZones(language: string): Map<string, string> {
  const names = new Intl.DisplayNames(language, { type: "region", fallback: "none" });
  const countries = new Map<string, string>();
  for (const code of LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`))) {
    const name = names.of(code);
    if (name === undefined) continue;
    const place = new Intl.Locale(`und-${code}`) as Intl.Locale & {
      getTimeZones?: () => string[];
      timeZones?: string[];
    };
    for (const zone of place.getTimeZones?.() ?? place.timeZones ?? [])
      if (!countries.has(zone)) countries.set(zone, name);
  }
  return countries;
}
