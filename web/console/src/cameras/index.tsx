import { Lost, type ViewProps } from "../views.tsx";
import { WallPage } from "./wall.tsx";

/** The wall of cameras, or the archive of one. */
export default function Cameras({ path: [cameraId] }: ViewProps) {
  return cameraId === undefined ? <WallPage /> : <Lost />;
}
