import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { CAPTURE_LIMITS } from "../../../src/platform/jpeg";
import { cameraFolder } from "../camera/camera";
import { type Identity, Papers } from "../camera/identity";
import { thisMachine } from "../clock";
import { canWrite, requirePrivate } from "../files";
import { checkFrame, isWebPage } from "../jpeg/check";
import { Problem, Service, Unanswered } from "../service/client";
import type { Settings, SourceSettings } from "../settings";
import { imagesBelow } from "../sources/folder";
import { openSource } from "../sources/open";
import { SourceFailure } from "../sources/source";
import { ADVICE, READ_ONLY_ADVICE } from "./describe";

export interface Finding {
  what: string;
  verdict: "good" | "warning" | "bad";
  finding: string;
  advice?: string;
}

const MEGABYTE = 1024 * 1024;
const MAX_CLOCK_ERROR_MS = 5_000;
/** A picture for a check. It is not stored. */
const PICTURE = { captureWidth: 1920, captureHeight: 1080, jpegQuality: 90 };
const LIMITS = { maxSizeBytes: 8 * MEGABYTE, maxPixels: CAPTURE_LIMITS.maxPixels };

const BY_HAND = "Try the camera's address or command by hand on this machine.";
/** Cameras that are checked at the same time. Each can start a program. */
const MAX_AT_ONCE = 4;

/** The time of the service in an answer, and how long the answer took. */
interface Told {
  utc: number;
  took: number;
  /** The machine's time when it arrived. */
  at: number;
}

interface Examined {
  findings: Finding[];
  told: Told | null;
}

/** Checks whether the service itself answers. Any other answer comes from a captive portal or a proxy. */
async function examineNetwork(settings: Settings, signal: AbortSignal): Promise<Finding> {
  const what = "network";
  try {
    await new Service(settings.service, null, signal).configuration(null);
    return {
      what,
      verdict: "warning",
      finding: "The service answers without a credential.",
      advice: "Check the address in `service`.",
    };
  } catch (thrown) {
    if (thrown instanceof Problem) return { what, verdict: "good", finding: `${settings.service} answers.` };
    if (!(thrown instanceof Unanswered)) throw thrown;
    if (thrown.reason === "failing" || thrown.reason === "limited") {
      const advice = "The service is not available now. The gateway keeps the images, and sends them later.";
      return { what, verdict: "bad", finding: `${settings.service} answers: ${thrown.message}.`, advice };
    }
    if (thrown.reason === "stranger") {
      const finding = `Another program answers instead of ${settings.service} (${thrown.message}).`;
      const advice =
        "A captive portal or a proxy is on the way. Sign in to the network, or let its administrator allow this device. Check `service`.";
      return { what, verdict: "bad", finding, advice };
    }
    const isTls = /certificate|self.signed|TLS|SSL/i.test(thrown.message);
    const advice = isTls
      ? "The certificate is not valid. First check the clock, then look for a proxy. You cannot turn the check off."
      : "Check the connection, the name server and the firewall (outgoing port 443).";
    return { what, verdict: "bad", finding: `No answer: ${thrown.message}.`, advice };
  }
}

function examineDisk({ stateFolder, spool }: Settings): Finding[] {
  if (!existsSync(stateFolder))
    return [
      {
        what: "state",
        verdict: "bad",
        finding: `${stateFolder} is missing.`,
        advice: "Create it with mode 700. The gateway's user must own it.",
      },
    ];
  const findings: Finding[] = [];
  try {
    requirePrivate(stateFolder);
    findings.push({ what: "state", verdict: "good", finding: `${stateFolder} is private.` });
  } catch (thrown) {
    findings.push({ what: "state", verdict: "bad", finding: "Not private.", advice: (thrown as Error).message });
  }
  if (!canWrite(stateFolder))
    findings.push({
      what: "state",
      verdict: "bad",
      finding: `${stateFolder} cannot be written.`,
      advice: READ_ONLY_ADVICE,
    });
  const { bavail, bsize } = statfsSync(stateFolder);
  const free = Math.round((bavail * bsize) / MEGABYTE);
  const isShort = free < spool.minFreeMegabytes;
  findings.push({
    what: "disk",
    verdict: isShort ? "bad" : free < 4 * spool.minFreeMegabytes ? "warning" : "good",
    finding: `${free} MB are free, ${spool.minFreeMegabytes} MB must stay free.`,
    ...(isShort && {
      advice: "The gateway deletes images between others now. Free some space, or lower `spool.minFreeMegabytes`.",
    }),
  });
  return findings;
}

async function examineCamera(
  settings: Settings,
  camera: Settings["cameras"][number],
  signal: AbortSignal,
): Promise<Examined> {
  const [pairing, source] = await Promise.all([
    examinePairing(settings, camera, signal),
    examineSource(camera, signal),
  ]);
  return { findings: [pairing.finding, source], told: pairing.told };
}

async function examinePairing(
  settings: Settings,
  { name }: Settings["cameras"][number],
  signal: AbortSignal,
): Promise<{ finding: Finding; told: Told | null }> {
  const folder = cameraFolder(settings.stateFolder, name);
  const what = `${name}: pairing`;
  let identity: Identity | null = null;
  try {
    if (existsSync(folder)) identity = new Papers(folder).identity();
  } catch (thrown) {
    const advice = (thrown as Error).message;
    return { finding: { what, verdict: "bad", finding: "The credential is not usable.", advice }, told: null };
  }
  if (identity === null) {
    const advice = `Request a code in the service and run: gateway pair ${name}`;
    return { finding: { what, verdict: "bad", finding: "Not paired.", advice }, told: null };
  }
  let told: Told | null = null;
  try {
    const service = new Service(identity.service, identity.credential, signal, (utc, took) => {
      told = { utc, took, at: Date.now() };
    });
    await service.configuration(null);
    return { finding: { what, verdict: "good", finding: "The credential is accepted." }, told };
  } catch (thrown) {
    if (!(thrown instanceof Problem) && !(thrown instanceof Unanswered)) throw thrown;
    const isRevoked = thrown instanceof Problem && thrown.status === 401;
    const advice = isRevoked
      ? `The gateway keeps the images. Request a new code and run: gateway pair ${name}`
      : "See network.";
    return { finding: { what, verdict: "bad", finding: thrown.message, advice }, told: null };
  }
}

/** The machine's clock by the quickest answer of the service. */
function examineClock(answers: readonly (Told | null)[]): Finding[] {
  const [quickest] = answers.filter((told) => told !== null).sort((one, other) => one.took - other.took);
  if (quickest === undefined) return [];
  const { utc, took, at } = quickest;
  const off = Math.round(at - utc - took / 2);
  const isOff = Math.abs(off) > Math.max(MAX_CLOCK_ERROR_MS, took);
  const finding: Finding = {
    what: "clock",
    verdict: isOff ? "warning" : "good",
    finding: `The machine's clock is ${(off / 1_000).toFixed(1)} s off the service's.`,
    ...(isOff && {
      advice: "Turn on a time service: timedatectl set-ntp true. Until then, images get the time of the service.",
    }),
  };
  return [finding];
}

async function examineSource({ name, source }: Settings["cameras"][number], signal: AbortSignal): Promise<Finding> {
  const what = `${name}: camera`;
  // The check does not remove files from the folder.
  if (source.type === "folder") return examineFolder(what, source);
  try {
    for await (const shot of openSource(source).take(PICTURE, signal)) {
      const checked = checkFrame(shot.bytes, LIMITS);
      if (!checked.isGood && isWebPage(shot.bytes)) {
        const finding = "The source gives a web page, such as the sign-in page of the camera, and not an image.";
        return { what, verdict: "bad", finding, advice: ADVICE["camera-unauthorized"] ?? BY_HAND };
      }
      if (!checked.isGood)
        return {
          what,
          verdict: "bad",
          finding: `${checked.code}: ${checked.detail}`,
          advice:
            `${ADVICE[checked.code] ?? ""} The image must be a baseline JPEG within 8 MiB and 24 megapixels.`.trim(),
        };
      const finding = `An image of ${checked.bytes.length} bytes.`;
      return checked.repairs.length === 0
        ? { what, verdict: "good", finding }
        : { what, verdict: "good", finding: `${finding} Corrected: ${checked.repairs.join(", ")}.` };
    }
    return { what, verdict: "bad", finding: "The camera gave no image.", advice: BY_HAND };
  } catch (thrown) {
    if (!(thrown instanceof SourceFailure)) throw thrown;
    return {
      what,
      verdict: "bad",
      finding: thrown.message,
      advice: ADVICE[thrown.code] ?? BY_HAND,
    };
  }
}

function examineFolder(what: string, { path, subfolders }: Extract<SourceSettings, { type: "folder" }>): Finding {
  if (!existsSync(path)) {
    const advice = "Create this folder, and let the gateway's user write to it.";
    return { what, verdict: "bad", finding: `${path} is missing.`, advice };
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const below = subfolders ? 0 : imagesBelow(path);
    if (below === 0) return { what, verdict: "good", finding: `${path} can be read and written.` };
    const finding = `${below === 1 ? "1 image is" : `${below} images are`} in folders inside ${path}, and the gateway does not take them.`;
    return { what, verdict: "warning", finding, advice: "Set `subfolders` of the source to true." };
  } catch (thrown) {
    return {
      what,
      verdict: "bad",
      finding: `${path}: ${(thrown as Error).message}`,
      advice: ADVICE["folder-unreadable"] ?? BY_HAND,
    };
  }
}

/** Examines all cameras, some at the same time. @returns their findings in the order of the settings */
async function examineCameras(settings: Settings, signal: AbortSignal): Promise<Examined[]> {
  const examined: Examined[] = [];
  const left = [...settings.cameras.entries()];
  const next = async (): Promise<void> => {
    for (let camera = left.shift(); camera !== undefined; camera = left.shift())
      examined[camera[0]] = await examineCamera(settings, camera[1], signal);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, next));
  return examined;
}

/** Checks everything that the gateway depends on. @returns findings, with advice for each problem */
export async function examine(settings: Settings, signal: AbortSignal): Promise<Finding[]> {
  const isSynchronized = thisMachine().isSynchronized();
  const timeService: Finding = isSynchronized
    ? { what: "time service", verdict: "good", finding: "The clock is synchronized." }
    : {
        what: "time service",
        verdict: "warning",
        finding: "No time service sets the clock.",
        advice: "Turn one on: timedatectl set-ntp true. With a wrong date, the gateway accepts no certificate.",
      };
  const [network, cameras] = await Promise.all([examineNetwork(settings, signal), examineCameras(settings, signal)]);
  const clock = examineClock(cameras.map(({ told }) => told));
  return [timeService, network, ...examineDisk(settings), ...clock, ...cameras.flatMap(({ findings }) => findings)];
}
