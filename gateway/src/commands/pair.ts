import { setTimeout as wait } from "node:timers/promises";
import { cameraFolder } from "../camera/camera";
import { Papers } from "../camera/identity";
import { makeFolder } from "../files";
import { Refusal } from "../refusal";
import { Problem, type Proposal, Service, Unanswered } from "../service/client";
import { fullJitter } from "../service/waiting";
import type { Settings } from "../settings";

/** Attempts of one pairing while the service does not answer. */
const MAX_TRIES = 6;

/** Sends a proposal with the camera that the gateway has. @throws Problem, Unanswered. */
async function redeemAt(service: Service, proposal: Proposal, expected: string | undefined) {
  if (expected === undefined) return service.redeem(proposal);
  try {
    return await service.redeem({ ...proposal, cameraId: expected });
  } catch (thrown) {
    // An older service does not know the field.
    if (!(thrown instanceof Problem) || thrown.status !== 400) throw thrown;
    return service.redeem(proposal);
  }
}

async function redeem(settings: Settings, name: string, proposal: Proposal, signal: AbortSignal): Promise<void> {
  const papers = papersOf(settings, name);
  const expected = papers.identity()?.cameraId;
  const service = new Service(settings.service, null, signal);
  for (let tries = 1; ; tries++)
    try {
      const { cameraId, credentialId } = await redeemAt(service, proposal, expected);
      const credential = `svccam1.${credentialId.replaceAll("-", "")}.${proposal.credentialSecret}`;
      const identity = { service: settings.service, cameraId, credentialId, credential };
      const owner = cameraId === expected ? name : ownerOf(settings, cameraId);
      if (owner !== null || expected === undefined) papersOf(settings, owner ?? name).setIdentity(identity);
      papers.forgetProposal();
      if (owner !== null && owner !== name)
        throw new Refusal(
          `This code is for the camera that is named "${owner}" here. "${owner}" is paired again, and "${name}" is not changed. Request a code of the other camera.`,
        );
      if (owner === null && expected !== undefined)
        throw new Refusal(
          `This code was for another camera, whose former device has no access now: pair that device again. "${name}" is not changed here.`,
        );
      return;
    } catch (thrown) {
      if (!(thrown instanceof Unanswered)) throw thrown;
      if (tries === MAX_TRIES)
        throw new Refusal(
          `The service does not answer (${thrown.message}). Run the same command again. It continues with the same code.`,
        );
      await wait(thrown.retryAfterMs + fullJitter(tries), undefined, { signal });
    }
}

function papersOf({ stateFolder }: Settings, name: string): Papers {
  return new Papers(cameraFolder(stateFolder, name));
}

/** The name under which these settings have the paired camera, or null. */
const ownerOf = (settings: Settings, cameraId: string): string | null =>
  settings.cameras.find(({ name }) => papersOf(settings, name).identity()?.cameraId === cameraId)?.name ?? null;

/**
 * Pairs a camera. The request is stored before it is sent, so that a repeat recovers a lost answer. A running gateway finds
 * the new credential by itself, and keeps its images.
 */
export async function pair(
  settings: Settings,
  name: string,
  code: () => Promise<string>,
  signal: AbortSignal,
): Promise<void> {
  if (!settings.cameras.some((camera) => camera.name === name))
    throw new Refusal(`There is no camera "${name}" in the settings.`);
  makeFolder(settings.stateFolder);
  makeFolder(cameraFolder(settings.stateFolder, name));
  const papers = papersOf(settings, name);
  try {
    const kept = papers.proposal();
    if (kept !== null)
      try {
        return await redeem(settings, name, kept, signal);
      } catch (thrown) {
        if (!(thrown instanceof Problem)) throw thrown;
        papers.forgetProposal();
      }
    await redeem(settings, name, papers.propose(await code()), signal);
  } catch (thrown) {
    // A refused request is discarded. A request without an answer is kept.
    if (!(thrown instanceof Problem)) throw thrown;
    papers.forgetProposal();
    throw new Refusal(thrown.detail);
  }
}
