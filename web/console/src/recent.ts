/** The location and the camera that the person saw last in this tab. A camera counts as its location too. */
export const recent: { locationId: string | null; cameraId: string | null } = { locationId: null, cameraId: null };
