import jpeg from "jpeg-js";
import { drawScene } from "./scene.mjs";

/*
 * A camera that draws its picture. It is a command source of the gateway and writes one JPEG of the current moment:
 * node shoot.mjs <width> <height> <quality> <number of the site>
 */

const [width, height, quality, site] = process.argv.slice(2).map(Number);
process.stdout.write(jpeg.encode(drawScene(Date.now(), { width, height, site }), quality).data);
