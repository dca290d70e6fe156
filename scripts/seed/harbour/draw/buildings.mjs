import * as T from "three";
import { lampPts, mat, R, rnd } from "./base.mjs";
import { cT, fE, fT } from "./textures.mjs";

/* Cranes, containers and the building. */

export function box(g, w, h, d, x, y, z, m, ry = 0) {
  const b = new T.Mesh(new T.BoxGeometry(w, h, d), m);
  b.position.set(x, y + h / 2, z);
  b.rotation.y = ry;
  b.castShadow = b.receiveShadow = true;
  g.add(b);
  return b;
}
export function bars(g, list, m, th = 0.18) {
  const geo = new T.BoxGeometry(1, 1, 1);
  const im = new T.InstancedMesh(geo, m, list.length);
  const o = new T.Object3D();
  list.forEach(([a, b, t], i) => {
    const va = new T.Vector3(...a),
      vb = new T.Vector3(...b);
    o.position.copy(va).add(vb).multiplyScalar(0.5);
    o.scale.set(t || th, t || th, va.distanceTo(vb));
    o.lookAt(vb);
    o.updateMatrix();
    im.setMatrixAt(i, o.matrix);
  });
  im.castShadow = im.receiveShadow = true;
  im.frustumCulled = false;
  g.add(im);
}
export function lattice(n, h, w) {
  const l = [];
  const s = h / n,
    q = w / 2,
    c = [
      [-q, -q],
      [q, -q],
      [q, q],
      [-q, q],
    ];
  for (const [x, z] of c) l.push([[x, 0, z], [x, h, z], 0.3]);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < 4; k++) {
      const a = c[k],
        b = c[(k + 1) % 4];
      l.push([[a[0], i * s, a[1]], [b[0], (i + 1) * s, b[1]], 0.14]);
      l.push([[a[0], i * s, a[1]], [b[0], i * s, b[1]], 0.12]);
    }
  return l;
}
export function towerCrane(g, x, y, z, h, jib, rot, load) {
  const t = new T.Group();
  t.position.set(x, y, z);
  g.add(t);
  const yel = mat(0xd9a21b, 0.6, 0.2);
  bars(t, lattice(Math.round(h / 2.4), h, 2), yel);
  box(t, 5, 1.2, 5, 0, 0, 0, mat(0x8a8882));
  const top = new T.Group();
  top.position.y = h;
  top.rotation.y = rot;
  t.add(top);
  const l = [];
  const n = Math.round(jib / 2.4),
    s = jib / n;
  for (let i = 0; i < n; i++) {
    const a = i * s,
      b = a + s,
      m = (a + b) / 2;
    l.push(
      [[a, 0, -0.8], [b, 0, -0.8], 0.22],
      [[a, 0, 0.8], [b, 0, 0.8], 0.22],
      [[a, 1.8, 0], [b, 1.8, 0], 0.24],
      [[a, 0, -0.8], [m, 1.8, 0], 0.12],
      [[m, 1.8, 0], [b, 0, -0.8], 0.12],
      [[a, 0, 0.8], [m, 1.8, 0], 0.12],
      [[m, 1.8, 0], [b, 0, 0.8], 0.12],
      [[a, 0, -0.8], [a, 0, 0.8], 0.1],
    );
  }
  l.push(
    [[0, 0, 0], [0, 8.5, 0], 0.5],
    [[0, 8.5, 0], [jib * 0.62, 1.8, 0], 0.1],
    [[0, 8.5, 0], [-13, 0.6, 0], 0.1],
    [[-14, 0, -0.8], [0, 0, -0.8], 0.24],
    [[-14, 0, 0.8], [0, 0, 0.8], 0.24],
  );
  for (let i = -13; i < 0; i += 2) l.push([[i, 0, -0.8], [i + 2, 0, 0.8], 0.12]);
  bars(top, l, yel);
  box(top, 4, 2.6, 2.2, -12.5, -2.4, 0, mat(0x77756f));
  box(top, 2, 2.4, 1.8, 1.6, -2.2, 1.6, mat(0xe9e4d8, 0.5));
  const tx = jib * load.r;
  bars(
    top,
    [
      [[tx, 0, 0], [tx, -load.d, 0], 0.09],
      [[tx + 0.5, 0, 0], [tx + 0.5, -load.d, 0], 0.09],
    ],
    mat(0x222222),
  );
  box(top, 1.2, 0.6, 1.2, tx, -0.5, 0, mat(0x333333));
  if (load.w) box(top, load.w, 0.5, 2, tx, -load.d - 2.4, 0, mat(0xb08a5a), 0.3);
  bars(
    top,
    [
      [[tx, -load.d, 0], [tx - load.w / 2, -load.d - 2, 0], 0.06],
      [[tx, -load.d, 0], [tx + load.w / 2, -load.d - 2, 0], 0.06],
    ],
    mat(0x222222),
  );
  lampPts.push([x, y + h + 8.6, z, 0xff3020, 2.2]);
  const e = new T.Vector3(jib, 0, 0).applyAxisAngle(new T.Vector3(0, 1, 0), rot);
  lampPts.push([x + e.x, y + h + 1, z + e.z, 0xff3020, 1.6]);
}
export const CC = [0xa63a2a, 0x2f5f8a, 0x3d7a5a, 0xc9a13b, 0x8b8f94, 0x7a3550, 0xd0cec8, 0xb5602a, 0x1f4d6b];
export function containers(g, x, y, z, nx, ny, nz, ry = 0, fill = 0.8) {
  const list = [];
  for (let i = 0; i < nx; i++)
    for (let k = 0; k < nz; k++) {
      const hh = Math.max(0, Math.round(ny * R(1 - (1 - fill) * 2, 1)));
      for (let j = 0; j < hh; j++) list.push([i, j, k]);
    }
  const im = new T.InstancedMesh(
    new T.BoxGeometry(6.06, 2.55, 2.4),
    mat(0xffffff, 0.75, 0.1, { map: cT }),
    list.length,
  );
  const o = new T.Object3D();
  list.forEach(([i, j, k], q) => {
    o.position.set(i * 6.4, 1.28 + j * 2.6, k * 2.7);
    o.updateMatrix();
    im.setMatrixAt(q, o.matrix);
    im.setColorAt(q, new T.Color(CC[Math.floor(rnd() * CC.length)]).multiplyScalar(R(0.75, 1.1)));
  });
  im.position.set(x, y, z);
  im.rotation.y = ry;
  im.castShadow = im.receiveShadow = true;
  im.frustumCulled = false;
  g.add(im);
}

export function building(g, x, y, z, F, fac, lit) {
  const b = new T.Group();
  b.position.set(x, y, z);
  g.add(b);
  const conc = mat(0xaaa69c),
    dark = mat(0x8c887f),
    w = 38,
    d = 20,
    fh = 3.5;
  box(b, w + 6, 1, d + 6, 0, -0.6, 0, dark);
  if (F === 0) {
    for (let i = 0; i < 8; i++)
      for (let k = 0; k < 5; k++)
        box(b, 0.9, R(0.8, 2.6), 0.9, -w / 2 + 2 + i * 4.9, 0.2, -d / 2 + 1.5 + k * 4.2, dark);
    bars(
      b,
      [...Array(60)].map((_, i) => {
        const X = -w / 2 + i * 0.6;
        return [[X, 0.3, 8], [X, 2.6, 8], 0.09];
      }),
      mat(0x6b3f28),
    );
    return;
  }
  for (let f = 0; f < F; f++) {
    const yy = f * fh + 0.4;
    box(b, w, 0.38, d, 0, yy + fh - 0.38, 0, conc);
    for (let i = 0; i < 8; i++)
      for (let k = 0; k < 4; k++) box(b, 0.6, fh - 0.38, 0.6, -w / 2 + 1 + i * 5.14, yy, -d / 2 + 1 + k * 6, conc);
    if (f < fac) {
      for (const [zz, ry] of [
        [d / 2 + 0.12, 0],
        [-d / 2 - 0.12, Math.PI],
      ]) {
        const m = mat(0xffffff, 0.32, 0.35, {
          map: fT,
          emissiveMap: fE,
          emissive: 0xffffff,
          emissiveIntensity: lit * 0.9,
        });
        const p = new T.Mesh(new T.PlaneGeometry(w, fh), m);
        p.position.set(0, yy + fh / 2, zz);
        p.rotation.y = ry;
        b.add(p);
      }
      for (const s of [-1, 1]) {
        const m = mat(0xffffff, 0.32, 0.35, {
          map: fT,
          emissiveMap: fE,
          emissive: 0xffffff,
          emissiveIntensity: lit * 0.7,
        });
        const p = new T.Mesh(new T.PlaneGeometry(d, fh), m);
        p.position.set(s * (w / 2 + 0.12), yy + fh / 2, 0);
        p.rotation.y = (s * Math.PI) / 2;
        b.add(p);
      }
    } else {
      if (f >= F - 3 && f > 0) {
        bars(
          b,
          [
            [[-w / 2, yy + 1.1, d / 2], [w / 2, yy + 1.1, d / 2], 0.08],
            [[-w / 2, yy + 0.6, d / 2], [w / 2, yy + 0.6, d / 2], 0.08],
          ],
          mat(0xd8552a),
        );
        const net = new T.Mesh(
          new T.PlaneGeometry(w, 1.2),
          mat(f % 2 ? 0xd8632e : 0x3f7fb0, 0.9, 0, { transparent: true, opacity: 0.62, side: 2 }),
        );
        net.position.set(0, yy + 0.6, d / 2 + 0.1);
        b.add(net);
        const n2 = net.clone();
        n2.geometry = new T.PlaneGeometry(d, 1.2);
        n2.rotation.y = Math.PI / 2;
        n2.position.set(-w / 2 - 0.1, yy + 0.6, 0);
        b.add(n2);
        const n3 = n2.clone();
        n3.position.x = w / 2 + 0.1;
        b.add(n3);
      }
      for (let i = 0; i < 9; i++)
        if (rnd() < 0.5)
          bars(b, [[[-w / 2 + 2 + i * 4.2, yy, 4], [-w / 2 + 2 + i * 4.2, yy + fh - 0.4, 4], 0.12]], mat(0xb8452f));
      if (lit > 0.3 && f % 2 === 0)
        for (let i = 0; i < 3; i++)
          lampPts.push([x - w / 2 + 6 + i * 13, y + yy + fh - 0.8, z + d / 2 - 1, 0xffd9a0, 1.5]);
    }
  }
  const H = F * fh + 0.4;
  box(b, 7, H + 4.5, 6.5, -6, 0.2, -2, dark);
  box(b, 5, H + 3.2, 5, 12, 0.2, -3, dark);
  const reb = [];
  for (let i = 0; i < 8; i++)
    for (let k = 0; k < 4; k++)
      for (const o of [-0.2, 0.2])
        reb.push([
          [-w / 2 + 1 + i * 5.14 + o, H, -d / 2 + 1 + k * 6],
          [-w / 2 + 1 + i * 5.14 + o, H + 1.3, -d / 2 + 1 + k * 6],
          0.07,
        ]);
  if (fac < 8) bars(b, reb, mat(0x6b3f28));
  if (fac < 8) {
    box(b, 7, 1.2, 4, 8, H, 4, mat(0xc48f4d));
    box(b, 4, 0.8, 3, -12, H, 5, mat(0xb5803f));
    box(b, 1.2, 1.8, 1.2, 1, H, 6, mat(0x2f5f8a));
    for (let i = 0; i < 5; i++) box(b, 0.5, 1.75, 0.4, R(-15, 15), H, R(3, 8), mat([0xe8571f, 0xd8d020][i % 2]));
  } else {
    box(b, 9, 2.2, 6, 6, H, 0, mat(0xb9bdc0, 0.5, 0.3));
    box(b, 4, 1.4, 4, -13, H, 3, mat(0xc9ccce, 0.5, 0.3));
    bars(
      b,
      [
        [[-w / 2, H + 1, d / 2], [w / 2, H + 1, d / 2], 0.08],
        [[-w / 2, H + 1, -d / 2], [w / 2, H + 1, -d / 2], 0.08],
      ],
      mat(0x777777),
    );
  }
  // scaffold on the right side
  const sc = [];
  const sh = Math.min(F, Math.max(fac + 3, 3)) * fh;
  if (fac < 8) {
    for (let i = 0; i <= 8; i++)
      for (const o of [1, 2.2]) sc.push([[w / 2 + o, 0, -d / 2 + i * 2.5], [w / 2 + o, sh + 1, -d / 2 + i * 2.5], 0.1]);
    for (let j = 0; j * 1.75 < sh; j++) {
      for (const o of [1, 2.2]) sc.push([[w / 2 + o, j * 1.75, -d / 2], [w / 2 + o, j * 1.75, d / 2], 0.08]);
      box(b, 1.1, 0.08, d, w / 2 + 1.6, j * 1.75, 0, mat(0x9a7b4f));
    }
    bars(b, sc, mat(0x9aa0a4, 0.5, 0.4));
  }
}
