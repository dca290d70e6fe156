import { app } from "../../src/app";
import { openContext } from "../../src/compose";
import { backfillAssets, backfillDocuments, indexGuests } from "../../src/search";

/** A statement that was sent to the database. */
interface Recorded {
  sql: string;
  params: unknown[];
}
let recorded: Recorded[] = [];

/** Wraps the database and records every statement. */
function recording(database: D1Database): D1Database {
  const notes = new WeakMap<object, Recorded>();
  const noted = (statement: D1PreparedStatement, note: Recorded): D1PreparedStatement => {
    const run =
      (name: "all" | "run" | "raw" | "first") =>
      (...args: never[]) => {
        recorded.push(note);
        return (statement[name] as (...given: never[]) => unknown)(...args);
      };
    const wrapped = {
      bind: (...params: unknown[]) => noted(statement.bind(...params), { ...note, params }),
      all: run("all"),
      run: run("run"),
      raw: run("raw"),
      first: run("first"),
      inner: statement,
    };
    notes.set(wrapped, note);
    return wrapped as unknown as D1PreparedStatement;
  };
  const session = database.withSession("first-primary");
  const wrapped = {
    prepare: (sql: string) => noted(session.prepare(sql), { sql, params: [] }),
    batch: (statements: (D1PreparedStatement & { inner: D1PreparedStatement })[]) => {
      for (const statement of statements) recorded.push(notes.get(statement) ?? { sql: "", params: [] });
      return session.batch(statements.map(({ inner }) => inner));
    },
    getBookmark: () => session.getBookmark(),
    withSession: () => wrapped,
  };
  return wrapped as unknown as D1Database;
}

/** The routes of the service, with additional routes for the statements of the last request and for the backfills. */
export default {
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/statements") return Response.json(recorded);
    recorded = [];
    const measured = { ...env, DB: recording(env.DB) };
    if (pathname === "/bench/backfill") {
      const { kind, state } = await request.json<{ kind: string; state: unknown }>();
      const { context } = openContext(measured, (work) => execution.waitUntil(work));
      const job = { id: `bench-${kind}`, tenantId: null, payload: {}, state, attempts: 1, requestedBy: null };
      const progress = { done: 0, total: 0 };
      const outcome =
        kind === "assets"
          ? await backfillAssets.run(context, { ...job, kind: "backfill-assets", progress })
          : kind === "guests"
            ? await indexGuests.run(context, { ...job, kind: "index-guests", progress })
            : await backfillDocuments.run(context, { ...job, kind: "backfill-documents", progress });
      await outcome.change?.commit();
      return Response.json({ state: outcome.kind === "continue" ? outcome.state : null, progress: outcome.progress });
    }
    return app.fetch(request, measured, execution);
  },
} satisfies ExportedHandler<Cloudflare.Env>;
