import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";

/** A user who edits a report through the unmodified provider, in Node or in a page. */
export class Editor {
  constructor(admitted) {
    this.doc = new Y.Doc();
    this.map = this.doc.getMap(admitted.sharedMap);
    this.closed = [];
    this.provider = new WebsocketProvider(admitted.serverUrl, admitted.roomName, this.doc, {
      params: { token: admitted.token },
      // Without this, editors of one page would find each other without the service.
      disableBc: true,
    });
    this.provider.on("closed", ({ code }) => this.closed.push(code));
  }

  /** One edit of the body's text, a field or a list, chosen by numbers from 0 up to 1. */
  edit([kind, place, what]) {
    const body = this.map.get("body");
    const at = Math.floor(place * (body.length + 1));
    if (kind < 0.5) body.insert(at, `${Math.floor(what * 1000)} `);
    else if (kind < 0.7) body.delete(at, Math.min(3, body.length - at));
    else if (kind < 0.9) this.map.set(`field${Math.floor(place * 4)}`, Math.floor(what * 1000));
    else this.map.get("items").push([Math.floor(what * 1000)]);
  }

  type(text) {
    const body = this.map.get("body");
    body.insert(body.length, text);
  }

  get synced() {
    return this.provider.synced;
  }

  said() {
    return JSON.stringify(this.map.toJSON(), (_, value) =>
      value !== null && typeof value === "object" && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  }

  disconnect() {
    this.provider.disconnect();
  }

  connect(token) {
    if (token !== undefined) this.provider.params = { token };
    this.provider.connect();
  }

  destroy() {
    this.provider.destroy();
  }
}
