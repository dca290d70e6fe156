import { lazy, type ViewProps } from "../lazy.tsx";
import { WallPage } from "./wall.tsx";

const Archive = lazy(() => import("../archive/page.tsx"));

/** The wall of cameras, or the archive of one. */
export default function Cameras({ path: [cameraId] }: ViewProps) {
  return cameraId === undefined ? <WallPage /> : <Archive key={cameraId} cameraId={cameraId} />;
}
