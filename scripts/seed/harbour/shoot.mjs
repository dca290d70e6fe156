import { CAMERAS } from "./cameras.mjs";
import { pictureAt } from "./pictures.mjs";

/*
 * A camera of the demo. It is a command source of the gateway and writes the picture of the current moment: node
 * shoot.mjs <number of the camera>
 */

process.stdout.write(pictureAt(CAMERAS[Number(process.argv[2])], Date.now()).original);
