import type { WebSocket } from "ws";
import { say, startWebSocketServer, type TestServer } from "./websocket-server.ts";

/** What a pod's process does with a connection to one of its ports. */
export interface PodSide {
  readonly ws: WebSocket;
  /** Called with all that the client sends. */
  onData(handle: (data: Buffer) => void): void;
  /** Sends to the client. */
  send(data: Uint8Array): void;
  /** Fails as a kubelet does: with a text, then the end. */
  fail(text: string): void;
}

/** Starts a server that forwards ports as a kubelet does. */
export function startPodServer(serve: (pod: PodSide, port: number) => void): Promise<TestServer> {
  return startWebSocketServer(
    (ws, request) => {
      const port = Number(new URL(request.url ?? "", "http://pod").searchParams.get("ports"));
      const announcement = Buffer.from([port % 256, Math.floor(port / 256)]);
      say(ws, 0, announcement);
      say(ws, 1, announcement);
      const pod: PodSide = {
        ws,
        onData: (handle) => void ws.on("message", (message: Buffer) => handle(message.subarray(1))),
        send: (data) => say(ws, 0, data),
        fail(text) {
          say(ws, 1, text);
          ws.close(1000);
        },
      };
      serve(pod, port);
    },
    { protocols: ["v4.channel.k8s.io"] },
  );
}
