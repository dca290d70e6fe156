/** The mutants of `npm run mutate`: each limit with another number, and each comparison with it turned at its boundary. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { flatRows, testsOf } from "../../test/limits/row.ts";
import { limitTables, settingsLimits } from "../../test/limits/tables/index.ts";
import { seededMutants } from "../../test/limits/tables/seeded.ts";
import { Refusal, ROOT } from "../setup/project.mjs";

export const read = (file) => readFileSync(join(ROOT, file), "utf8");

/** Whether only half and double of a limit are tried: it is a time, or a limit of memory. */
const isApproximate = (name, { page, coarse }) =>
  coarse === true ||
  page?.startsWith("time | ") ||
  (!page?.startsWith("count | ") &&
    /_MS$|LIFETIME|RETENTION|GRACE|_DAYS$|_HOURS$/.test(name.replace(/\.[a-z]\w*$/, "")));

/**
 * The values that replace a limit where it is used, by the form of the use: the whole constant, or its field. A limit
 * that is one larger has the effect of a removed guard.
 */
function changesOf(name, row, isRate) {
  const [base, field] = name.startsWith("settings.") ? [name] : name.split(".");
  const set = (key, value) => (use) => (use === base ? `({ ...${base}, ${key}: ${value} })` : `(${value})`);
  const changed = (value) => (field === undefined ? (use) => `(${value(use)})` : set(field, value(name)));
  if (isRate)
    return {
      "limit + 1": set("limit", `${base}.limit + 1`),
      "limit - 1": set("limit", `${base}.limit - 1`),
      "window * 2": set("windowMs", `${base}.windowMs * 2`),
      "window / 2": set("windowMs", `${base}.windowMs / 2`),
    };
  if (row.values !== undefined) {
    const [one, other] = row.values.map((value) => JSON.stringify(value));
    return { other: changed((use) => `${use} === ${one} ? ${other} : ${one}`) };
  }
  const steps = isApproximate(name, row) ? ["* 2", "/ 2"] : ["+ 1", "- 1"];
  return Object.fromEntries(steps.map((step) => [step, changed((use) => `${use} ${step}`)]));
}

const isRegexStart = (before) => /(?:^|[(,=:[!&|?{};\n]|\breturn|=>)\s*$/.test(before.slice(-40));
/** Comments, strings, expressions for texts, and templates: those with a tag, such as SQL, are code. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`|\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/** The end of a template that begins at `from`: the position after its last backtick. */
function templateEnd(source, from) {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "`") return at + 1;
    else if (source.startsWith("${", at)) {
      let depth = 1;
      for (at += 2; depth > 0 && at < source.length; at++) {
        if (source[at] === "`") at = templateEnd(source, at) - 1;
        else if (source[at] === "{") depth++;
        else if (source[at] === "}") depth--;
      }
      at--;
    }
  }
  return source.length;
}

/** The source in which everything is blank that is no code: imports, re-exports, comments, strings and texts for people. */
export function codeOf(source) {
  const blank = (text) => text.replace(/[^\n]/g, " ");
  let [code, at] = ["", 0];
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(source); token !== null; token = TOKEN.exec(source)) {
    const [text] = token;
    const before = code + source.slice(at, token.index);
    if (text[0] === "/" && text[1] !== "/" && text[1] !== "*" && !isRegexStart(before)) {
      TOKEN.lastIndex = token.index + 1;
      continue;
    }
    const end = text === "`" ? templateEnd(source, token.index) : token.index + text.length;
    const whole = source.slice(token.index, end);
    code = before + (text === "`" && /[\w>)]$/.test(before) ? whole : blank(whole));
    at = end;
    TOKEN.lastIndex = end;
  }
  code += source.slice(at);
  return code.replace(/^(?:import|export)\b[^;=(]*?\bfrom\b[^;]*;/gm, blank);
}

/** Whether a file uses the constant of a module, and not another of the same name. */
function usesOf(file, source, name, module) {
  if (file === module) return !module.endsWith("/limits.ts");
  for (const [, names, from] of source.matchAll(/^import (?:type )?\{([^}]*)\} from "(\.[^"]*)";/gm))
    if (new RegExp(`\\b${name}\\b`).test(names)) {
      const target = normalize(join(dirname(file), from)).replaceAll("\\", "/");
      return (
        [`${target}.ts`, `${target}/limits.ts`, `${target}/index.ts`].includes(module) || dirname(module) === target
      );
    }
  return false;
}

/** The uses of a constant or of its field in code: [index, text]. Other fields of the constant are no uses. */
function* usesIn(code, base, field) {
  const name = base.replace(/^settings\./, "(?:\\w+\\.)*settings\\.");
  const fields = field === undefined ? "" : `(?:\\.${field}\\b)?(?!\\.\\w)`;
  for (const use of code.matchAll(new RegExp(`(?<![\\w.]|const )${name}\\b${fields}(?!:)`, "g")))
    yield [use.index, use[0]];
}

/** The source with other texts at these places; null if there is none. */
function replaced(source, places) {
  if (places.length === 0) return null;
  let text = source;
  for (const [at, old, to] of [...places].reverse()) text = text.slice(0, at) + to + text.slice(at + old.length);
  return text;
}

const TURNED = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const QUERY_OPERATORS = { lt: "lte", lte: "lt", gt: "gte", gte: "gt" };

/** The comparison around a use: its operator on the same line, with no other condition between them. */
function comparisonAt(code, at) {
  const start = code.lastIndexOf("\n", at) + 1;
  const line = code.slice(start, code.indexOf("\n", at));
  const own = at - start;
  const call = [...line.slice(0, own).matchAll(/\b(lte?|gte?)\(/g)].at(-1);
  if (call !== undefined && !line.slice(call.index, own).includes(")")) return [start + call.index, call[1]];
  const isBetween = (from, to) => !/&&|\|\||[?;]| : |\b(?:AND|OR|WHERE)\b/.test(line.slice(from, to));
  const all = [...line.matchAll(/(?<= )(?:<=?|>=?)(?= )/g)].filter(({ index }) =>
    isBetween(Math.min(index, own), Math.max(index, own)),
  );
  const nearest = all.sort((a, b) => Math.abs(a.index - own) - Math.abs(b.index - own))[0];
  return nearest === undefined ? null : [start + nearest.index, nearest[0]];
}

/** Each comparison with a limit turned: `>` is `>=`. An exact limit has these mutants already: they are one more or less. */
function* comparisons(source, uses) {
  const code = codeOf(source);
  // Whether a recurring job has work is asked some times a day: the job compares again.
  const isInHasWork = (at) => code.lastIndexOf("hasWork", at) > code.lastIndexOf("run(", at);
  const places = uses.flatMap(([at]) => (isInHasWork(at) ? [] : [comparisonAt(code, at)]));
  const found = new Map(places.filter((one) => one !== null));
  for (const [at, operator] of found) {
    const to = TURNED[operator] ?? QUERY_OPERATORS[operator];
    const text = replaced(source, [[at, operator, to in QUERY_OPERATORS ? `turned.${to}` : to]]);
    const line = source.slice(0, at).split("\n").length;
    yield [
      `${operator} → ${to} in line ${line}`,
      to in QUERY_OPERATORS ? `import * as turned from "drizzle-orm"; ${text}` : text,
    ];
  }
}

/** The mutants of one limit in one file: [change, changed source]. */
function* mutantsIn(file, base, field, name, row, isRate) {
  const source = read(file);
  const uses = [...usesIn(codeOf(source), base, field)];
  for (const [change, to] of Object.entries(changesOf(name, row, isRate))) {
    const places = uses.map(([at, use]) => [at, use, to(use)]);
    const text = replaced(source, places);
    if (text !== null) yield [change, text];
  }
  if (isRate) {
    const call = new RegExp(`consumeRateLimit\\((.*\\b${base})\\)`);
    if (call.test(source)) yield ["removed", source.replace(call, "Promise.resolve([$1])")];
  } else if (isApproximate(name, row)) yield* comparisons(source, uses);
}

/** All mutants: a limit, a file that uses it, and the file with another limit. */
export function* allMutants() {
  const sources = globSync("src/**/*.ts", { cwd: ROOT }).map((file) => file.replaceAll("\\", "/"));
  for (const [module, rows] of Object.entries({ ...limitTables, settings: settingsLimits }))
    for (const [name, row] of flatRows(rows)) {
      const isSetting = module === "settings";
      const [own, field] = name.split(".");
      const base = isSetting ? `settings.${own}` : own;
      const isRate = !isSetting && new RegExp(`const ${base}: RateLimit`).test(read(module));
      for (const file of sources)
        if (isSetting || usesOf(file, read(file), base, module))
          for (const [change, text] of mutantsIn(file, base, field, isSetting ? base : name, row, isRate)) {
            yield { limit: `${module}: ${name}`, file, change, text, tests: testsOf(name, row), unheld: row.unheld };
          }
    }
  for (const { file, from, to, held } of seededMutants) {
    if (read(file).split(from).length !== 2) throw new Refusal(`${file} does not contain once: ${from}`);
    const text = read(file).replace(from, () => to);
    yield { limit: "seeded", file, change: `${from} → ${to}`, text, tests: testsOf("", { held }) };
  }
}
