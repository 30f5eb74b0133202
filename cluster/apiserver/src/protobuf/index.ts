export { decodeProtobuf, isProtobuf } from "./decode-protobuf.ts";
export { ProtobufError } from "./wire-reader.ts";
export type { DecodedProtobuf } from "./types.ts";
