export { decodeProtobuf, isProtobuf } from "./decode-protobuf.ts";
export {
  builtinEncoder,
  encodeProtobuf,
  envelopeEnd,
  envelopeStart,
  inEnvelope,
  watchFrame,
} from "./encode-protobuf.ts";
export { ProtobufError } from "./wire-reader.ts";
export { WireWriter } from "./wire-writer.ts";
export type { DecodedProtobuf } from "./types.ts";
