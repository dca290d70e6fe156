import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { readJson, requirePrivate, writeWhole } from "../files";
import { configurationSchema } from "../service/answers";
import type { Proposal } from "../service/client";

const identitySchema = z.object({
  service: z.string(),
  cameraId: z.uuid(),
  credentialId: z.uuid(),
  credential: z.string().startsWith("svccam1."),
});
export type Identity = z.infer<typeof identitySchema>;

const proposalSchema = z.object({ pairingCode: z.string(), credentialSecret: z.string(), redemptionId: z.uuid() });
const configuredSchema = z.object({ etag: z.string().nullable(), configuration: configurationSchema });
export type Configured = z.infer<typeof configuredSchema>;
const lanesSchema = z.array(z.string().nullable());

/** The state of a camera besides its images: its credential, its configuration and the images in transfer. */
export class Papers {
  constructor(private readonly folder: string) {}

  #file(name: string): string {
    return join(this.folder, `${name}.json`);
  }

  identity(): Identity | null {
    const file = this.#file("identity");
    if (existsSync(file)) requirePrivate(file);
    return readJson(file, identitySchema);
  }
  setIdentity(identity: Identity): void {
    writeWhole(this.#file("identity"), JSON.stringify(identity));
  }

  /** A pairing request without an answer. The same request is sent again. */
  proposal(): Proposal | null {
    return readJson(this.#file("proposal"), proposalSchema);
  }
  propose(pairingCode: string): Proposal {
    const proposal = { pairingCode, credentialSecret: randomBytes(32).toString("hex"), redemptionId: randomUUID() };
    writeWhole(this.#file("proposal"), JSON.stringify(proposal));
    return proposal;
  }
  forgetProposal(): void {
    rmSync(this.#file("proposal"), { force: true });
  }

  configured(): Configured | null {
    try {
      return readJson(this.#file("configuration"), configuredSchema);
    } catch {
      // The file is damaged or of another version of the gateway. The configuration is fetched again.
      return null;
    }
  }
  setConfigured(configured: Configured): void {
    writeWhole(this.#file("configuration"), JSON.stringify(configured));
  }

  /** The image of each lane that was announced and has not ended. It takes one of the camera's upload slots at the service. */
  lanes(): (string | null)[] {
    try {
      return readJson(this.#file("lanes"), lanesSchema) ?? [];
    } catch {
      return [];
    }
  }
  setLanes(captureIds: (string | null)[]): void {
    writeWhole(this.#file("lanes"), JSON.stringify(captureIds));
  }
}
