import { carried, ownedBy } from "../platform/db/carry/declare";
import { wantedEvents } from "./tables";

export const eventsTables = [carried(wantedEvents, ownedBy("tenant_id"))];
