import { LOCATION } from "#texts/locations.ts";
import { dataOf, type Location } from "../../../../client/src/index.ts";
import { HOME, locationPath } from "../../../../src/platform/paths.ts";
import { say, sayFailed } from "../../../ui/notice.tsx";
import { deleteAt } from "../platform/live/index.ts";
import { navigate } from "../platform/router.ts";
import { api } from "../platform/session.ts";

/** Deletes a location with its contents, and offers to undo that. */
export async function removeLocation({ id, name }: Location): Promise<void> {
  const params = { path: { locationId: id } };
  const undo = async () => {
    try {
      await dataOf(api.POST("/v1/spatial/locations/{locationId}/restore", { params }));
      say(LOCATION.restored(name));
      navigate(locationPath(id));
    } catch (thrown) {
      sayFailed(LOCATION.restoreFailed, thrown, undo);
    }
  };
  await deleteAt(id, () => dataOf(api.DELETE("/v1/spatial/locations/{locationId}", { params })));
  navigate(HOME, { replace: true });
  say(LOCATION.removed(name), undo);
}
