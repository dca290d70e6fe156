import * as T from "three";
import { lampPts, mat, U } from "./base.mjs";
import { bars, box, containers } from "./buildings.mjs";

/* Lorries, diggers, ships, quay cranes, cabins and masts. */

export function truck(g, x, y, z, ry, c) {
  const t = new T.Group();
  t.position.set(x, y, z);
  t.rotation.y = ry;
  g.add(t);
  box(t, 2.4, 2.4, 2.4, 3.6, 0.7, 0, mat(c, 0.4));
  box(t, 0.1, 1, 2, 4.85, 1.9, 0, mat(0x1a2228, 0.2));
  box(t, 6, 0.5, 2.4, -0.4, 0.8, 0, mat(0x333333));
  box(t, 5.8, 1.5, 2.4, -0.4, 1.3, 0, mat(0x8f8a80));
  for (const X of [3.4, -1, -2.4])
    for (const s of [-1, 1]) {
      const w = new T.Mesh(new T.CylinderGeometry(0.5, 0.5, 0.4, 12), mat(0x15171a));
      w.rotation.x = Math.PI / 2;
      w.position.set(X, 0.5, s * 1.05);
      t.add(w);
    }
}
export function digger(g, x, y, z, ry) {
  const t = new T.Group();
  t.position.set(x, y, z);
  t.rotation.y = ry;
  g.add(t);
  const ye = mat(0xe0a820, 0.5);
  box(t, 4, 0.9, 0.7, 0, 0, 1.1, mat(0x222222));
  box(t, 4, 0.9, 0.7, 0, 0, -1.1, mat(0x222222));
  box(t, 3.4, 1.3, 2.6, -0.3, 1, 0, ye);
  box(t, 1.4, 1.5, 1.2, 0.7, 2.1, 0.6, mat(0x2c343a, 0.2));
  bars(
    t,
    [
      [[1.2, 1.8, -0.4], [4.4, 4.8, -0.4], 0.5],
      [[4.4, 4.8, -0.4], [6.4, 2, -0.4], 0.4],
    ],
    ye,
  );
  box(t, 1, 1, 1.2, 6.5, 1, -0.4, mat(0x444444));
}
export function ship(g, x, z, ry, c) {
  const s = new T.Group();
  s.position.set(x, 0, z);
  s.rotation.y = ry;
  g.add(s);
  const sh = new T.Shape();
  sh.moveTo(-48, -7);
  sh.lineTo(36, -7);
  sh.quadraticCurveTo(46, -6, 52, 0);
  sh.quadraticCurveTo(46, 6, 36, 7);
  sh.lineTo(-48, 7);
  const e = new T.ExtrudeGeometry(sh, { depth: 8, bevelEnabled: false });
  const h = new T.Mesh(e, mat(c, 0.6));
  h.rotation.x = -Math.PI / 2;
  h.position.y = -0.5;
  h.castShadow = h.receiveShadow = true;
  s.add(h);
  const h2 = new T.Mesh(new T.ExtrudeGeometry(sh, { depth: 1.2, bevelEnabled: false }), mat(0x8a2f25, 0.7));
  h2.rotation.x = -Math.PI / 2;
  h2.scale.set(1.001, 1.001, 1);
  h2.position.y = -0.6;
  s.add(h2);
  const wh = mat(0xe8e8e4, 0.5);
  box(s, 11, 12, 12, -38, 7, 0, wh);
  box(s, 9, 3, 13.6, -37, 19, 0, wh);
  for (let i = 0; i < 4; i++)
    box(
      s,
      11.2,
      0.7,
      11,
      -38,
      9 + i * 2.8,
      0,
      mat(0x2a3640, 0.3, 0, { emissive: 0xffd9a0, emissiveIntensity: U.lamp.value * 0.5 }),
    );
  box(s, 3, 5, 4, -45, 19, 0, mat(c));
  box(s, 1, 10, 1, -37, 22, 0, wh);
  containers(s, -28, 7.4, -5.4, 9, 4, 5, 0, 0.7);
  box(s, 0.8, 9, 0.8, 44, 7, 0, wh);
  for (let i = 0; i < 5; i++) lampPts.push([x - 38 + i * 18, 16, z, 0xffe2b4, 1.3]);
}
export function sts(g, x, z, ry) {
  const t = new T.Group();
  t.position.set(x, 3, z);
  t.rotation.y = ry;
  g.add(t);
  const m = mat(0x2f6f9a, 0.6, 0.1),
    l = [];
  for (const X of [-8, 8]) for (const Z of [-7, 7]) l.push([[X, 0, Z], [X, 38, Z], 1.3]);
  for (const X of [-8, 8])
    l.push(
      [[X, 38, -20], [X, 38, 36], 1.5],
      [[X, 14, -7], [X, 14, 7], 1.1],
      [[X, 58, 0], [X, 38, 34], 0.4],
      [[X, 58, 0], [X, 38, -18], 0.4],
      [[X, 38, -4], [X, 58, 0], 1],
    );
  for (const Z of [-7, 7, -18, 34, 16]) l.push([[-8, 38, Z], [8, 38, Z], 1]);
  bars(t, l, m);
  box(t, 10, 4, 8, 0, 38, -12, mat(0xdddcd6));
  lampPts.push([x, 62, z, 0xff3020, 2], [x - 4, 42, z + 10, 0xfff0d0, 2.4], [x + 4, 42, z - 10, 0xfff0d0, 2.4]);
}
export function cabins(g, x, y, z, n, fl, ry = 0) {
  const t = new T.Group();
  t.position.set(x, y, z);
  t.rotation.y = ry;
  g.add(t);
  for (let j = 0; j < fl; j++)
    for (let i = 0; i < n; i++) {
      box(
        t,
        2.9,
        2.6,
        6,
        i * 3,
        j * 2.75,
        0,
        mat([0xe4e2da, 0xdfe3e6, 0x3f6f94][(i * 3 + j) % 3 === 2 ? 2 : i % 2], 0.7),
      );
      box(
        t,
        1.2,
        1,
        0.1,
        i * 3,
        j * 2.75 + 1.1,
        3.01,
        mat(0x26323a, 0.2, 0.3, { emissive: 0xffd49a, emissiveIntensity: U.lamp.value * (i % 3 ? 0.9 : 0.1) }),
      );
    }
  bars(
    t,
    [
      [[-1.5, 3.8, 3.5], [n * 3 - 1.5, 3.8, 3.5], 0.08],
      [[-3, 0, 3.5], [-1.5, 2.75, 3.5], 0.3],
    ],
    mat(0x888888),
  );
  for (let i = 0; i < n; i += 2) lampPts.push([x + i * 3, y + fl * 2.8, z + 3.2, 0xfff0d8, 1]);
}
export function mast(g, x, y, z, h = 16) {
  bars(
    g,
    [
      [[x, y, z], [x, y + h, z], 0.28],
      [[x - 1.4, y + h, z], [x + 1.4, y + h, z], 0.2],
    ],
    mat(0x777b7e, 0.5, 0.5),
  );
  for (const o of [-1.2, 0, 1.2])
    box(
      g,
      0.8,
      0.4,
      0.5,
      x + o,
      y + h,
      z,
      mat(0xcccccc, 0.4, 0, { emissive: 0xfff2d8, emissiveIntensity: U.lamp.value * 6 }),
    );
  lampPts.push([x, y + h, z, 0xfff2d8, 5]);
}
