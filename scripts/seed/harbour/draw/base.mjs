import * as T from "three";

/* Sizes, random numbers, the shaders' noise and values, the renderer and materials. */

export const W = 1280,
  H = 720,
  SS = 1.5;
let seed = 7;
export const rnd = () => {
  seed = (seed * 1664525 + 1013904223) >>> 0;
  return seed / 4294967296;
};
export const R = (a, b) => a + (b - a) * rnd();
export const NOISE = `
float h2(vec2 p){p=fract(p*vec2(123.34,456.21));p+=dot(p,p+45.32);return fract(p.x*p.y);}
float n2(vec2 p){vec2 i=floor(p),f=fract(p);f=f*f*(3.-2.*f);return mix(mix(h2(i),h2(i+vec2(1,0)),f.x),mix(h2(i+vec2(0,1)),h2(i+vec2(1,1)),f.x),f.y);}
float fbm(vec2 p){float v=0.,a=.5;for(int i=0;i<6;i++){v+=a*n2(p);p=mat2(1.6,1.2,-1.2,1.6)*p;a*=.5;}return v;}
uniform vec3 zen,hor,sunC,cLit,cDark,sunDir;uniform float cov,sunS,cOff;
vec3 sky(vec3 d,float stars){float y=max(d.y,0.);vec3 c=mix(hor,zen,pow(smoothstep(-.02,.5,y),.62));
 float s=max(dot(d,sunDir),0.);c+=sunC*(pow(s,6.)*.22+pow(s,60.)*.45)*sunS;c+=sunC*smoothstep(.99925,.9996,s)*6.*sunS;
 vec2 p=d.xz/(d.y+.16)*1.25+cOff;float f=fbm(p+fbm(p*1.7)*.35);float m=smoothstep(1.-cov,1.-cov+.34,f)*smoothstep(.0,.11,d.y);
 float lit=clamp(fbm(p+sunDir.xz*.22)-f,-.3,.3)*1.6+.5;vec3 cc=mix(cLit,cDark,clamp(lit,0.,1.));cc+=sunC*pow(s,8.)*.35*sunS;
 if(stars>.5){float st=step(.9975,h2(floor(d.xy*vec2(420.,420.))));c+=st*.35*(1.-m)*smoothstep(.1,.4,d.y);}
 return mix(c,cc,m*.93);}`;
export const U = {
  zen: { value: new T.Color() },
  hor: { value: new T.Color() },
  sunC: { value: new T.Color() },
  cLit: { value: new T.Color() },
  cDark: { value: new T.Color() },
  sunDir: { value: new T.Vector3() },
  cov: { value: 0 },
  sunS: { value: 0 },
  cOff: { value: 0 },
  stars: { value: 0 },
  fogC: { value: new T.Color() },
  fd: { value: 0 },
  lamp: { value: 0 },
  wOff: { value: 0 },
  rough: { value: 1 },
};
export const renderer = new T.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setPixelRatio(1);
renderer.setSize(W * SS, H * SS);
renderer.shadowMap.enabled = true;
renderer.shadowMap.type = T.PCFSoftShadowMap;
renderer.toneMapping = T.ACESFilmicToneMapping;
export const mat = (c, r = 0.9, m = 0, o = {}) =>
  new T.MeshStandardMaterial({ color: c, roughness: r, metalness: m, ...o });
/** Begins the random numbers again. */
export const reseed = (value) => {
  seed = value;
};
/** Points of light: position, colour and size. */
export const lampPts = [];
