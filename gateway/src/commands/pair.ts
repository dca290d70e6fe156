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

async function redeem(settings: Settings, papers: Papers, proposal: Proposal, signal: AbortSignal): Promise<void> {
  const service = new Service(settings.service, null, signal);
  for (let tries = 1; ; tries++)
    try {
      const { cameraId, credentialId } = await service.redeem(proposal);
      const known = papers.identity();
      if (known !== null && known.cameraId !== cameraId) {
        papers.forgetProposal();
        throw new Refusal(
          "This code is for another camera. Nothing was changed. Add that camera to the settings under another name, request a new code, and pair it under that name.",
        );
      }
      const credential = `svccam1.${credentialId.replaceAll("-", "")}.${proposal.credentialSecret}`;
      papers.setIdentity({ service: settings.service, cameraId, credentialId, credential });
      papers.forgetProposal();
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
  const folder = cameraFolder(settings.stateFolder, name);
  makeFolder(folder);
  const papers = new Papers(folder);
  try {
    const kept = papers.proposal();
    if (kept !== null)
      try {
        return await redeem(settings, papers, kept, signal);
      } catch (thrown) {
        if (!(thrown instanceof Problem)) throw thrown;
        papers.forgetProposal();
      }
    await redeem(settings, papers, papers.propose(await code()), signal);
  } catch (thrown) {
    // A refused request is discarded. A request without an answer is kept.
    if (!(thrown instanceof Problem)) throw thrown;
    papers.forgetProposal();
    throw new Refusal(thrown.detail);
  }
}
