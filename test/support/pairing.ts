import { z } from "zod";
import { writeCredential } from "../../src/cameras/pairing/credentials";
import { randomHex } from "../../src/platform/crypto/bytes";
import { newId } from "../../src/platform/ids";
import { call, expectJson } from "./call";
import { freshIp } from "./sessions";

/* The steps of a person and a device to pair a camera, through the API. */

const enrollment = z.strictObject({ pairingCode: z.string(), expiresAtUtc: z.string() });
export const redeemed = z.strictObject({
  cameraId: z.string(),
  credentialId: z.string(),
  assignmentGeneration: z.int(),
});

/** Creates a pairing code of a camera. */
export const requestCode = async (token: string, cameraId: string): Promise<string> =>
  (await expectJson(enrollment, 201, "POST", `/v1/cameras/${cameraId}/enrollments`, { token })).pairingCode;

export interface Proposal {
  pairingCode: string;
  credentialSecret: string;
  redemptionId: string;
  cameraId?: string;
}

export const propose = (pairingCode: string): Proposal => ({
  pairingCode,
  credentialSecret: randomHex(32),
  redemptionId: newId(),
});

/** Redeems a code. `ip` is the address of the device. */
export const redeem = (body: Proposal, ip = freshIp()): Promise<Response> =>
  call("POST", "/v1/camera-ingestion/enrollments/redeem", { body, headers: { "cf-connecting-ip": ip } });

export interface Paired {
  cameraId: string;
  credentialId: string;
  assignmentGeneration: number;
  /** The device's bearer. */
  token: string;
}

/** Pairs a device with a camera: the steps of the owner and of the device. */
export async function pair(token: string, cameraId: string): Promise<Paired> {
  const proposal = propose(await requestCode(token, cameraId));
  const answer = await redeem(proposal);
  if (answer.status !== 200) throw new Error(`redeem: ${answer.status} ${await answer.text()}`);
  const got = redeemed.parse(await answer.json());
  return { ...got, token: writeCredential(got.credentialId, proposal.credentialSecret) };
}
