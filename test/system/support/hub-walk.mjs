// The steps of one official client, with the same code in Node and in a browser. It uses only its parameters.

/**
 * @typedef {{ transport: "WebSockets" | "ServerSentEvents" | "LongPolling", protocol: "json" | "messagepack", skipNegotiation?: boolean,
 *   isStateful?: boolean, WebSocket?: unknown }} Way `isStateful`: it asks for a stateful reconnect
 * @typedef {{ url: string, token: string, nextToken?: string, locationId: string, hiddenId: string }} Target
 */

/** A connection of the official client, not started. */
export function connect(signalR, messagePack, target, way, retries) {
  let builder = new signalR.HubConnectionBuilder()
    .configureLogging(signalR.LogLevel.None)
    .withUrl(`${target.url}/sync-hub`, {
      transport: signalR.HttpTransportType[way.transport],
      skipNegotiation: way.skipNegotiation === true,
      accessTokenFactory: () => target.token,
      ...(way.WebSocket && { WebSocket: way.WebSocket }),
    });
  if (way.isStateful) builder = builder.withStatefulReconnect();
  if (way.protocol === "messagepack") builder = builder.withHubProtocol(new messagePack.MessagePackHubProtocol());
  if (retries !== undefined) builder = builder.withAutomaticReconnect(retries);
  return builder.build();
}

/** The message of a thrown error, or null. */
export const failureOf = async (promise) => {
  try {
    await promise;
    return null;
  } catch (thrown) {
    return thrown.message;
  }
};

/** Resolves with the arguments of the next `target` for which `matches` holds. */
export function nextEvent(connection, target, matches = () => true) {
  return new Promise((done, fail) => {
    const overdue = setTimeout(() => fail(new Error(`no ${target} came`)), 120_000);
    connection.on(target, (...args) => {
      if (!matches(args)) return;
      clearTimeout(overdue);
      done(args);
    });
  });
}

/** Runs all steps from the connection to the revocation. `touch` edits the location and returns its new revision. */
export async function walk(signalR, messagePack, target, way, touch) {
  const connection = connect(signalR, messagePack, target, way);
  const heard = [];
  connection.on("StateUpdated", (_, payload) => heard.push(payload.revision));
  await connection.start();
  const denied = await failureOf(connection.invoke("JoinLocation", target.hiddenId));
  const unknown = await failureOf(connection.invoke("Dance"));
  const bad = await failureOf(connection.invoke("JoinLocation", 7));
  await connection.invoke("JoinLocation", target.locationId);
  const first = nextEvent(connection, "StateUpdated");
  const revisions = [await touch()];
  const [locationId] = await first;
  await connection.invoke("LeaveLocation", target.locationId);
  revisions.push(await touch());
  await connection.invoke("JoinLocation", target.locationId);
  const last = nextEvent(connection, "StateUpdated", ([, payload]) => payload.revision > revisions[1]);
  revisions.push(await touch());
  await last;
  const closed = new Promise((done) => connection.onclose((error) => done(error?.message ?? null)));
  connection.send("JoinLocation", "x".repeat(40 * 1024)).catch(() => {});
  const ended = await closed;
  return { locationId, denied, unknown, bad, revisions, heard, ended };
}

/** Clients of each transport that reconnect by themselves, with the target's next token if it has one. */
export function survivors(signalR, messagePack, target, ways) {
  // Reconnects quickly: a restart of the service takes some seconds, and a minute on a busy machine.
  const retries = Array.from({ length: 480 }, () => 250);
  const clients = ways.map((way) => {
    const own = { ...target };
    const client = connect(signalR, messagePack, own, way, retries);
    client.onreconnecting(() => {
      own.token = target.nextToken ?? own.token;
    });
    return client;
  });
  const back = clients.map((client) => new Promise((done) => client.onreconnected(() => done())));
  let heard = [];
  return {
    async start() {
      for (const client of clients) await client.start();
      for (const client of clients) await client.invoke("JoinLocation", target.locationId);
    },
    async rejoin() {
      await Promise.all(back);
      for (const client of clients) await client.invoke("JoinLocation", target.locationId);
      heard = clients.map((client) => nextEvent(client, "StateUpdated"));
    },
    /** Revisions that each client received after its reconnection. */
    heard: async () => (await Promise.all(heard)).map(([, payload]) => payload.revision),
    stop: () => Promise.all(clients.map((client) => client.stop())),
  };
}
