import * as T from "three";
import { H, R, renderer, reseed, W } from "./base.mjs";
import { build } from "./world.mjs";

/* A picture of the harbour from one of its cameras. */

export const CAMS = {
  hero: [[-52, 33, 74], [16, 19, -14], 41],
  gate: [[-52, 8.5, 46], [6, 8, 4], 52],
  berth: [[80, 15, -23], [-60, 7, -40], 44],
  jib: [[6, 54, 16], [24, 0, -9], 50],
  yard: [[98, 14, 40], [50, 6, 4], 48],
  break: [[-128, 15, -20], [-30, 9, -330], 42],
  west: [[-90, 9, -120], [25, 14, -10], 40],
  office: [[-6, 11, 48], [-36, 4, 14], 50],
  wide: [[0, 52, 112], [10, 6, -40], 46],
  core: [[52, 30, 24], [18, 16, -8], 46],
  slip: [[110, 26, -16], [30, 6, -38], 48],
};
window.shot = (o) => {
  const [S, P] = build(o);
  const [p, t, f] = CAMS[o.cam || "hero"];
  const cam = new T.PerspectiveCamera(f, W / H, 0.5, 3000);
  cam.position.set(...p);
  cam.lookAt(...t);
  renderer.render(S, cam);
  const c = document.createElement("canvas");
  c.width = W;
  c.height = H;
  const g = c.getContext("2d", { willReadFrequently: true });
  g.imageSmoothingQuality = "high";
  g.filter = `saturate(${o.sat ?? 0.9}) contrast(1.04)`;
  g.drawImage(renderer.domElement, 0, 0, W, H);
  g.globalCompositeOperation = "lighter";
  g.globalAlpha = 0.2;
  g.filter = "brightness(.75) contrast(2.2) blur(14px)";
  g.drawImage(renderer.domElement, 0, 0, W, H);
  g.filter = "none";
  g.globalAlpha = 1;
  g.globalCompositeOperation = "source-over";
  const v = g.createRadialGradient(W / 2, H / 2, H * 0.45, W / 2, H / 2, W * 0.62);
  v.addColorStop(0, "rgba(0,0,0,0)");
  v.addColorStop(1, "rgba(0,0,0,.3)");
  g.fillStyle = v;
  g.fillRect(0, 0, W, H);
  if (P.rain) {
    reseed(o.seed || 3);
    for (let i = 0; i < 420; i++) {
      const x = R(0, W),
        y = R(0, H),
        l = R(8, 34);
      g.strokeStyle = `rgba(215,225,235,${R(0.05, 0.2)})`;
      g.lineWidth = R(0.6, 1.4);
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(x - l * 0.18, y + l);
      g.stroke();
    }
    for (let i = 0; i < 9; i++) {
      const x = R(0, W),
        y = R(0, H),
        r = R(9, 26);
      const q = g.createRadialGradient(x, y, r * 0.3, x, y, r);
      q.addColorStop(0, "rgba(230,235,240,.16)");
      q.addColorStop(0.8, "rgba(120,130,140,.14)");
      q.addColorStop(1, "rgba(255,255,255,0)");
      g.fillStyle = q;
      g.beginPath();
      g.arc(x, y, r, 0, 7);
      g.fill();
    }
  }
  if (P.snow) {
    reseed(o.seed || 3);
    for (let i = 0; i < 520; i++) {
      g.fillStyle = `rgba(255,255,255,${R(0.25, 0.85)})`;
      g.beginPath();
      g.arc(R(0, W), R(0, H), R(0.5, 2.3), 0, 7);
      g.fill();
    }
  }
  const id = g.getImageData(0, 0, W, H),
    d = id.data;
  const gr = o.light === "night" || o.light === "blue" ? 9 : 4;
  for (let i = 0; i < d.length; i += 4) {
    const n = (Math.random() - 0.5) * gr;
    d[i] += n;
    d[i + 1] += n;
    d[i + 2] += n;
  }
  g.putImageData(id, 0, 0);
  S.traverse((m) => {
    m.geometry?.dispose?.();
    const mm = m.material;
    for (const x of mm === undefined ? [] : [mm].flat()) x.dispose?.();
  });
  const s = document.createElement("canvas");
  s.width = 128;
  s.height = 72;
  const sg = s.getContext("2d");
  sg.imageSmoothingQuality = "high";
  sg.filter = "blur(.3px)";
  sg.drawImage(c, 0, 0, 128, 72);
  return [c.toDataURL("image/jpeg", o.q ?? 0.66), s.toDataURL("image/jpeg", 0.5)];
};
window.ready = true;
