import * as T from "three";
import { R, reseed, rnd } from "./base.mjs";

/* Ground, containers and facades as textures. */

export function groundTex(snow) {
  const c = document.createElement("canvas");
  c.width = c.height = 2048;
  const g = c.getContext("2d");
  reseed(99);
  g.fillStyle = snow ? "#dfe4e9" : "#8d877d";
  g.fillRect(0, 0, 2048, 2048);
  for (let i = 0; i < 1500; i++) {
    const x = R(0, 2048),
      y = R(0, 2048),
      r = R(10, 130);
    const gr = g.createRadialGradient(x, y, 0, x, y, r);
    const d = rnd() < 0.5;
    const a = R(0.02, 0.1) * (snow ? 0.5 : 1);
    gr.addColorStop(0, d ? `rgba(52,46,40,${a})` : `rgba(190,182,170,${a})`);
    gr.addColorStop(1, "rgba(0,0,0,0)");
    g.fillStyle = gr;
    g.fillRect(x - r, y - r, 2 * r, 2 * r);
  }
  for (let i = 0; i < 46; i++) {
    g.strokeStyle = `rgba(44,38,32,${R(0.06, 0.2)})`;
    g.lineWidth = R(4, 9);
    const x = R(0, 2048),
      y = R(0, 2048),
      a = R(0, 6.3);
    for (const o of [0, 17]) {
      g.beginPath();
      let px = x + o,
        py = y,
        aa = a;
      g.moveTo(px, py);
      for (let k = 0; k < 24; k++) {
        aa += Math.sin(k * 0.3 + i) * 0.09;
        px += Math.cos(aa) * 26;
        py += Math.sin(aa) * 26;
        g.lineTo(px, py);
      }
      g.stroke();
    }
  }
  g.strokeStyle = "rgba(60,54,48,.28)";
  g.lineWidth = 2;
  for (let i = 0; i < 2048; i += 128) {
    g.beginPath();
    g.moveTo(i, 0);
    g.lineTo(i, 2048);
    g.stroke();
  }
  if (!snow)
    for (let i = 0; i < 26; i++) {
      g.fillStyle = `rgba(70,74,80,${R(0.2, 0.5)})`;
      g.beginPath();
      g.ellipse(R(0, 2048), R(0, 2048), R(10, 50), R(6, 20), R(0, 3), 0, 7);
      g.fill();
    }
  const t = new T.CanvasTexture(c);
  t.colorSpace = T.SRGBColorSpace;
  t.wrapS = t.wrapT = T.RepeatWrapping;
  t.anisotropy = 8;
  t.repeat.set(2, 2);
  return t;
}
export function contTex() {
  const c = document.createElement("canvas");
  c.width = 128;
  c.height = 64;
  const g = c.getContext("2d");
  g.fillStyle = "#fff";
  g.fillRect(0, 0, 128, 64);
  for (let i = 0; i < 128; i += 4) {
    g.fillStyle = i % 8 ? "rgba(0,0,0,.2)" : "rgba(0,0,0,.03)";
    g.fillRect(i, 3, 2, 58);
  }
  g.fillStyle = "rgba(0,0,0,.25)";
  g.fillRect(0, 0, 128, 3);
  g.fillRect(0, 61, 128, 3);
  for (let i = 0; i < 14; i++) {
    g.fillStyle = `rgba(80,45,20,${R(0.04, 0.2)})`;
    g.fillRect(R(0, 128), R(0, 40), R(1, 4), R(6, 24));
  }
  const t = new T.CanvasTexture(c);
  t.colorSpace = T.SRGBColorSpace;
  return t;
}
export function facadeTex(em) {
  const c = document.createElement("canvas");
  c.width = 512;
  c.height = 64;
  const g = c.getContext("2d");
  reseed(em ? 5 : 6);
  g.fillStyle = em ? "#000" : "#7e8890";
  g.fillRect(0, 0, 512, 64);
  for (let i = 0; i < 20; i++) {
    const x = i * 25.6;
    if (em) {
      if (rnd() < 0.42) {
        g.fillStyle = rnd() < 0.7 ? "#ffce86" : "#dfe8ff";
        g.globalAlpha = R(0.35, 1);
        g.fillRect(x + 3, 6, 20, 50);
        g.globalAlpha = 1;
      }
    } else {
      const v = R(-8, 18);
      g.fillStyle = `rgb(${70 + v},${92 + v},${108 + v})`;
      g.fillRect(x + 3, 6, 20, 50);
      g.fillStyle = "rgba(190,215,230,.3)";
      g.fillRect(x + 3, 6, 20, R(6, 26));
    }
  }
  const t = new T.CanvasTexture(c);
  t.colorSpace = T.SRGBColorSpace;
  return t;
}
export const gtD = groundTex(0),
  gtS = groundTex(1),
  cT = contTex(),
  fT = facadeTex(0),
  fE = facadeTex(1);
