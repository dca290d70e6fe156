import * as T from "three";
import { lampPts, mat, NOISE, R, renderer, reseed, rnd, U } from "./base.mjs";
import { bars, box, building, containers, lattice, towerCrane } from "./buildings.mjs";
import { L } from "./lights.mjs";
import { cabins, digger, mast, ship, sts, truck } from "./machines.mjs";
import { gtD, gtS } from "./textures.mjs";

/* The harbour in one light and at one stage of the building. */

export function build(o) {
  reseed(o.seed ?? 11);
  lampPts.length = 0;
  const P = L[o.light],
    S = new T.Scene();
  U.lamp.value = P.lights;
  for (const k of ["zen", "hor", "sunC", "cLit", "cDark"]) U[k].value.setRGB(...P[k]);
  U.cov.value = P.cov * (o.cov ?? 1);
  U.sunS.value = P.sunS;
  U.cOff.value = o.cloud ?? 3.1;
  U.stars.value = P.stars ? 1 : 0;
  U.fogC.value.setRGB(...P.fog);
  U.fd.value = P.fd * (o.fogMul ?? 1);
  U.wOff.value = (o.seed ?? 1) * 3.7;
  U.rough.value = o.wave ?? 1;
  const az = (P.sun[0] * Math.PI) / 180,
    el = (P.sun[1] * Math.PI) / 180;
  U.sunDir.value
    .set(Math.sin(az) * Math.cos(el), Math.sin(el), -Math.cos(az) * Math.cos(el) * (P.sun[1] > 8 ? -0.8 : 1))
    .normalize();
  S.fog = new T.FogExp2(U.fogC.value.clone(), U.fd.value);
  renderer.toneMappingExposure = P.exp;
  const dome = new T.Mesh(
    new T.SphereGeometry(1800, 48, 32),
    new T.ShaderMaterial({
      side: T.BackSide,
      fog: false,
      depthWrite: false,
      uniforms: U,
      vertexShader:
        "varying vec3 v;void main(){v=position;gl_Position=projectionMatrix*modelViewMatrix*vec4(position,1.);}",
      fragmentShader: `varying vec3 v;uniform float stars,fd;uniform vec3 fogC;${NOISE}void main(){vec3 d=normalize(v);vec3 c=sky(d,stars);c=mix(c,fogC,exp(-max(d.y,0.)*mix(16.,2.2,smoothstep(.001,.008,fd)))*clamp(.35+fd*90.,0.,1.));gl_FragColor=vec4(c,1.);\n#include <tonemapping_fragment>\n#include <colorspace_fragment>\n}`,
    }),
  );
  S.add(dome);
  const water = new T.Mesh(
    new T.PlaneGeometry(3600, 3600).rotateX(-Math.PI / 2),
    new T.ShaderMaterial({
      uniforms: U,
      vertexShader:
        "varying vec3 w;void main(){vec4 p=modelMatrix*vec4(position,1.);w=p.xyz;gl_Position=projectionMatrix*viewMatrix*p;}",
      fragmentShader: `varying vec3 w;uniform vec3 fogC;uniform float fd,wOff,lamp,rough;${NOISE}void main(){vec3 V=w-cameraPosition;float dist=length(V);V/=dist;vec2 p=w.xz;float a=rough*.32/(1.+dist*.006);
 vec2 q=p*.16+wOff;float e=.12;float f0=fbm(q)+.5*fbm(q*3.1+7.),fx=fbm(q+vec2(e,0.))+.5*fbm((q+vec2(e,0.))*3.1+7.),fz=fbm(q+vec2(0.,e))+.5*fbm((q+vec2(0.,e))*3.1+7.);vec3 n=normalize(vec3((f0-fx)*a/e*1.1,1.,(f0-fz)*a/e*1.1));vec3 r=reflect(V,n);r.y=abs(r.y)+.01;float F=.03+.97*pow(1.-max(dot(-V,n),0.),4.2);
 vec3 c=mix(zen*.16+hor*.07+vec3(.004,.012,.014),sky(normalize(r),0.)*.82,clamp(F,0.,.92));float s=max(dot(normalize(r),sunDir),0.);c+=sunC*pow(s,160.)*2.*sunS;
 for(int i=0;i<14;i++){float fi=float(i);vec3 lp=vec3(-330.+fi*52.+h2(vec2(fi,2.))*30.,14.,-300.);vec3 ld=normalize(lp-w);vec2 dd=vec2(normalize(r.xz).x-normalize(ld.xz).x,(r.y-ld.y)*.25);c+=lamp*mix(vec3(1.,.72,.4),vec3(1.,.9,.75),h2(vec2(fi,5.)))*.5*exp(-dot(dd,dd)*5000.*(.3+h2(vec2(fi,9.))));}
 float fo=1.-exp(-fd*fd*dist*dist);c=mix(c,fogC,fo);gl_FragColor=vec4(c,1.);\n#include <tonemapping_fragment>\n#include <colorspace_fragment>\n}`,
    }),
  );
  S.add(water);
  const sun = new T.DirectionalLight(new T.Color().setRGB(...P.sunC).lerp(new T.Color(1, 1, 1), 0.45), P.sunI);
  const sd = U.sunDir.value.clone();
  if (sd.y < 0.05) sd.y = 0.05;
  sun.position.copy(sd.multiplyScalar(160)).add(new T.Vector3(10, 0, 0));
  sun.target.position.set(10, 0, 0);
  S.add(sun.target);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  Object.assign(sun.shadow.camera, { left: -95, right: 95, top: 80, bottom: -80, near: 1, far: 420 });
  sun.shadow.bias = -0.0006;
  sun.shadow.normalBias = 0.05;
  S.add(sun);
  S.add(new T.HemisphereLight(P.ambC, P.gnd, P.amb * 1.25));
  const snow = P.snow || o.snow;
  const gm = mat(0xffffff, P.wet ? 0.55 : 0.95, 0, { map: snow ? gtS : gtD });
  if (P.wet) gm.color.setScalar(1 - 0.38 * P.wet);
  const land = new T.Mesh(new T.BoxGeometry(330, 6, 140), gm);
  land.position.set(20, 0, 40);
  land.receiveShadow = true;
  S.add(land);
  box(S, 330, 1.1, 1.4, 20, 3, -29.4, mat(0x77736b));
  for (let i = 0; i < 40; i++) {
    box(S, 1.2, 3.4, 0.7, -140 + i * 8, -0.6, -30.2, mat(0x1c1e20));
    if (i % 2) box(S, 0.6, 0.8, 0.6, -140 + i * 8, 4.1, -29.4, mat(0x2a2a2a));
  }
  // far shore
  const far = new T.Group();
  S.add(far);
  for (let k = 0; k < 3; k++) {
    const sh = new T.Shape();
    sh.moveTo(-1400, -4);
    for (let i = -1400; i <= 1400; i += 14)
      sh.lineTo(
        i,
        10 + k * 15 + Math.sin(i * 0.006 + k * 2) * 13 + Math.sin(i * 0.017 + k) * 7 + Math.sin(i * 0.12 + k * 5) * 1.6,
      );
    sh.lineTo(1400, -4);
    const m = new T.Mesh(
      new T.ShapeGeometry(sh),
      new T.MeshLambertMaterial({ color: [0x3f4a3c, 0x49534c, 0x59646a][k] }),
    );
    m.position.set(0, 0, -430 - k * 170);
    far.add(m);
  }
  {
    const im = new T.InstancedMesh(new T.BoxGeometry(1, 1, 1), mat(0xffffff, 0.9), 170);
    const oo = new T.Object3D();
    for (let i = 0; i < 170; i++) {
      const h = R(5, 18) * (rnd() < 0.12 ? 2.1 : 1);
      oo.position.set(R(-460, 430), h / 2 + 2, R(-320, -380));
      oo.scale.set(R(7, 22), h, R(8, 16));
      oo.updateMatrix();
      im.setMatrixAt(i, oo.matrix);
      im.setColorAt(i, new T.Color([0xb9b0a4, 0x9a6a55, 0xc9c4ba, 0x8c8f92, 0xb58d6a, 0x6e757b][i % 6]));
    }
    im.frustumCulled = false;
    far.add(im);
  }
  const shore = new T.Mesh(new T.BoxGeometry(1600, 5, 120), mat(0x6b675f));
  shore.position.set(0, 0, -385);
  far.add(shore);
  sts(S, -150, -322, 0.1);
  sts(S, -112, -322, 0.1);
  sts(S, 205, -324, -0.05);
  containers(far, -240, 3, -322, 12, 4, 2, 0, 0.7);
  if (P.lights > 0.2)
    for (let i = 0; i < 150; i++)
      lampPts.push([R(-440, 430), R(5, 20), -316 + R(-20, 4), rnd() < 0.65 ? 0xffc278 : 0xfff0dc, R(0.7, 2)]);
  // site
  const st = o.stage ?? 6;
  const F = [0, 1, 3, 5, 7, 8, 8][st],
    fac = [0, 0, 0, 1, 3, 6, 8][st];
  if (!o.noBuild) building(S, 22, 3, -8, F, fac, P.lights);
  if (st < 6)
    towerCrane(S, 48, 3, -12, st < 2 ? 44 : 50, 46, o.jib ?? 2.6, { r: o.lr ?? 0.55, d: o.ld ?? 16, w: o.lw ?? 6 });
  if (st === 6 && o.jib !== undefined) towerCrane(S, 48, 3, -12, 50, 46, o.jib, { r: 0.55, d: 12, w: 0 });
  if (st <= 1) {
    digger(S, 4, 3, 12, 0.7);
    digger(S, 30, 3, 10, 2.4);
    const rig = new T.Group();
    rig.position.set(-6, 3, -6);
    S.add(rig);
    bars(rig, lattice(10, 24, 1.4), mat(0xc23b22));
    box(rig, 4, 3, 5, 0, 0, 4, mat(0x333a40));
  }
  ship(S, o.shipX ?? -52, -41, 0, o.shipC ?? 0x24405c);
  if (o.tug) ship2(S, o.tug);
  cabins(S, -34, 3, 20, 7, 2, 0.15);
  containers(S, 56, 3, 16, 5, 3, 3, 0.08, 0.75);
  containers(S, -72, 3, 4, 4, 3, 4, -0.1, 0.7);
  for (let i = 0; i < 7; i++)
    bars(
      S,
      [[[-8 + i * 0.5, 3.3 + (i % 2) * 0.4, 18], [-8 + i * 0.5, 3.3 + (i % 2) * 0.4, 29], 0.42]],
      mat(0x9b6a45, 0.7),
    );
  for (let i = 0; i < 8; i++) box(S, 3.4, 0.25, 2.2, 8 + (i % 2) * 4.2, 3 + Math.floor(i / 2) * 0.3, 20, mat(0xb98d55));
  for (let i = 0; i < 6; i++) box(S, 2, 1.1, 1.2, 18 + (i % 3) * 2.4, 3 + Math.floor(i / 3) * 1.1, 23, mat(0x96938b));
  const sand = new T.Mesh(new T.ConeGeometry(6, 3.6, 20), mat(snow ? 0xd5dade : 0xa8895c));
  sand.position.set(38, 4.6, 26);
  sand.castShadow = true;
  S.add(sand);
  truck(S, o.tx ?? 2, 3, 13 + (o.tz ?? 0), o.tr ?? 0.25, 0xd8d8d2);
  truck(S, 30 + (o.tx ?? 0) * 0.4, 3, 33, Math.PI + 0.1, 0xb8482f);
  truck(S, -20, 3, 34, 0.1, 0x2c5d86);
  for (let i = 0; i < 6; i++)
    box(
      S,
      1.8,
      1.5,
      4.2,
      -58 + i * 2.7,
      3,
      30,
      mat([0xe8e8e8, 0x30353a, 0x9b2d22, 0x5a6e80, 0xe8e8e8, 0x22262a][i], 0.3, 0.2),
    );
  for (let i = 0; i < 9; i++) {
    const X = R(-12, 40),
      Z = R(10, 32);
    box(S, 0.5, 1.2, 0.4, X, 3, Z, mat(i % 2 ? 0xe8571f : 0xd5cf22));
    box(S, 0.32, 0.34, 0.32, X, 4.3, Z, mat(0xf3f0e8));
  }
  const fence = [];
  for (let i = 0; i < 70; i++) fence.push([[-90 + i * 2.8, 3, 42], [-90 + i * 2.8, 5, 42], 0.08]);
  fence.push([[-90, 5, 42], [105, 5, 42], 0.06], [[-90, 4, 42], [105, 4, 42], 0.04]);
  bars(S, fence, mat(0xa0a4a8, 0.5, 0.5));
  mast(S, -14, 3, 4);
  mast(S, 52, 3, 8);
  mast(S, -62, 3, -22);
  mast(S, 86, 3, -18);
  mast(S, 8, 3, 36, 13);
  if (P.lights > 0.2)
    for (const [x, z] of [
      [-14, 4],
      [52, 8],
      [8, 34],
      [-62, -22],
    ]) {
      const p = new T.PointLight(0xffe2b0, P.lights * 900, 70, 1.9);
      p.position.set(x, 17, z);
      S.add(p);
    }
  if (P.lights > 0.2 && fac < 8 && F)
    for (let i = 0; i < 3; i++) {
      const p = new T.PointLight(0xffc88a, P.lights * 120, 22, 1.8);
      p.position.set(8 + i * 13, 3 + Math.min(F - 1, fac + 1) * 3.5 + 2, -2);
      S.add(p);
    }
  if (o.extra) o.extra(S);
  if (P.lights > 0.15) {
    const c = document.createElement("canvas");
    c.width = c.height = 64;
    const g = c.getContext("2d");
    const gr = g.createRadialGradient(32, 32, 0, 32, 32, 32);
    gr.addColorStop(0, "rgba(255,255,255,1)");
    gr.addColorStop(0.12, "rgba(255,255,255,.75)");
    gr.addColorStop(0.35, "rgba(255,255,255,.13)");
    gr.addColorStop(1, "rgba(255,255,255,0)");
    g.fillStyle = gr;
    g.fillRect(0, 0, 64, 64);
    const t = new T.CanvasTexture(c);
    for (const [x, y, z, col, s] of lampPts) {
      const sp = new T.Sprite(
        new T.SpriteMaterial({
          map: t,
          color: col,
          blending: T.AdditiveBlending,
          depthWrite: false,
          opacity: Math.min(1, P.lights * (U.fd.value > 0.003 ? 0.6 : 1)),
          fog: false,
        }),
      );
      sp.position.set(x, y, z);
      sp.scale.setScalar(s * 1.7 * (U.fd.value > 0.003 ? 1.6 : 1));
      S.add(sp);
    }
  }
  return [S, P];
}
