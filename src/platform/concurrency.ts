interface PendingQuestion<Question, Answer> {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (thrown: unknown) => void;
}

/**
 * Answers questions in batches. The questions that arrive while a batch runs form the next batch. A batch begins after
 * its questions were asked, so an answer is never older than its question.
 */
export class Batcher<Question, Answer> {
  /** The questions that wait for the next batch, by key. A key is present while a batch of it runs. */
  readonly #waiting = new Map<string, PendingQuestion<Question, Answer>[]>();

  /**
   * @param answerAll returns one answer for each question, in their order; if it throws, every question of the batch
   * fails
   * @param maxBatchSize most questions in one batch
   * @param restMs pause before the next batch when questions already wait for it, milliseconds: more of a crowd share
   * it
   */
  constructor(
    private readonly answerAll: (questions: Question[], key: string) => Promise<readonly Answer[]>,
    private readonly maxBatchSize: number,
    private readonly restMs = 0,
  ) {}

  /** Answers one question. Questions of one key are answered in the order in which they were asked. */
  ask(question: Question, key = ""): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const pending = { question, resolve, reject };
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) {
        waiting.push(pending);
        return;
      }
      const first = [pending];
      this.#waiting.set(key, first);
      void this.#answer(key, first);
    });
  }

  async #answer(key: string, waiting: PendingQuestion<Question, Answer>[]): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, this.maxBatchSize);
      const questions = batch.map(({ question }) => question);
      try {
        const answers = await this.answerAll(questions, key);
        if (answers.length !== batch.length) throw new Error(`${answers.length} answers to ${batch.length} questions`);
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as Answer);
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
      if (this.restMs > 0 && waiting.length > 0) await scheduler.wait(this.restMs);
    }
    this.#waiting.delete(key);
  }
}

/** Runs work one after another for each key: each call waits for the earlier calls of its key. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work of this key has ended, with success or with failure. */
  async runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#last.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#last.get(key) === result) this.#last.delete(key);
    }
  }
}

/** Runs work for each item, `atOnce` at the same time. @returns the answers in the order of the items */
export async function inWaves<Item, Answer>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < items.length; at += atOnce)
    answers.push(...(await Promise.all(items.slice(at, at + atOnce).map((item, n) => run(item, at + n)))));
  return answers;
}
