// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are code of pdf.js.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { main, ROOT } from "./project.mjs";

const FROM = join(ROOT, "node_modules/unpdf/dist/pdfjs.mjs");
/** Where `#pdfjs` of package.json points. */
const TO = join(ROOT, ".build/pdfjs.mjs");

/**
 * The pace of pdf.js. Its own pauses measure time, which stops while a deployed Worker computes, and they end before
 * any other work has a turn. The Worker sets `breathe`. A unit is one operator or one glyph, a few microseconds.
 */
const PACE = `
const PACE_UNITS=1024,MAX_OPERAND=65536,MAX_LIST=1e6,MAX_STRING=1e6,MAX_SKIPPED=1e5,MAX_SAVED=1e4,MAX_MAPPED=262144;
export const pace={units:0,breathe:async()=>{}};
function paceWork(units){return(pace.units+=units)>=PACE_UNITS}
async function pacePause(){if(pace.units<PACE_UNITS)return;const{units}=pace;pace.units=0;await pace.breathe(units)}
function paceGap(item,text){if(!text)return text;const gap=Math.min(9999,Math.max(0,Math.round(item.gap*100)))+(item.blank?10000:0);item.blank=false;return String.fromCharCode(gap+1)+"\\0".repeat(text.length-1)}
function paceLimit(value,most){if(value>most)throw new FormatError$1("The file exceeds a limit of the service.");return value}
`;

/**
 * Pieces of pdf.js, each of which occurs once, with their replacements. pdf.js has no pause and no limit in these pieces. Real
 * files stay far below the limits.
 */
const CHANGES = [
  // The operators of a page and of the forms that it draws.
  [
    "check(){return++this.checked<TimeSlotManager.CHECK_TIME_EVERY?!1:(this.checked=0,this.endTime<=Date.now())}",
    "check(){return paceWork(1)}",
  ],
  [
    "let next=function(t){enqueueChunk(!0),Promise.all([t,o.ready]).then(",
    "let next=function(t){enqueueChunk(!0),Promise.all([t,o.ready,pacePause()]).then(",
  ],
  // The text of one operator.
  [
    "function buildTextContentItem({chars:e,extraSpacing:t}){",
    "function buildTextContentItem({chars:e,extraSpacing:t}){e&&paceWork(paceLimit(e.length,MAX_OPERAND));",
  ],
  [
    "m=y[0];for(let e=0,t=m.length;e<t;e++){let t=m[e];if(typeof t==`string`)w.push(t)",
    "m=y[0];for(let e=0,t=paceLimit(m.length,MAX_OPERAND);e<t;e++){let t=m[e];if(typeof t==`string`)w.push(t)",
  ],
  // The gaps of glyphs: an item gets a text of the same length as its own, whose codes `src/documents/extraction/formats/pdf-spacing.ts` explains.
  [
    "vertical:!1,prevTransform:null,prevTextRise:0,textAdvanceScale:0,",
    "vertical:!1,gaps:[],gap:0,blank:!1,prevTransform:null,prevTextRise:0,textAdvanceScale:0,",
  ],
  ["function compareWithLastPosition(e){", "function compareWithLastPosition(e){v.gap=0;"],
  [
    "let s=(n-i)/v.textAdvanceScale,l=r-a,u=Math.sign(v.width||v.totalWidth);",
    "let s=(n-i)/v.textAdvanceScale,l=r-a,u=Math.sign(v.width||v.totalWidth);v.gap=s/j.fontSize;",
  ],
  ["saveLastChar(` `);continue}", "v.blank=!0,saveLastChar(` `);continue}"],
  [
    "saveLastChar(g)&&(h.str.push(` `),m?.addExtraChar(` `)),m||h.str.push(g),",
    "saveLastChar(g)&&(h.str.push(` `),h.gaps.push(`\\0`),m?.addExtraChar(` `)),m||(h.str.push(g),h.gaps.push(paceGap(h,g))),",
  ],
  [
    "resetLastChars(),v.str.push(` `),m?.addExtraChar(` `)),!1;",
    "resetLastChars(),v.str.push(` `),v.gaps.push(`\\0`),m?.addExtraChar(` `)),!1;",
  ],
  ["return{str:n.str,dir:n.dir,width:", "return{gaps:e.gaps.join(``),str:n.str,dir:n.dir,width:"],
  ["v.initialized=!1,v.str.length=0)}", "v.initialized=!1,v.str.length=0,v.gaps.length=0)}"],
  // Saved states, each of which had all earlier ones as prototypes.
  [
    "clone(){let e=Object.assign(Object.create(this),this);return e.textMatrix",
    "clone(){let e=Object.assign(Object.create(Object.getPrototypeOf(this)),this);return e.textMatrix",
  ],
  [
    "save(){let e=this.state;this.stateStack.push(this.state)",
    "save(){let e=this.state;paceLimit(this.stateStack.push(this.state),MAX_SAVED)",
  ],
  // The search for objects of a file without a table. If two objects have one number, it reads the later to its end.
  [
    "this.entries.length=0,this._cacheMap.clear();let o=this.stream;",
    "this.entries.length=0,this._cacheMap.clear();let o=this.stream,checked=0;",
  ],
  [
    'try{new Parser({lexer:new Lexer(o.makeSubStream(r))}).getObj(),d=!0}catch(e){e instanceof ParserEOFException?warn$1(`indexObjects -- checking object (${m}): "${e}".`):d=!0}',
    "{let x=o.makeSubStream(r);try{checked>4*l||new Parser({lexer:new Lexer(x)}).getObj(),d=!0}catch(e){d=!(e instanceof ParserEOFException)}checked+=x.pos-x.start,paceWork(x.pos-x.start>>5)}",
  ],
  [
    "parse(e=!1){let t;e?(warn$1(`Indexing all PDF objects`),t=this.indexObjects()):t=this.readXRef(),",
    "async parse(e=!1){let t;e?(warn$1(`Indexing all PDF objects`),t=await this.indexObjects()):t=this.readXRef(),",
  ],
  [
    "parse(e){this.xref.parse(e),this.catalog=new Ir(this.pdfManager,this.xref)}",
    "async parse(e){await this.xref.parse(e),this.catalog=new Ir(this.pdfManager,this.xref)}",
  ],
  [
    "indexObjects(){function readToken(e,t){let n=``,r=e[t];for(;r!==10&&r!==13&&r!==60&&!(++t>=e.length);)n+=String.fromCharCode(r),r=e[t];return n}",
    "async indexObjects(){function readToken(e,t){let n=t;for(let r=e[t];r!==10&&r!==13&&r!==60&&!(++t>=e.length);)r=e[t];return c.slice(n,t<e.length?t:-1)}",
  ],
  [
    "u=o.start,d=[],f=[];for(;u<l;){let p=s[u];",
    "u=o.start,d=[],f=[],paced=u;for(;u<l;){if(u-paced>31){paceWork(u-paced>>5)&&await pacePause();paced=u}let p=s[u];",
  ],
  // Words that are no operators.
  [
    'if(!i){warn$1(`Unknown command "${r}".`);continue}',
    "if(!i){this.skipped=paceLimit((this.skipped??0)+1,MAX_SKIPPED);continue}",
  ],
  [
    "warn$1(`Skipping ${e}`),t!==null&&(t.length=0);continue}",
    "this.skipped=paceLimit((this.skipped??0)+1,MAX_SKIPPED),t!==null&&(t.length=0);continue}",
  ],
  // Lists, dictionaries and strings.
  [
    "case`[`:let n=[];for(;!isCmd(this.buf1,`]`)&&this.buf1!==te;)n.push(this.getObj(e));",
    "case`[`:let n=[];for(;!isCmd(this.buf1,`]`)&&this.buf1!==te;)n.push(this.getObj(e)),paceLimit(n.length,MAX_LIST);",
  ],
  [
    "case`<<`:let r=new F(this.xref);for(;!isCmd(this.buf1,`>>`)&&this.buf1!==te;){",
    "case`<<`:let r=new F(this.xref);for(let k=0;!isCmd(this.buf1,`>>`)&&this.buf1!==te;){paceLimit(++k,MAX_LIST);",
  ],
  [
    "getString(){let e=1,t=!1,n=this.strBuf;n.length=0;let r=this.nextChar();for(;;){",
    "getString(){let e=1,t=!1,n=this.strBuf;n.length=0;let r=this.nextChar();for(;;){paceLimit(n.length,MAX_STRING);",
  ],
  ["for(this._hexStringNumWarn=0;;)if(t<0){", "for(this._hexStringNumWarn=0;;)if(paceLimit(e.length,MAX_STRING),t<0){"],
  // Character maps: what a font's codes mean. One range can have millions of codes.
  ["objLoop:for(;;)try{let n=t.getObj();", "objLoop:for(;;)try{paceWork(1)&&await pacePause();let n=t.getObj();"],
  [
    "mapCidRange(e,t,n){if(t-e>at)",
    "mapped=0;mapCidRange(e,t,n){this.mapped=paceLimit(this.mapped+t-e+1,MAX_MAPPED);if(t-e>at)",
  ],
  ["mapBfRange(e,t,n){if(t-e>at)", "mapBfRange(e,t,n){this.mapped=paceLimit(this.mapped+t-e+1,MAX_MAPPED);if(t-e>at)"],
  [
    "mapBfRangeToArray(e,t,n){if(t-e>at)",
    "mapBfRangeToArray(e,t,n){this.mapped=paceLimit(this.mapped+n.length+1,MAX_MAPPED);if(t-e>at)",
  ],
  ["mapOne(e,t){this._map[e]=t}", "mapOne(e,t){this.mapped=paceLimit(this.mapped+1,MAX_MAPPED);this._map[e]=t}"],
];

/** Writes the pdf.js of the service, unless it is there. @throws Error if a version of pdf.js does not fit the changes */
export function writePdfjs() {
  let text = readFileSync(FROM, "utf8");
  for (const [from, to] of CHANGES) {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`pdf.js has ${parts.length - 1} of: ${from}`);
    text = parts.join(to);
  }
  text += PACE;
  if (existsSync(TO) && readFileSync(TO, "utf8") === text) return [TO];
  mkdirSync(dirname(TO), { recursive: true });
  writeFileSync(TO, text);
  return [TO];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(async () => writePdfjs());
