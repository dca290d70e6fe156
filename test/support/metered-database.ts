interface Measured {
  inner: D1PreparedStatement;
}

/** A database that adds up the read rows that D1 reports: rows of tables, indexes and virtual tables. */
export function metered(database: D1Database) {
  let rows = 0;
  const count = <T extends { meta: { rows_read?: number } }>(result: T): T => {
    rows += result.meta.rows_read ?? Number.NaN;
    return result;
  };
  const wrap = (inner: D1PreparedStatement, isRead: boolean): D1PreparedStatement & Measured =>
    ({
      inner,
      bind: (...values: unknown[]) => wrap(inner.bind(...values), isRead),
      all: async () => count(await inner.all()),
      run: async () => count(await inner.run()),
      // A raw answer has no count. Its statement only reads, so it can run twice.
      raw: async () => {
        if (!isRead) throw new Error("a raw answer of a statement that writes is not counted");
        count(await inner.all());
        return inner.raw();
      },
    }) as unknown as D1PreparedStatement & Measured;
  const session = database.withSession("first-primary");
  const measured = {
    prepare: (statement: string) => wrap(session.prepare(statement), /^\s*(?:select|with)\b/i.test(statement)),
    batch: async (statements: (D1PreparedStatement & Measured)[]) =>
      (await session.batch(statements.map(({ inner }) => inner))).map(count),
    getBookmark: () => session.getBookmark(),
  };
  return {
    database: { withSession: () => measured } as unknown as D1Database,
    take: () => {
      const taken = rows;
      rows = 0;
      return taken;
    },
  };
}
