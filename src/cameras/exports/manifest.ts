import { z } from "zod";
import { toUtc } from "../../platform/time";
import type { ZipMember } from "../../platform/zip/records";
import { imageName } from "../archive";
import type { PublishedCapture } from "../captures";
import { captureKey } from "../captures";
import { CLOCK_QUALITIES } from "../tables";

/** An image in the manifest of an export: the fields of `Member`, in their order in `tupleOf`. */
const memberTuple = z.tuple([
  z.string(),
  z.string(),
  z.int(),
  z.int(),
  z.int(),
  z.int(),
  z.string().length(64),
  z.enum(CLOCK_QUALITIES),
  z.int(),
  z.int(),
]);
export type MemberTuple = z.infer<typeof memberTuple>;

export interface Member {
  captureId: string;
  operationId: string;
  /** Milliseconds since the epoch. */
  capturedAt: number;
  receivedAt: number;
  sizeBytes: number;
  crc32: number;
  checksumSha256: string;
  clockQuality: (typeof CLOCK_QUALITIES)[number];
  width: number;
  height: number;
}

export const tupleOf = (row: PublishedCapture): MemberTuple => [
  row.id,
  row.operationId,
  row.capturedAt,
  row.receivedAt,
  row.sizeBytes,
  row.crc32,
  row.checksumSha256,
  row.clockQuality,
  row.width,
  row.height,
];

/** Reads a page of a manifest. @throws ZodError when it was not written by `tupleOf`. */
export const membersOf = (tuples: unknown): Member[] =>
  z
    .array(memberTuple)
    .parse(tuples)
    .map(
      ([
        captureId,
        operationId,
        capturedAt,
        receivedAt,
        sizeBytes,
        crc32,
        checksumSha256,
        clockQuality,
        width,
        height,
      ]) => ({
        ...{ captureId, operationId, capturedAt, receivedAt, sizeBytes, crc32 },
        ...{ checksumSha256, clockQuality, width, height },
      }),
    );

const nameOf = ({ captureId: id, capturedAt }: Member): string => imageName({ id, capturedAt });

/** The image as a member of the ZIP. */
export const zipMemberOf = (member: Member): ZipMember => ({
  name: nameOf(member),
  sizeBytes: member.sizeBytes,
  crc32: member.crc32,
  modifiedAt: member.capturedAt,
});

/** Object key of the image's bytes. */
export const objectKeyOf = (
  { organizationId, cameraId }: { organizationId: string; cameraId: string },
  { operationId }: Member,
): string => captureKey({ organizationId, cameraId, operationId }, "original");

/** An image's line of SHA256SUMS, as `sha256sum -c` reads it. All lines have the same length. */
export const checksumLine = (member: Member): string => `${member.checksumSha256}  ${nameOf(member)}\n`;
export const CHECKSUM_LINE = 64 + 2 + imageName({ id: "-".repeat(36), capturedAt: 0 }).length + 1;

export const EVIDENCE_NAME = "evidence.json";

/** The line of SHA256SUMS that covers the evidence, after the lines of the images. */
export const evidenceChecksum = (sha256: string): string => `${sha256}  ${EVIDENCE_NAME}\n`;

/** The lines of evidence.json for the images of a page. */
export const evidenceLines = (members: readonly Member[], page: number): string =>
  members.map((member, i) => evidenceLine(member, page === 0 && i === 0)).join("");

/** The line of an image. `isFirst` marks the first one of the whole file. */
const evidenceLine = (member: Member, isFirst: boolean): string =>
  `${isFirst ? "\n" : ",\n"}${JSON.stringify({
    name: nameOf(member),
    captureId: member.captureId,
    capturedAtUtc: toUtc(member.capturedAt),
    clockQuality: member.clockQuality,
    receivedAtUtc: toUtc(member.receivedAt),
    sizeBytes: member.sizeBytes,
    width: member.width,
    height: member.height,
    checksumSha256: member.checksumSha256,
  })}`;

/** The text before and after the lines of evidence.json. */
export const evidenceHead = ({ cameraId, locationId }: { cameraId: string; locationId: string }): string =>
  `{"format":"camera-evidence/1","cameraId":"${cameraId}","locationId":"${locationId}","images":[`;
export const EVIDENCE_TAIL = "\n]}\n";
