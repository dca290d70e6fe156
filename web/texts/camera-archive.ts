/** The texts of the console's page of one camera's archive. */
export const CAMERA_ARCHIVE = {
  title: "Camera",
  place: "Place",
  loading: "Reading the camera…",
  failed: "The camera could not be read",
  gone: "You cannot see this camera",
  goneHelp: "It does not exist, or nobody shared it with you.",
  toLocations: "To your locations",
};
