/** The location and the camera that the person saw last in this tab. A camera counts as its location too. */
export const recent: { locationId: string | null; cameraId: string | null } = { locationId: null, cameraId: null };

/** The location that the person saw last among these, or else the first location; the empty text if there is none. */
export const recentLocationId = (locations: readonly { id: string }[]): string =>
  (locations.find(({ id }) => id === recent.locationId) ?? locations[0])?.id ?? "";
