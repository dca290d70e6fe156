/**
 * Reads the rules of docs/reference/code-rules.md from the text of the source files. Every function takes the files as
 * `path in src → text`, so that a test can try each rule on a seeded violation.
 */
export type Files = Readonly<Record<string, string>>;

/** A file imports lower ranks only. Features of one rank do not import each other. */
export const RANK: Readonly<Record<string, number>> = {
  platform: 0,
  access: 1,
  events: 2,
  // Workspace checks the storage before it restores something.
  uploads: 3,
  workspace: 4,
  documents: 5,
  branding: 6,
  search: 7,
  cameras: 7,
  notifications: 7,
  // Reports show camera frames.
  reports: 8,
  // Exports have the files of all features.
  exports: 9,
  // Backups have the rows of all features.
  backups: 8,
  hub: 9,
  // Platform administrators see work and organizations of every feature.
  administration: 9,
  // Webhooks tell of all features.
  webhooks: 10,
};

/** The features of a part of the repository. */
interface Layout {
  rank: Readonly<Record<string, number>>;
  /** The files that tie the features together. */
  composition: readonly string[];
}

const SERVICE: Layout = {
  rank: RANK,
  composition: ["app.ts", "worker.ts", "job-handlers.ts", "compose.ts", "durable-objects.ts", "carried.ts"],
};
const COMPOSITION = SERVICE.composition;

/** The features of `web/console/src`. */
export const CONSOLE: Layout = {
  rank: {
    platform: 0,
    entry: 1,
    inbox: 1,
    people: 1,
    trash: 1,
    cameras: 2,
    documents: 2,
    reports: 2,
    // The archive shows the settings of its camera.
    archive: 3,
    // The search shows a document beside its results.
    search: 3,
    settings: 3,
    // A location has a tab for each kind of its contents.
    locations: 4,
    admin: 4,
  },
  composition: ["main.tsx", "shell.tsx", "views.tsx", "organization-switcher.tsx"],
};

const featureOf = (path: string): string => path.split("/")[0] ?? "";
const folderOf = (path: string): string[] => path.split("/").slice(0, -1);
const nameOf = (path: string): string => (path.split("/").at(-1) ?? "").replace(/\.tsx?$/, "");
const isBelow = (lower: string, higher: string, rank = RANK): boolean => (rank[lower] ?? 99) < (rank[higher] ?? -1);
const isTables = (path: string): boolean => nameOf(path) === "tables";
const isRoutes = (path: string): boolean => /(?:^|-)routes$/.test(nameOf(path));

/** The text without its comments. Strings and templates stay. */
const withoutComments = (text: string): string =>
  text.replace(
    /("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*/g,
    (_, kept?: string) => kept ?? "",
  );

interface Import {
  from: string;
  to: string;
}

/** Resolves an import specifier, with or without the file's ending, to a file. The name of a folder means its `index.ts`. */
function resolve(from: string, specifier: string, files: Files): string {
  // package.json names the folder of the texts.
  const isTexts = specifier.startsWith("#texts/");
  const parts = isTexts ? ["web", "texts", "en"] : folderOf(from);
  for (const part of specifier.replace("#texts/", "").split("/"))
    part === ".." && (parts.at(-1) ?? "..") !== ".." ? parts.pop() : part !== "." && parts.push(part);
  const path = parts.join("/");
  if (path in files) return path;
  return `${path}/index.ts` in files || path in RANK ? `${path}/index.ts` : `${path}.ts`;
}

/** Imports and re-exports between the files, including types and `import()`. */
const importsOf = (files: Files): Import[] =>
  Object.entries(files).flatMap(([from, text]) =>
    [...withoutComments(text).matchAll(/\b(?:from|import)\b\s*\(?\s*"([.#][^"]*)"/g)].map(([, specifier]) => ({
      from,
      to: resolve(from, specifier ?? "", files),
    })),
  );

/**
 * Whether an import leaves its folder through a door. The door of a folder is its `index.ts`, or without one the file
 * with the folder's own name; `tables.ts` and `limits.ts` are open too. A folder with one file needs no door.
 */
function passesDoor({ from, to }: Import, files: Files): boolean {
  const [mine, theirs] = [folderOf(from), folderOf(to)];
  const shared = mine.findIndex((part, n) => part !== theirs[n]);
  const common = shared < 0 ? mine.length : shared;
  const entered = theirs.length - common;
  if (entered === 0 || ["tables", "limits"].includes(nameOf(to))) return true;
  if (featureOf(to) === "platform") {
    // Platform is a library: each of its files may be imported, except in a folder with an `index.ts`.
    const door = `${theirs.slice(0, 2).join("/")}/index.ts`;
    return !(door in files) || to === door || mine[1] === theirs[1];
  }
  const folder = theirs.slice(0, common + 1).join("/");
  const hasIndex = `${folder}/index.ts` in files;
  if (entered > 1) return false;
  if (nameOf(to) === (hasIndex ? "index" : theirs.at(-1))) return true;
  return Object.keys(files).filter((file) => file.startsWith(`${folder}/`)).length === 1;
}

/** Imports that the map does not allow, each with the rule that it breaks. */
export function foreignImports(files: Files, { rank, composition }: Layout = SERVICE): string[] {
  const found: string[] = [];
  for (const each of importsOf(files)) {
    const { from, to } = each;
    if (composition.includes(from)) continue;
    const [mine, theirs] = [featureOf(from), featureOf(to)];
    // `foreignParts` has the rule for other parts of the repository.
    if (rank[theirs] === undefined && !(to in files) && !composition.includes(to)) continue;
    const say = (rule: string) => found.push(`${from} -> ${to}: ${rule}`);
    if (isRoutes(from) && isTables(to)) say("routes do not touch tables");
    if (composition.includes(to)) say("features do not import the composition");
    else if (isRoutes(to) && mine !== theirs) say("only app.ts mounts another feature's routes");
    else if (isRoutes(to) && from !== `${mine}/routes.ts`) say("only a feature's routes.ts mounts its routes");
    else if (mine === theirs || theirs === "platform") {
      // A feature's own door passes on from all its folders, and its routes.ts mounts what lies in them.
      if (from !== `${mine}/index.ts` && !isRoutes(to) && !passesDoor(each, files))
        say("enter a folder through its door");
    } else if (isTables(to))
      continue; // `upwardReads` has the rule.
    else if (!isBelow(theirs, mine, rank)) say("imports upward or sideways");
    else if (to !== `${theirs}/index.ts`) say("enter another feature through its index.ts");
  }
  return found;
}

/** Circles of imports, types included: each as the files that reach each other (Tarjan's algorithm). */
export function circles(files: Files): string[][] {
  const next = new Map(Object.keys(files).map((file) => [file, new Set<string>()]));
  for (const { from, to } of importsOf(files)) if (to in files) next.get(from)?.add(to);
  const [order, low] = [new Map<string, number>(), new Map<string, number>()];
  const [stack, found]: [string[], string[][]] = [[], []];
  const visit = (file: string): number => {
    let lowest = order.size;
    order.set(file, lowest);
    stack.push(file);
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) lowest = Math.min(lowest, visit(to));
      else if (stack.includes(to)) lowest = Math.min(lowest, order.get(to) ?? 0);
    }
    low.set(file, lowest);
    if (lowest === order.get(file)) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1 || next.get(file)?.has(file)) found.push(circle.sort());
    }
    return lowest;
  };
  for (const file of next.keys()) if (!order.has(file)) visit(file);
  return found;
}

interface Table {
  /** The name of the constant, where the table has one. */
  name: string | null;
  sqlName: string;
  owner: string;
}

/** Tables that only raw SQL names, with their owner. */
const SQL_TABLES = { guards: "platform", search_terms: "search" };

/** Every table, and the feature whose `tables.ts` declares it. */
export const tablesOf = (files: Files): Table[] => [
  ...Object.entries(files).flatMap(([file, text]) =>
    [...text.matchAll(/export const (\w+) = (?:directory|workspace|each|sqlite)Table\(\s*"(\w+)"/g)].map(
      ([, name, sqlName]) => ({
        name: name ?? "",
        sqlName: sqlName ?? "",
        owner: isTables(file) ? featureOf(file) : `nobody (${file})`,
      }),
    ),
  ),
  ...Object.entries(SQL_TABLES).map(([sqlName, owner]) => ({ name: null, sqlName, owner })),
];

const SQL_WRITE = "\\b(?:INSERT(?: OR \\w+)? INTO|REPLACE INTO|UPDATE(?: OR \\w+)?|DELETE FROM)\\s+";

/** The names that a file gives a table: the name of the table, and the name in an import `as` another name. */
const namesIn = (text: string, { name }: Table): string =>
  name === null
    ? "$^"
    : [name, ...[...text.matchAll(new RegExp(`\\b${name} as (\\w+)`, "g"))].map(([, alias]) => alias)].join("|");

/** Tables that a feature writes although another feature owns them: `file: table of owner`. */
export function foreignWrites(files: Files): string[] {
  const tables = tablesOf(files);
  return Object.entries(files).flatMap(([file, source]) => {
    const text = withoutComments(source);
    return tables
      .filter(({ owner }) => owner !== featureOf(file))
      .filter((table) => {
        const names = namesIn(text, table);
        const drizzle = new RegExp(`\\.(?:insert|update|delete)\\(\\s*(?:${names})\\s*\\)`);
        const raw = new RegExp(`${SQL_WRITE}(?:\\$\\{\\s*(?:${names})\\s*\\}|["\`]?${table.sqlName}\\b)`);
        return drizzle.test(text) || raw.test(text);
      })
      .map(({ sqlName, owner }) => `${file}: ${sqlName} of ${owner}`);
  });
}

/** Tables of a higher or equal rank that a feature knows, by import or in raw SQL: `file: tables of owner`. */
export function upwardReads(files: Files): string[] {
  const tables = tablesOf(files);
  const imported = importsOf(files);
  return Object.entries(files)
    .filter(([file]) => !COMPOSITION.includes(file))
    .flatMap(([file, source]) => {
      const text = withoutComments(source);
      const owners = imported.filter(({ from, to }) => from === file && isTables(to)).map(({ to }) => featureOf(to));
      const named = tables
        .filter(({ sqlName }) => new RegExp(`\\b(?:FROM|JOIN)\\s+${sqlName}\\b`).test(text))
        .map(({ owner }) => owner);
      return [...new Set([...owners, ...named])]
        .filter((owner) => owner !== featureOf(file) && !isBelow(owner, featureOf(file)))
        .map((owner) => `${file}: tables of ${owner}`);
    });
}

/** The handles of databases, by the names that they have everywhere. */
const HANDLE = "(?:directory|workspace|database|own|ownDatabase\\([^()]*\\)|databases\\.open\\([^()]*\\))";
const DRIZZLE_WRITE = `\\b${HANDLE}\\s*\\.(?:insert|update|delete)\\(`;

/** The text between the bracket at `open` and its closing bracket. */
function inBrackets(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return text.slice(open, at);
  }
  return text.slice(open);
}

/** Whether a write's own chain of calls ends in a call that runs it. */
const isRunByPromise = (text: string): boolean =>
  [...text.matchAll(new RegExp(DRIZZLE_WRITE, "g"))].some(({ index, 0: { length } }) => {
    let at = index + length - 1;
    for (;;) {
      at += inBrackets(text, at).length + 1;
      const call = /^\s*\.(\w+)\(/.exec(text.slice(at));
      if (call === null) return false;
      if (/^(?:then|catch|finally|run|execute)$/.test(call[1] ?? "")) return true;
      at += call[0].length - 1;
    }
  });

/** Functions that return a write, which is a statement for a change as long as nobody awaits it. */
const statementFunctions = (texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    [
      ...[
        ...text.matchAll(
          new RegExp(
            `\\bconst (\\w+) = (?!async)[^;{]*?=>\\s*(?:\\w+\\.)*(?:${DRIZZLE_WRITE}|sql\`\\s*${SQL_WRITE})`,
            "g",
          ),
        ),
      ],
      ...[
        ...text.matchAll(
          new RegExp(
            `\\n(?:export )?function (\\w+)\\((?:(?!\\n\\}\\n)[\\s\\S])*?return (?:\\w+\\.)*(?:${DRIZZLE_WRITE}|sql\`\\s*${SQL_WRITE})`,
            "g",
          ),
        ),
      ],
    ].map(([, name]) => name ?? ""),
  );

/** Files that run a write by themselves: not as a statement of a change, which `beginChange` commits with its guards. */
export function directWrites(files: Files): string[] {
  const texts = new Map(Object.entries(files).map(([file, text]) => [file, withoutComments(text)]));
  const makers = statementFunctions([...texts.values()]).join("|") || "$^";
  const write = new RegExp(`${DRIZZLE_WRITE}|${SQL_WRITE}(?:\\$\\{|\\w)|\\b(?:${makers})\\(`);
  const returned = `return\\s+(?:\\w+\\.)*${DRIZZLE_WRITE}`;
  const awaited = new RegExp(
    [
      `\\bawait\\s+(?:(?:\\w+\\.)*${DRIZZLE_WRITE}|(?:${makers})\\()`,
      // An async arrow, function or method that returns a write runs it.
      `async[^=;{}]*=>\\s*\\(?[^;{}]*?${DRIZZLE_WRITE}`,
      `\\n(?:export )?async function (?:(?!\\n\\}\\n)[\\s\\S])*?${returned}`,
      `\\n  async \\w+\\((?:(?!\\n  \\},?\\n)[\\s\\S])*?${returned}`,
    ].join("|"),
  );
  const executor = new RegExp(
    `\\brunBatch\\(|\\b${HANDLE}\\s*\\.(?:run|all|get|values|batch)(?:<[^()]*>)?\\(|\\.(?:run|execute)\\(\\)|\\.\\$client\\b|\\bPromise\\.\\w+\\(|\\b(?:background|waitUntil)\\(`,
    "g",
  );
  return [...texts]
    .filter(([, text]) => {
      if (awaited.test(text) || isRunByPromise(text)) return true;
      return [...text.matchAll(executor)].some(([found], n, all) => {
        const at = all[n]?.index ?? 0;
        if (/runBatch|\(\)|client/.test(found)) return write.test(text);
        return write.test(inBrackets(text, at + found.length - 1));
      });
    })
    .map(([file]) => file);
}

/** Import and re-export statements of a file, including packages. */
const fanOut = (text: string): number => [...text.matchAll(/^(?:import\b|export\b[^;(]*?\bfrom\b|\} from\b)/gm)].length;

/** Files that are too long to read or that know too much: over 400 lines or 26 imports. */
export const oversized = (files: Files): string[] =>
  Object.entries(files)
    .filter(([, text]) => text.split("\n").length > 400 || fanOut(text) > 26)
    .map(([file]) => file);

/** Import and re-export statements for each hundred lines of all files. */
export function importDensity(files: Files): number {
  const sum = (of: (text: string) => number) => Object.values(files).reduce((total, text) => total + of(text), 0);
  return (sum(fanOut) / sum((text) => text.split("\n").length)) * 100;
}

/** The files of a language: a catalogue of texts, of messages or of labels. */
export const IN_A_LANGUAGE = /\/(?:texts|languages|messages|labels|sentences)\/[a-z]{2,3}(?:-[A-Za-z]+)?(?:\/|\.ts$)/;

/** Files that write numbers, dates or an order in a fixed language, or that name one of the service's languages. */
export function ownLanguages(files: Files, languages: readonly string[]): string[] {
  const form =
    /\bIntl\.(?:DateTimeFormat|NumberFormat|ListFormat|RelativeTimeFormat|PluralRules|Collator)\((?!\)\.resolvedOptions\(\)\.timeZone)|\.(?:toLocale\w+|localeCompare)\(/;
  const tag = new RegExp(`["'\`](?:${languages.join("|")})(?:-\\w+)?["'\`]`);
  return Object.entries(files)
    .filter(([file, text]) => !IN_A_LANGUAGE.test(file) && [form, tag].some((rule) => rule.test(withoutComments(text))))
    .map(([file]) => file);
}

/** Files and folders whose names say nothing about the product. */
export const vagueNames = (files: Files): string[] =>
  Object.keys(files).filter((file) => /(?:^|\/)(utils?|helpers?|services?|common|misc)(\/|\.ts$)/.test(file));

/** Folders of a part that have no rank, and files beside them that are not its composition. */
export const unranked = (files: Files, { rank, composition }: Layout = SERVICE): string[] =>
  [...new Set(Object.keys(files).map(featureOf))].filter(
    (folder) => rank[folder] === undefined && !composition.includes(folder),
  );

/** Files beside the folder with the same name. Developers look for the resource in the folder. */
export const besideTheirFolder = (files: Files): string[] => {
  const folders = new Set(Object.keys(files).map((file) => folderOf(file).join("/")));
  return Object.keys(files).filter((file) => folders.has(file.replace(/\.\w+$/, "")));
};

/** The bindings that files read from `env`. */
export const bindingReads = (files: Files): { file: string; binding: string }[] =>
  Object.entries(files).flatMap(([file, text]) =>
    [...text.matchAll(/\benv\.([A-Z][A-Z0-9_]*)\b/g)].map(([, binding = ""]) => ({ file, binding })),
  );

/** The files of other parts that a part of the repository may import. Scripts and benches may import everything. */
const OPEN_TO: Readonly<Record<string, RegExp>> = {
  src: /^src\//,
  // A device judges a JPEG and knows the hours of its camera as the service does.
  gateway: /^gateway\/|^src\/platform\/jpeg\/|^src\/cameras\/schedule\.ts$/,
  client: /^client\//,
  // Pages calculate the hours and the storage of a camera, name its faults, find the lines of a PDF,
  // know the paths of the console, and write the names and records of a ZIP as the service does.
  web: /^(?:web|client)\/|^src\/cameras\/(?:faults|messages\/[a-z]{2,3}|schedule|storage\/forecast)\.ts$|^src\/documents\/(?:extraction\/formats\/pdf-lines|sorting\/names)\.ts$|^src\/platform\/(?:paths|file-names|zip\/records|languages\/[a-z]+)\.ts$/,
};

/** Imports between the parts of the repository that the map does not allow. Paths are relative to the repository. */
export const foreignParts = (files: Files): string[] =>
  importsOf(files)
    .filter(({ from, to }) => OPEN_TO[featureOf(from)]?.test(to) === false)
    .map(({ from, to }) => `${from} -> ${to}`);
