import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { TEXT_STATUSES } from "../../../../src/documents/tables";
import { latin1 } from "../../../../src/platform/latin1";
import { fixture, readDocument } from "../../../documents/extraction/read";
import { pagedPdf } from "../../../support/paged-pdf";
import fc from "../../../support/properties";

const NAMES = Object.keys(env.TEST_DOCUMENTS);
/** The statuses that a damaged file may get. `failed` would mean a failure of the service. */
const ENDS = TEXT_STATUSES.filter((status) => status !== "pending" && status !== "failed");

async function expectAnEnd(bytes: Uint8Array, name: string): Promise<void> {
  const { end, passages } = await readDocument(bytes, name);
  expect(ENDS).toContain(end.status);
  expect(passages.map(({ chunkIndex }) => chunkIndex)).toEqual(passages.map((_, i) => i));
  // The recognition of a page without text says later how it ended.
  if (end.status !== "indexed" && end.status !== "recognizing") expect(end.detail).toMatch(/^[A-Z].+\.$/);
}

test.each(NAMES)("%s gets a text status if it is cut off at any point", async (name) => {
  const whole = fixture(name);
  const lengths = fc.integer({ min: 0, max: whole.length });
  await fc.assert(
    fc.asyncProperty(lengths, (length) => expectAnEnd(whole.subarray(0, length), name)),
    { numRuns: 20 },
  );
});

test.each(NAMES)("%s gets a text status if any of its bytes are changed", async (name) => {
  const whole = fixture(name);
  const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(changes, (list) => {
      const bytes = whole.slice();
      for (const [at, value] of list) bytes[at] = value;
      return expectAnEnd(bytes, name);
    }),
    { numRuns: 15 },
  );
});

// pdf.js reads pages ahead and does not handle their rejections. vitest.config.mts lists them.
test("pages at wrong offsets give a text status, and no unhandled rejection", async () => {
  const broken = latin1(pagedPdf(3)).replace(/\b([48]) 0 obj/g, "$1 0 xbj");
  await expectAnEnd(new TextEncoder().encode(broken), "broken.pdf");
});

test("a PDF whose pages cannot be found is damaged, not empty", async () => {
  const broken = latin1(pagedPdf(3)).replace(/\b([468]) 0 obj/g, "$1 0 xbj");
  expect((await readDocument(new TextEncoder().encode(broken), "broken.pdf")).end.status).toBe("damaged");
});
