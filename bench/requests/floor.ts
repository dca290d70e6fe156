import { Hono } from "hono";

/** The minimal service, without permissions, validation, limits and logs: Hono with D1. */
const app = new Hono<{ Bindings: { DB: D1Database } }>();

app.get("/readyz", (c) => c.json({ status: "ok" }));
app.get("/locations", async (c) => {
  const { results } = await c.env.DB.prepare("SELECT * FROM locations WHERE tenant_id = ? ORDER BY id LIMIT 20")
    .bind(c.req.query("tenant") ?? "")
    .all();
  return c.json(results);
});
app.get("/locations/:id", async (c) =>
  c.json(await c.env.DB.prepare("SELECT * FROM locations WHERE id = ?").bind(c.req.param("id")).first()),
);
app.get("/search", async (c) => {
  const { results } = await c.env.DB.prepare(
    "SELECT p.document_id, p.texts FROM text_sections p JOIN documents d ON d.id = p.document_id WHERE d.tenant_id = ?1 AND p.texts LIKE ?2 LIMIT 20",
  )
    .bind(c.req.query("tenant") ?? "", `%${c.req.query("term") ?? ""}%`)
    .all();
  return c.json(results);
});

export default app;
