import { z } from "zod";

/** A piece of the file that is being written: key, bytes of its object, offset and length. */
const piece = z.tuple([z.string(), z.int(), z.int(), z.int()]);

const cursor = z.array(z.union([z.string(), z.number()]));

/** Where the preparation continues. Each step has its own place. */
const place = z.discriminatedUnion("step", [
  z.object({ step: z.literal("places") }),
  z.object({
    step: z.literal("documents"),
    location: z.int(),
    after: z.object({ path: z.string(), fileName: z.string(), version: z.int() }).nullable(),
    /** Ids of the documents of the location that have the same path as another document. Null: all documents. Undefined: not known yet. */
    namesakes: z.array(z.string()).nullable().optional(),
  }),
  z.object({
    step: z.literal("images"),
    camera: z.int(),
    after: z.object({ capturedAt: z.int(), id: z.string() }).nullable(),
  }),
  z.object({ step: z.literal("rows"), table: z.int(), after: cursor.nullable(), rows: z.int(), file: z.int() }),
  z.object({ step: z.literal("index"), page: z.int(), list: z.enum(["", "document", "image"]), folder: z.string() }),
  z.object({ step: z.literal("last") }),
  z.object({ step: z.literal("end") }),
]);
export type Place = z.infer<typeof place>;
export type PlaceOf<Step extends Place["step"]> = Extract<Place, { step: Step }>;

export const preparationState = z.object({
  place,
  /** Pages of the manifest, and bytes of the ZIP before the next member. */
  pages: z.int(),
  offset: z.int(),
  files: z.int(),
  /** Versions of documents whose object does not exist. */
  missing: z.int(),
  /** The object with the folders of locations and cameras. */
  places: z.string().nullable(),
  /** The text file that is being written. */
  open: z.object({ name: z.string(), sizeBytes: z.int(), crc32: z.int(), pieces: z.array(piece) }).nullable(),
  /** Rows of each table. */
  rows: z.record(z.string(), z.int()),
});
export type PreparationState = z.infer<typeof preparationState>;

export const BEGIN: PreparationState = {
  ...{ place: { step: "places" }, pages: 0, offset: 0, files: 0, missing: 0, places: null, open: null, rows: {} },
};
