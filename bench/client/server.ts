/** The server of this measurement, in a process of its own: one pod, and a list of many, over TLS. */
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { podJson } from "./pod.ts";

const certificates = new URL("../../packages/client/src/testing/certificates/", import.meta.url);
const pem = (name: string): Buffer => readFileSync(new URL(name, certificates));

const one = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Pod", ...podJson(0) }));
const items = Array.from({ length: 10_000 }, (_, index) => podJson(index));
const many = Buffer.from(
  JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "110000" }, items }),
);

const server = createSecureServer(
  { key: pem("server.key"), cert: pem("server.pem"), allowHTTP1: true },
  (request, response) => {
    const body = request.url.includes("/pods/") ? one : many;
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  },
);
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port, listBytes: many.length });
});
process.on("disconnect", () => process.exit(0));
