import { createHash } from "node:crypto";

type Json = Record<string, unknown>;

/** The stylesheet of each template, by the template's key. It comes after the stylesheet of the default wrapper. */
const TEMPLATES = { bench: "", "bench-without-numbers": ".report-contents a::after { content: none }" };

/** A user with a location, who calls the running service like a client. */
export class Site {
  private readonly url: string;
  private readonly token: string;
  private readonly locationId: string;

  private constructor(url: string, token: string, locationId: string) {
    [this.url, this.token, this.locationId] = [url, token, locationId];
  }

  static async open(url: string): Promise<Site> {
    const account = { email: "bench@people.test", password: "correct horse battery", displayName: "Bench" };
    const { accessToken } = await call(url, "POST", "/v1/auth/register", undefined, account);
    const token = String(accessToken);
    const organization = await call(url, "POST", "/v1/orgs", token, { name: "Harbour" });
    const cluster = await call(url, "POST", "/v1/spatial/clusters", token, {
      organizationId: organization.id,
      name: "North",
    });
    const location = await call(url, "POST", "/v1/spatial/locations", token, { clusterId: cluster.id, name: "Quay" });
    const site = new Site(url, token, String(location.id));
    for (const [key, cssStylesheetTemplate] of Object.entries(TEMPLATES))
      await site.call("POST", `/v1/reports/templates/organizations/${organization.id}`, {
        key,
        displayName: "Bench",
        contentTemplateJson: { body: "" },
        bodyFieldPath: "body",
        cssStylesheetTemplate,
      });
    return site;
  }

  call(method: string, path: string, body?: unknown): Promise<Json> {
    return call(this.url, method, path, this.token, body);
  }

  async upload(fileName: string, bytes: Uint8Array): Promise<void> {
    const path = `/v1/spatial/locations/${this.locationId}/documents`;
    const started = await this.call("POST", `${path}/upload-start`, {
      path: "photos",
      fileName,
      contentType: "image/jpeg",
      sizeBytes: bytes.length,
      checksumSha256: createHash("sha256").update(bytes).digest("hex"),
    });
    const headers = started.requiredHeaders as Record<string, string>;
    const put = await fetch(String(started.uploadUrl), { method: "PUT", headers, body: new Uint8Array(bytes) });
    if (!put.ok) throw new Error(`the upload answered ${put.status}`);
    await this.call("POST", `${path}/upload-complete`, { uploadId: started.uploadId });
  }

  /** Creates a report with this draft and returns its id. */
  async report(title: string, contentJson: Json, templateKey: keyof typeof TEMPLATES = "bench"): Promise<string> {
    const body = { templateKey, title, contentJson };
    return String((await this.call("POST", `/v1/reports/locations/${this.locationId}`, body)).id);
  }

  ask = async (reportId: string): Promise<string> =>
    String((await this.call("POST", `/v1/reports/${reportId}/generate-pdf`)).jobId);

  /** Waits for the end of a job. @throws if it failed. */
  async ended(jobId: string, everyMs = 20): Promise<Json> {
    for (;;) {
      const job = await this.call("GET", `/v1/reports/jobs/${jobId}`);
      if (job.status === "failed") throw new Error(`a job failed: ${JSON.stringify(job.error)}`);
      if (job.status === "succeeded") {
        const missing = job.missingImages as unknown[];
        if (missing.length > 0) throw new Error(`pictures are missing: ${JSON.stringify(missing[0])}`);
        return job;
      }
      await new Promise((done) => setTimeout(done, everyMs));
    }
  }

  /** Requests a PDF, waits for it and returns the milliseconds. */
  async print(reportId: string): Promise<{ ms: number; job: Json }> {
    const began = performance.now();
    const job = await this.ended(await this.ask(reportId));
    return { ms: performance.now() - began, job };
  }

  async pdfOf(job: Json): Promise<Uint8Array> {
    const headers = { authorization: `Bearer ${this.token}` };
    return new Uint8Array(await (await fetch(this.url + String(job.downloadUrl), { headers })).arrayBuffer());
  }

  async preview(reportId: string): Promise<string> {
    const headers = { authorization: `Bearer ${this.token}` };
    return (await fetch(`${this.url}/v1/reports/${reportId}/preview`, { headers })).text();
  }
}

async function call(url: string, method: string, path: string, token?: string, body?: unknown): Promise<Json> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 400)}`);
  return JSON.parse(text) as Json;
}
