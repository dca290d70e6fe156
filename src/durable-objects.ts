import { openContext } from "./compose";
import { LocationChannelObject } from "./hub/location/channel";
import { HubShardObject } from "./hub/shard/shard";
import { jobHandlers } from "./job-handlers";
import { type Context, contextIn } from "./platform/context";
import { SweeperObject, sweepJobs } from "./platform/jobs/sweep";
import { ReportRoomObject } from "./reports/room/room";

/** Holds the live connections of some users. */
export class HubShard extends HubShardObject {
  protected override context(): Context {
    return openContext(this.env, (work) => this.ctx.waitUntil(work)).context;
  }
}

/** Delivers the live events of one location. */
export class LocationChannel extends LocationChannelObject {
  protected override context(): Context {
    return openContext(this.env, (work) => this.ctx.waitUntil(work)).context;
  }
}

/** The room in which users edit the draft of one report together. */
export class ReportRoom extends ReportRoomObject {
  protected override context(): Context {
    return openContext(this.env, (work) => this.ctx.waitUntil(work)).context;
  }
}

/** The object whose alarm sweeps the jobs of one database. */
export class JobSweeper extends SweeperObject<Cloudflare.Env> {
  protected override sweep(database: string) {
    const { context } = openContext(this.env, (work) => this.ctx.waitUntil(work));
    const there = contextIn(context, database);
    if (there === null) throw new Error(`no database has the name "${database}"`);
    return sweepJobs(there, jobHandlers, this.looks);
  }
}
