import { statfsSync } from "node:fs";
import type { Frame, Spool } from "./spool/spool";

/** A camera's images, for the decision which image to delete. */
export interface Tenant {
  spool: Spool;
  /** Whether an image must be kept. */
  holds(frame: Frame): boolean;
  thinned(): void;
}

const MEGABYTE = 1024 * 1024;
/** Maximum number of images that are deleted to store one. */
const MAX_THINNED_AT_ONCE = 64;

/** The room that all cameras share. A full disk never stops the cameras: images are deleted so that the others stay evenly spaced. */
export class Disk {
  readonly #tenants: Tenant[] = [];

  constructor(
    private readonly folder: string,
    private readonly limits: { maxMegabytes: number; minFreeMegabytes: number },
    private readonly freeOf: (folder: string) => number = (path) => {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    },
  ) {}

  join(tenant: Tenant): void {
    this.#tenants.push(tenant);
  }

  get free(): number {
    return this.freeOf(this.folder);
  }

  #lacks(bytes: number): boolean {
    const kept = this.#tenants.reduce((sum, { spool }) => sum + spool.bytes, 0);
    return (
      kept + bytes > this.limits.maxMegabytes * MEGABYTE || this.free - bytes < this.limits.minFreeMegabytes * MEGABYTE
    );
  }

  /**
   * Deletes an image of the camera with the most images: the image that leaves the smallest gap. @returns false when
   * none may be deleted
   */
  thin(): boolean {
    for (const tenant of [...this.#tenants].sort((a, b) => b.spool.bytes - a.spool.bytes)) {
      const frame = tenant.spool.leastMissed((candidate) => !tenant.holds(candidate));
      if (frame === null) continue;
      tenant.spool.end(frame, "thinned", "disk-full");
      tenant.thinned();
      return true;
    }
    return false;
  }

  /** Frees space for an image. @returns whether there is enough space */
  makeRoom(bytes: number): boolean {
    for (let thinned = 0; this.#lacks(bytes); thinned++)
      if (thinned === MAX_THINNED_AT_ONCE || !this.thin()) return !this.#lacks(bytes);
    return true;
  }
}
