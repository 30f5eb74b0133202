import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { realClock } from "@kedge/machinery";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSimulatedRuntime } from "../simulated/simulated-runtime.ts";
import { containerNamed } from "../testing/pods.ts";
import { createProber } from "./prober.ts";
import type { ProbeHandler, ProbeResult } from "./types.ts";

const seen: (string | undefined)[] = [];
const server = createServer((request, response) => {
  seen.push(request.headers["user-agent"]);
  if (request.url === "/hang") return;
  response.writeHead(request.url === "/ok" ? 204 : request.url === "/moved" ? 302 : 503);
  response.end();
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function probe(handler: ProbeHandler, timeoutMs = 5000): Promise<ProbeResult> {
  const runtime = createSimulatedRuntime({
    clock: realClock,
    exitCodeOf: (_id, [program]) => (program === "true" ? 0 : 1),
  });
  await runtime.create({ id: "i", labels: {} } as never);
  await runtime.start("i");
  const container = containerNamed("app", { ports: [{ name: "http", containerPort: port }] });
  const target = { instanceId: "i", container, podAddress: "127.0.0.1" };
  const { signal } = new AbortController();
  return await createProber({ clock: realClock, runtime }).probe(handler, target, {
    kind: "liveness",
    timeoutMs,
    signal,
  });
}

it.each<[string, () => ProbeHandler, "success" | "failure", string]>([
  ["a command that succeeds", () => ({ exec: { command: ["true"] } }), "success", ""],
  ["a command that fails", () => ({ exec: { command: ["false"] } }), "failure", ""],
  ["HTTP 204, port by its name", () => ({ httpGet: { port: "http", path: "/ok" } }), "success", ""],
  ["HTTP 302", () => ({ httpGet: { port, path: "moved" } }), "success", ""],
  ["HTTP 503", () => ({ httpGet: { port, path: "/" } }), "failure", "HTTP probe failed with statuscode: 503"],
  ["a port that is listened on", () => ({ tcpSocket: { port } }), "success", ""],
  ["a port that nobody listens on", () => ({ tcpSocket: { port: 1 } }), "failure", "ECONNREFUSED"],
  [
    "a port that the container does not name",
    () => ({ tcpSocket: { port: "no" } }),
    "failure",
    'no port named "no"',
  ],
])("%s", async (_title, handler, outcome, output) => {
  const result = await probe(handler());
  expect(result.outcome).toBe(outcome);
  expect(result.output).toContain(output);
});

it("who does not answer in time has failed", async () => {
  expect(await probe({ httpGet: { port, path: "/hang" } }, 50)).toEqual({
    outcome: "failure",
    output: `Get "http://127.0.0.1:${port}/hang": context deadline exceeded`,
  });
  expect(seen.at(-1)).toMatch(/^kube-probe\//u);
});
