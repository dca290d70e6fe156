import { describe, expect, test } from "vitest";
import { DomainError } from "../../src/platform/errors";
import { MAX_IMAGES, MAX_RENDERED_CHARACTERS, MAX_RENDERING_STEPS, MAX_SECTION_DEPTH } from "../../src/reports/limits";
import { parseTemplate, type TemplateSource } from "../../src/reports/templating/parse";
import { Markup, renderTemplate } from "../../src/reports/templating/render";
import fc from "../support/properties";
import { refusal, shown } from "../support/rendered";

const VIEW = {
  title: "A & <B>",
  n: 0,
  f: false,
  t: true,
  photos: ["a.jpg", "b.jpg", "c.jpg"],
  cover: { documentPath: 'x"y.jpg' },
  rows: [{ a: 1, photo: "one.jpg" }, { a: 2 }],
  empty: [],
  deep: { er: { list: [[1, 2], [3]] } },
  report: { id: "r1" },
  location: { name: "Łódź" },
  branding: {},
  body_html: new Markup("<p>x</p>"),
  stylesheet_css: new Markup("p{}"),
};

const render = (text: string, view: Record<string, unknown> = VIEW, source: TemplateSource = "htmlLayoutTemplate") =>
  shown(renderTemplate({ source, text, nodes: parseTemplate(source, text), view }));

describe("a template", () => {
  test.each([
    ["{{title}}", "A &amp; &lt;B&gt;"],
    ["{{{title}}}{{&title}}", "A & <B>A & <B>"],
    ["{{body_html}}|{{{body_html}}}", "<p>x</p>|<p>x</p>"],
    ["<style>{{stylesheet_css}}</style>", "<style>p{}</style>"],
    ["{{#rows}}{{a}}{{title}};{{/rows}}", "1A &amp; &lt;B&gt;;2A &amp; &lt;B&gt;;"],
    ["{{#empty}}x{{/empty}}{{^empty}}none{{/empty}}", "none"],
    ["[{{missing}}][{{a.b.c}}][{{branding.brand_name}}]", "[][][]"],
    ["{{n}}|{{f}}|{{t}}", "0|false|true"],
    ["{{#n}}x{{/n}}{{#t}}{{title}}{{/t}}", "A &amp; &lt;B&gt;"],
    ["{{#deep.er.list}}({{#.}}{{.}},{{/.}}){{/deep.er.list}}", "(1,2,)(3,)"],
    ["{{deep.er.list.0.1}} {{deep.er.list[1][0]}} {{rows[1].a}}", "2 3 2"],
    ["{{! a comment }}{{report.id}} {{location.name}}", "r1 Łódź"],
    ["{{rows}}{{deep}}", ""],
    ['{{image "cover"}}', '<{"documentPath":"x\\"y.jpg"}>'],
    ['{{ image   "photos.1" }}{{{image "photos[2]"}}}', '<"b.jpg"><"c.jpg">'],
    ['{{image "photos"}}', '<"a.jpg">'],
    ['{{#rows}}{{image "photo"}}{{/rows}}', '<"one.jpg">'],
    ['{{#photos}}{{image "."}}{{/photos}}', '<"a.jpg"><"b.jpg"><"c.jpg">'],
    ['{{image_list "photos" 2}}{{image_list "photos"}}', '["a.jpg","b.jpg"]["a.jpg","b.jpg","c.jpg"]'],
    ['{{image_list "missing" 4}}{{image_list "empty"}}{{image "missing"}}', ""],
    ['{{image_list "cover" 4}}', '[{"documentPath":"x\\"y.jpg"}]'],
  ])("renders %s", (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  test.each([
    "{{constructor}}{{toString}}{{__proto__}}{{constructor.constructor}}",
    "{{title.length}}{{photos.length}}{{rows.constructor}}{{rows.0.toString}}{{photos.at}}",
    "{{#constructor.constructor}}x{{/constructor.constructor}}{{#title.constructor.fromCharCode}}x{{/title.constructor.fromCharCode}}",
    "{{body_html.parts}}{{#body_html.parts}}{{.}}{{/body_html.parts}}",
    "{{#title}}{{length}}{{/title}}{{#photos}}{{length}}{{constructor}}{{/photos}}",
    '{{image "__proto__"}}{{image "constructor"}}{{image_list "photos.length" 3}}',
  ])("reads only own properties: %s", (text) => {
    expect(render(text)).toBe("");
  });

  test("writes values into a stylesheet only as values", () => {
    const view = { colour: "#0b5fff", name: 'A "quoted" }\n</style> {', size: 12.5 };
    const css = render(
      'p{color:{{colour}};width:{{size}}px}@page{@top-left{content:"{{name}}"}}',
      view,
      "cssStylesheetTemplate",
    );
    expect(css).toBe(
      'p{color:#0b5fff;width:12.5px}@page{@top-left{content:"A \\22 quoted\\22  \\7d \\a \\3c /style\\3e  \\7b "}}',
    );
  });

  const nested = (depth: number) => `${"{{#a}}".repeat(depth)}x${"{{/a}}".repeat(depth)}`;
  test.each([
    ["sections in sections", nested(8), { a: Array(10).fill({}) }, "repeat too often"],
    ["sections of nothing", "{{#a}}{{#a}}{{/a}}{{/a}}", { a: Array(1_000).fill(0) }, "repeat too often"],
    ["a large value often", "{{b}}".repeat(1_000), { b: "x".repeat(100_000) }, `exceeds ${MAX_RENDERED_CHARACTERS}`],
    [
      "a large value in sections",
      "{{#a}}{{{b}}}{{/a}}",
      { a: Array(1_000).fill(1), b: "&".repeat(100_000) },
      "exceeds",
    ],
    [
      "pictures",
      '{{#a}}{{image_list "b" 100}}{{/a}}',
      { a: [1, 2, 3, 4], b: Array(100).fill("p.jpg") },
      `${MAX_IMAGES} pictures`,
    ],
  ])("ends at its budget: %s", (_, text, view, expected) => {
    const said = refusal(() => render(text, view));
    expect(said).toMatch(/^template-invalid: htmlLayoutTemplate, line 1, column \d+/);
    expect(said).toContain(expected);
  });

  test("can have sections up to the maximum depth, and a deeper section is refused at its beginning", () => {
    const deep = (depth: number) => render(nested(depth), { a: true });
    expect(deep(MAX_SECTION_DEPTH)).toBe("x");
    expect(refusal(() => deep(MAX_SECTION_DEPTH + 1))).toContain(
      `column ${MAX_SECTION_DEPTH * 6 + 1}: sections can have at most ${MAX_SECTION_DEPTH} levels`,
    );
  });

  test("of any sections over any lists ends within its steps, its text and its pictures", () => {
    const tag = fc.constantFrom(
      "{{#a}}",
      "{{/a}}",
      "{{#b}}",
      "{{/b}}",
      "{{^c}}",
      "{{/c}}",
      "{{t}}",
      "{{.}}",
      '{{image_list "a"}}',
      '{{image "t"}}',
      "-",
    );
    const list = fc.nat({ max: 2_000 }).map((length) => Array(length).fill("&"));
    const draft = fc.record({
      a: list,
      b: list,
      c: fc.boolean(),
      t: fc.nat({ max: 50_000 }).map((n) => "<".repeat(n)),
    });
    // Sections that are opened are closed, so that most of them are rendered.
    const balanced = (tags: readonly string[]): string => {
      const open: string[] = [];
      const kept = tags.filter((text) => {
        const [, kind, name = ""] = /^\{\{([#^/])(\w)/.exec(text) ?? [];
        if (kind === "/") return open.at(-1) === name && open.pop() !== undefined;
        if (kind !== undefined) open.push(name);
        return true;
      });
      return [...kept, ...open.reverse().map((name) => `{{/${name}}}`)].join("");
    };
    let refused = 0;
    fc.assert(
      fc.property(fc.array(tag, { minLength: 4, maxLength: 24 }), draft, (tags, view) => {
        const text = balanced(tags);
        const source = "htmlLayoutTemplate";
        let steps = 0;
        // Each lookup of a name reads the view, which is at most one step of the rendering.
        const counted = new Proxy(view, {
          getOwnPropertyDescriptor: (target, key) => {
            steps += 1;
            return Reflect.getOwnPropertyDescriptor(target, key);
          },
          get: (target, key) => {
            if (!Object.hasOwn(target, key)) throw new Error(`read ${String(key)}, which is not the view's own`);
            return Reflect.get(target, key);
          },
        });
        try {
          const parts = renderTemplate({ source, text, nodes: parseTemplate(source, text), view: counted });
          const length = parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length : 0), 0);
          const pictures = parts.reduce<number>(
            (sum, part) => sum + (typeof part === "string" ? 0 : "gallery" in part ? part.gallery.length : 1),
            0,
          );
          expect(length).toBeLessThanOrEqual(MAX_RENDERED_CHARACTERS);
          expect(pictures).toBeLessThanOrEqual(MAX_IMAGES);
        } catch (thrown) {
          if (!(thrown instanceof DomainError)) throw thrown;
          refused += 1;
        }
        expect(steps).toBeLessThanOrEqual(MAX_RENDERING_STEPS);
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(5);
  });

  /** Fragments of templates, and similar texts. */
  const fragment = fc.oneof(
    fc.constantFrom(
      "{{",
      "}}",
      "{{{",
      "}}}",
      "#",
      "^",
      "/",
      "&",
      "!",
      "=",
      ">",
      ".",
      '"',
      "image ",
      'image_list "',
      " ",
      "\n",
    ),
    fc.constantFrom(
      "{{#a}}",
      "{{/a}}",
      "{{^b}}",
      "{{/b}}",
      "{{a}}",
      "{{b.c}}",
      '{{image "a"}}',
      '{{image_list "b" 3}}',
    ),
    fc.constantFrom("{{__proto__}}", "{{constructor}}", "{{toString}}", "{{secret}}", "<p>", "</style>"),
    fc.string({ maxLength: 8 }),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie("list"),
      tie("object"),
    ),
    list: fc.array(tie("any"), { maxLength: 4 }),
    object: fc.dictionary(fc.constantFrom("a", "b", "c", "length", "0"), tie("any"), { maxKeys: 3 }),
  })).object;

  test("of any form is refused with a message or stays within its limits and its own data", () => {
    const secret = "zinnwaldite-of-another-report";
    const polluted = Object.create({ secret }) as Record<string, unknown>;
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), value, (pieces, own) => {
        const view = Object.assign(Object.create(polluted) as Record<string, unknown>, own);
        const text = pieces.join("");
        try {
          const page = render(text, view);
          expect(page).not.toContain(secret);
          expect(page).not.toMatch(/function|\[native code\]|\[object/);
          expect(page.length).toBeLessThanOrEqual(MAX_RENDERED_CHARACTERS + 10_000);
        } catch (thrown) {
          if (!(thrown instanceof DomainError)) throw thrown;
          expect(thrown.code).toBe("template-invalid");
          expect(thrown.extras.errors?.[0]?.line).toBeGreaterThan(0);
        }
      }),
      { numRuns: 1_500 },
    );
  });
});
