import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { utcSchema } from "../../platform/time";
import { pairingCodeSchema, redeemEnrollment, requestEnrollment } from "./pairing";

export const pairingRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Cameras"] });
const deviceRoute = routeOf({ tags: ["Camera devices"] });

pairingRoutes.openapi(
  route({
    method: "post",
    path: "/v1/cameras/{cameraId}/enrollments",
    operationId: "createCameraEnrollment",
    summary: "Create a pairing code for a camera",
    description: "A device uses the code once to pair with the camera.",
    request: { params: z.object({ cameraId: idSchema }) },
    responses: {
      201: json(
        z.object({ pairingCode: z.string(), expiresAtUtc: utcSchema }).openapi("CameraEnrollment"),
        "The code. No other response contains it",
      ),
    },
  }),
  async (c) => c.json(await requestEnrollment(c.get("context"), c.req.valid("param").cameraId), 201),
);

const proposal = z
  .strictObject({
    pairingCode: pairingCodeSchema,
    credentialSecret: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be 32 random bytes as 64 lower-case hex characters")
      .openapi({ description: "A secret that the device makes and keeps." }),
    redemptionId: idSchema,
    cameraId: idSchema.optional().openapi({
      description:
        "The camera that the device has or expects. A code of another camera is refused with `other-camera`, before anything changes.",
    }),
  })
  .openapi("CameraEnrollmentRedeem");

pairingRoutes.openapi(
  deviceRoute({
    method: "post",
    path: "/v1/camera-ingestion/enrollments/redeem",
    placed: "none",
    operationId: "redeemCameraEnrollment",
    summary: "Pair a device with its camera",
    description: "The pairing code is the proof.",
    request: { body: jsonBody(proposal) },
    responses: {
      200: json(
        z
          .object({ cameraId: idSchema, credentialId: idSchema, assignmentGeneration: z.int() })
          .openapi("CameraCredential"),
        "The device is paired. Its credential is `svccam1.<credentialId without hyphens>.<credentialSecret>`",
      ),
    },
  }),
  async (c) => c.json(await redeemEnrollment(c.get("context"), c.req.valid("json")), 200),
);
