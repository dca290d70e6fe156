import { latin1 } from "../../../platform/latin1";
import { breathe, COUNTED_TOGETHER } from "../../../platform/pace";
import { MAX_OFFICE_PARTS, SLIDES_PER_SLICE } from "../../limits";
import { CompoundFile, findStream, viewOf, Window } from "../compound/compound";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge, Unreadable } from "../extracted";
import { ParagraphBuilder } from "../passages";

/** Types of records (MS-PPT 2.13.24). */
const TYPE = {
  document: 0x03e8,
  slide: 0x03ee,
  notesInfo: 0x03f1,
  slidePersist: 0x03f3,
  slideList: 0x0ff0,
  text: 0x0fa0,
  textBytes: 0x0fa8,
  edit: 0x0ff5,
  persistDirectory: 0x1772,
} as const;
/** The kind of a list: slides, or notes. */
const [SLIDES, NOTES] = [0, 2];
/** The mark of an encrypted document in the stream "Current User", and the size of an edit that names a key, bytes. */
const [ENCRYPTED_MARK, EDIT_WITH_KEY_BYTES] = [0xf3d1c4df, 0x20];
/** Maximum number of edits of a document that are followed, and of objects. */
const [MAX_EDITS, MAX_OBJECTS] = [10_000, 200_000];
const HEAD_BYTES = 8;
const CONTAINER = 0xf;
/** Maximum size of the text of one record that is read at once, bytes. */
const TEXT_BYTES = 64 * 1024;

interface PptRecord {
  type: number;
  isContainer: boolean;
  /** The instance of the record: it distinguishes records of one type. */
  instance: number;
  /** Where its content begins and ends. */
  start: number;
  end: number;
}

/** A slide: its number of an object, its identifier, and where its texts of the outline are. */
interface Slide {
  object: number;
  id: number;
  from: number;
  to: number;
}

/**
 * Extracts PPT of PowerPoint 97 to 2003 (MS-PPT): a slide is a page, with the texts of its placeholders, of its other
 * shapes, and the notes of the speaker.
 */
export async function* extractPpt({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  const file = await CompoundFile.open(source);
  const entry = findStream(file.root, "PowerPoint Document");
  if (entry === undefined) throw damaged("The file has no text part.");
  const reader = new PptReader(new Window(await file.stream(entry)));
  const objects = await reader.objects(await currentEdit(file));
  const { slides, notes } = await reader.lists(objects);
  for (let at = from; at < slides.length; at++) {
    const slide = slides[at];
    if (slide === undefined) break;
    const paragraphs = new ParagraphBuilder(at + 1);
    yield* reader.texts(slide.from, slide.to, paragraphs);
    for (const offset of [objects.get(slide.object), notes.get(slide.id)]) {
      const container = offset === undefined ? null : await reader.record(offset);
      if (container !== null) yield* reader.texts(container.start, container.end, paragraphs);
    }
    const done = at + 1;
    if (done % SLIDES_PER_SLICE === 0 && done < slides.length)
      yield { kind: "checkpoint", at: done, done, total: slides.length };
  }
  return { pageCount: slides.length };
}

/** The offset of the last edit (MS-PPT 2.3.2). @throws Unreadable encrypted or damaged. */
async function currentEdit(file: CompoundFile): Promise<number> {
  if (findStream(file.root, "EncryptedSummary") !== undefined) throw encrypted();
  const entry = findStream(file.root, "Current User");
  const bytes = entry === undefined ? new Uint8Array() : await (await file.stream(entry)).read(0, 20);
  if (bytes.length < 20) throw damaged("The file ends before its text.");
  const look = viewOf(bytes);
  if (look.getUint32(12, true) === ENCRYPTED_MARK) throw encrypted();
  return look.getUint32(16, true);
}

const encrypted = (): Unreadable => new Unreadable("encrypted", "The file is protected with a password.");

class PptReader {
  constructor(private readonly window: Window) {}

  /** The record at an offset, or null at the end of the stream. */
  async record(offset: number): Promise<PptRecord | null> {
    const head = this.window.held(offset, HEAD_BYTES) ?? (await this.window.read(offset, HEAD_BYTES));
    if (head.length < HEAD_BYTES) return null;
    const look = viewOf(head);
    const flags = look.getUint16(0, true);
    const start = offset + HEAD_BYTES;
    return {
      type: look.getUint16(2, true),
      isContainer: (flags & 0xf) === CONTAINER,
      instance: flags >> 4,
      start,
      end: start + look.getUint32(4, true),
    };
  }

  /** The records between two offsets, with those within containers. */
  async *#within(from: number, to: number): AsyncGenerator<PptRecord> {
    for (let [at, count] = [from, 1]; at + HEAD_BYTES <= to; count++) {
      const record = await this.record(at);
      if (record === null) throw damaged("The file ends before its text.");
      if (count % COUNTED_TOGETHER === 0) await breathe(HEAD_BYTES * COUNTED_TOGETHER);
      yield record;
      at = record.isContainer ? record.start : record.end;
    }
  }

  /** The offsets of the objects by their numbers (MS-PPT 2.3.4). Of an object that was saved again, the last one counts. */
  async objects(lastEdit: number): Promise<Map<number, number>> {
    const objects = new Map<number, number>();
    const seen = new Set<number>();
    let document: number | undefined;
    for (let at = lastEdit; at !== 0 && !seen.has(at) && seen.size < MAX_EDITS; ) {
      seen.add(at);
      const edit = await this.record(at);
      if (edit?.type !== TYPE.edit) throw damaged("The file cannot be read.");
      const bytes = (await this.window.read(edit.start, EDIT_WITH_KEY_BYTES)).slice();
      if (bytes.length < 20) throw damaged("The file ends before its text.");
      const look = viewOf(bytes);
      if (edit.end - edit.start >= EDIT_WITH_KEY_BYTES && bytes.length >= 32 && look.getUint32(28, true) !== 0)
        throw encrypted();
      document ??= look.getUint32(16, true);
      await this.#addObjects(objects, look.getUint32(12, true));
      at = look.getUint32(8, true);
    }
    const offset = objects.get(document ?? -1);
    if (offset === undefined) throw damaged("The file has no text part.");
    // The document has no number of its own here.
    return objects.set(DOCUMENT, offset);
  }

  async #addObjects(objects: Map<number, number>, offset: number): Promise<void> {
    const directory = await this.record(offset);
    if (directory?.type !== TYPE.persistDirectory) throw damaged("The file cannot be read.");
    const number = async (at: number): Promise<number> => {
      const bytes = this.window.held(at, 4) ?? (await this.window.read(at, 4));
      if (bytes.length < 4) throw damaged("The file ends before its text.");
      return viewOf(bytes).getUint32(0, true);
    };
    for (let at = directory.start; at + 4 <= directory.end; ) {
      const range = await number(at);
      at += 4;
      const first = range & 0xfffff;
      for (let n = 0; n < range >>> 20 && at + 4 <= directory.end; n++, at += 4) {
        if (objects.size >= MAX_OBJECTS) return;
        if (!objects.has(first + n)) objects.set(first + n, await number(at));
      }
    }
  }

  /** The slides in their order, and the offsets of the notes by the identifiers of their slides. */
  async lists(objects: ReadonlyMap<number, number>): Promise<{ slides: Slide[]; notes: Map<number, number> }> {
    const document = await this.record(objects.get(DOCUMENT) ?? 0);
    if (document?.type !== TYPE.document) throw damaged("The file has no text part.");
    const slides: Slide[] = [];
    const notes = new Map<number, number>();
    for (let at = document.start; at + HEAD_BYTES <= document.end; ) {
      const list = await this.record(at);
      if (list === null) throw damaged("The file ends before its text.");
      at = list.end;
      if (list.type !== TYPE.slideList || (list.instance !== SLIDES && list.instance !== NOTES)) continue;
      for await (const record of this.#within(list.start, list.end)) {
        if (record.type !== TYPE.slidePersist) continue;
        if (slides.length + notes.size >= MAX_OFFICE_PARTS)
          throw tooLarge(`The file holds more than ${MAX_OFFICE_PARTS} slides.`);
        const bytes = await this.window.read(record.start, 16);
        if (bytes.length < 16) throw damaged("The file ends before its text.");
        const [object, id] = [viewOf(bytes).getUint32(0, true), viewOf(bytes).getUint32(12, true)];
        if (list.instance === NOTES) await this.#addNotes(notes, objects.get(object));
        else {
          const last = slides.at(-1);
          if (last !== undefined && last.to > record.start) last.to = record.start - HEAD_BYTES;
          slides.push({ object, id, from: record.end, to: list.end });
        }
      }
    }
    return { slides, notes };
  }

  async #addNotes(notes: Map<number, number>, offset: number | undefined): Promise<void> {
    const container = offset === undefined ? null : await this.record(offset);
    const info = container === null ? null : await this.record(container.start);
    if (offset === undefined || info?.type !== TYPE.notesInfo) return;
    const bytes = await this.window.read(info.start, 4);
    if (bytes.length === 4) notes.set(viewOf(bytes).getUint32(0, true), offset);
  }

  /** The texts of all records between two offsets. */
  async *texts(from: number, to: number, paragraphs: ParagraphBuilder): AsyncGenerator<Extracted> {
    for await (const { type, start, end } of this.#within(from, to)) {
      if (type !== TYPE.text && type !== TYPE.textBytes) continue;
      const decoder = new TextDecoder("utf-16le");
      for (let at = start; at < end; at += TEXT_BYTES) {
        const size = Math.min(TEXT_BYTES, end - at);
        const bytes = await this.window.read(at, size);
        if (bytes.length < size) throw damaged("The file ends before its text.");
        say(type === TYPE.text ? decoder.decode(bytes, { stream: true }) : latin1(bytes), paragraphs);
        yield* paragraphs.take();
      }
      paragraphs.end();
      yield* paragraphs.take();
    }
  }
}

/** The number under which the offset of the document is kept. Objects have positive numbers. */
const DOCUMENT = -1;

/** Adds a text. `\r` ends a paragraph, and `\v` a line. A text of one asterisk is the place of the slide number or of a date. */
function say(text: string, paragraphs: ParagraphBuilder): void {
  text.split("\r").forEach((paragraph, n) => {
    if (n > 0) paragraphs.end();
    if (paragraph !== "*") paragraphs.add(paragraph);
  });
}
