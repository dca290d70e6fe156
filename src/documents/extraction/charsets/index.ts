export { contradiction, encodingByStatistics } from "./detector";
export { type Decoder, decoderOf, encodingNamed } from "./pages";
export { countUtf8, isUtf8 } from "./utf8";
