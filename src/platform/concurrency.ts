interface Asked<Question, Answer> {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (thrown: unknown) => void;
}

/**
 * Answers questions in rounds: what is asked while a round is on its way is answered by the next one, all of it at
 * once. A round begins after its questions were asked, so an answer is never older than its question.
 */
export class Batcher<Question, Answer> {
  /** What waits for the next round, by key; a key stands here as long as a round of it is on its way. */
  readonly #waiting = new Map<string, Asked<Question, Answer>[]>();

  /**
   * `answerAll` gives one answer a question, in their order; a failure is the answer to each question of its round.
   * `restMs` is how long a round waits for more questions when some came while the last one was on its way, ms: of a
   * crowd that arrives, many then share a round.
   */
  constructor(
    private readonly answerAll: (questions: Question[], key: string) => Promise<readonly Answer[]>,
    private readonly largestRound: number,
    private readonly restMs = 0,
  ) {}

  /** The answer to this question. Questions of one key are answered in the order in which they were asked. */
  ask(question: Question, key = ""): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const asked = { question, resolve, reject };
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) {
        waiting.push(asked);
        return;
      }
      const first = [asked];
      this.#waiting.set(key, first);
      void this.#answer(key, first);
    });
  }

  async #answer(key: string, waiting: Asked<Question, Answer>[]): Promise<void> {
    while (waiting.length > 0) {
      const round = waiting.splice(0, this.largestRound);
      const questions = round.map(({ question }) => question);
      try {
        const answers = await this.answerAll(questions, key);
        if (answers.length !== round.length) throw new Error(`${answers.length} answers to ${round.length} questions`);
        for (const [i, { resolve }] of round.entries()) resolve(answers[i] as Answer);
      } catch (thrown) {
        for (const { reject } of round) reject(thrown);
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
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
