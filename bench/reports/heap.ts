/** Pause between two readings, milliseconds. */
const EVERY = 10;

interface Usage {
  usedSize: number;
  embedderHeapUsedSize?: number;
  backingStorageSize?: number;
}

/** The WebSocket of Node, which can send headers. */
const NodeWebSocket = WebSocket as unknown as new (
  url: string,
  options: { headers: Record<string, string> },
) => WebSocket;

interface Target {
  title?: string;
  webSocketDebuggerUrl: string;
}

/** The memory of the service's isolate, read with its inspector: objects, their external memory, and buffers. */
export class Heap {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (result: unknown) => void>();
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (id === undefined) return;
      this.#answers.get(id)?.(result);
      this.#answers.delete(id);
    });
  }

  static async open(port: number): Promise<Heap> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as Target[];
    const url = targets[0]?.webSocketDebuggerUrl;
    if (url === undefined) throw new Error("the inspector names no target");
    // The development server requires an Origin header.
    const socket = new NodeWebSocket(url, { headers: { origin: "http://localhost" } });
    await new Promise((done, fail) => {
      socket.addEventListener("open", done);
      socket.addEventListener("error", fail);
    });
    return new Heap(socket);
  }

  #send<T>(method: string): Promise<T> {
    const id = ++this.#asked;
    this.#socket.send(JSON.stringify({ id, method }));
    return new Promise((done) => this.#answers.set(id, (result) => done(result as T)));
  }

  /** Memory in use, with garbage, MB. */
  async used(): Promise<number> {
    const usage = await this.#send<Usage>("Runtime.getHeapUsage");
    return (usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0)) / 1e6;
  }

  /** Runs `work`. Returns the peak memory above the memory after a garbage collection, MB. */
  async peakOf<T>(work: () => Promise<T>): Promise<{ result: T; peakMb: number }> {
    await this.#send("HeapProfiler.collectGarbage");
    const idle = await this.used();
    let [most, isOver] = [idle, false];
    const watch = (async () => {
      while (!isOver) {
        most = Math.max(most, await this.used());
        await new Promise((done) => setTimeout(done, EVERY));
      }
    })();
    const result = await work().finally(() => {
      isOver = true;
    });
    await watch;
    return { result, peakMb: most - idle };
  }

  close(): void {
    this.#socket.close();
  }
}
