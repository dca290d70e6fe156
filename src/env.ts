/** The Worker's bindings; wrangler.toml is the only place that names them. */
export type Bindings = Cloudflare.Env;
