import { createReadStream } from "node:fs";
import { Refusal } from "../refusal";

const MAX_SECRET = 200;

/** Reads a line from a file descriptor. */
async function readLine(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const part of stream) {
    text += part.toString();
    if (text.includes("\n") || text.length > MAX_SECRET) break;
  }
  return (text.split("\n")[0] ?? "").trim();
}

/** Reads a line from the terminal without echo. */
function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  return new Promise((done, fail) => {
    let text = "";
    const end = () => {
      stdin.setRawMode(false);
      stdin.pause();
      stdin.off("data", read);
      stderr.write("\n");
    };
    const read = (part: Buffer) => {
      for (const letter of part.toString()) {
        if (letter === "\r" || letter === "\n" || letter === "\u0004") {
          end();
          return done(text.trim());
        }
        if (letter === "\u0003") {
          end();
          return fail(new Refusal("Stopped."));
        }
        if (letter === "\u007f" || letter === "\b") text = text.slice(0, -1);
        else if (text.length < MAX_SECRET) text += letter;
      }
    };
    stdin.on("data", read);
  });
}

/** A pairing code: typed without echo, or read from a file descriptor. It is never an argument of a command. */
export async function readCode(descriptor: number | null): Promise<string> {
  const code =
    descriptor !== null
      ? await readLine(createReadStream("", { fd: descriptor }))
      : process.stdin.isTTY
        ? await askHidden("Pairing code (it is not shown): ")
        : await readLine(process.stdin);
  if (code === "") throw new Refusal("No pairing code was given.");
  return code;
}
