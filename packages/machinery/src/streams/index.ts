// What the ends of exec, attach, logs and port-forward share: clients, API server and nodes.
export {
  channel,
  channelProtocol,
  decodeFrame,
  decodeResize,
  encodeAll,
  encodeData,
  encodeEnd,
  encodeResize,
  type Frame,
  type TerminalSize,
} from "./channel-protocol.ts";
export { ByteQueue } from "./byte-queue.ts";
export { joinStreams, type OuterStream } from "./join-streams.ts";
export { keepAlive, type PingableSocket } from "./keep-alive.ts";
export {
  longestMessage,
  webSocketStream,
  type MessageSocket,
  type StreamEnd,
  type WebSocketStream,
} from "./web-socket-stream.ts";
