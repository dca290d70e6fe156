import { randomUUID } from "node:crypto";
import type { Machine } from "../../../gateway/src/clock";

/** A machine whose clocks are set by the test. */
export class Board implements Machine {
  bootId = randomUUID() as string;
  uptime = 10_000;
  wall = 0;
  synchronized = false;
  uptimeMs = () => this.uptime;
  wallMs = () => this.wall;
  isSynchronized = () => this.synchronized;
  pass(ms: number): void {
    this.uptime += ms;
    this.wall += ms;
  }
  reboot(): void {
    this.bootId = randomUUID();
    this.uptime = 1_000;
  }
}
