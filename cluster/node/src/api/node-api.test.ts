import { request, type RequestOptions } from "node:https";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { CertificateWithKey } from "@kedge/pki";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { NodeApi } from "./node-api.ts";
import { at, openApiPlace, type ApiPlace } from "./testing/api-place.ts";

let place: ApiPlace;
let api: NodeApi;
let ca = "";
let client: CertificateWithKey;
let stranger: CertificateWithKey;
let bob: CertificateWithKey;

beforeAll(async () => {
  place = await openApiPlace();
  ({ api, ca, client, stranger, bob } = place);
});
afterAll(() => place[Symbol.asyncDispose]());

async function get(path: string, more: RequestOptions = {}): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const { certificate: cert, key } = client;
  const outgoing = request(
    { host: "127.0.0.1", port: api.port, path, ca, cert, key, agent: false, ...more },
    (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    },
  );
  outgoing.once("error", reject);
  outgoing.end();
  return await promise;
}

/** Everything that comes on a socket, by channel, when it has closed. */
async function talk(
  path: string,
  options: {
    protocols?: string[];
    messages?: readonly (readonly number[])[];
    credentials?: { cert: string; key: string };
  },
): Promise<Record<number, string>> {
  const { certificate: cert, key } = client;
  const protocols = options.protocols ?? ["v5.channel.k8s.io"];
  const socket = new WebSocket(`wss://127.0.0.1:${api.port}${path}`, protocols, {
    ca,
    cert,
    key,
    ...options.credentials,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Record<number, string>>();
  const seen: Record<number, string> = {};
  socket.on("open", () => {
    for (const message of options.messages ?? []) socket.send(Buffer.from(message));
  });
  socket.on("message", (message: Buffer) => {
    const [channel = -1] = message;
    seen[channel] = (seen[channel] ?? "") + message.toString("utf8", 1);
  });
  socket.once("unexpected-response", (_request, answer) => {
    text(answer).then((body) => resolve({ [-1]: `${answer.statusCode} ${body}` }), reject);
  });
  socket.once("close", () => resolve(seen));
  socket.once("error", reject);
  return await promise;
}

const bytes = (channel: number, message: string): number[] => [channel, ...Buffer.from(message)];

describe("who may call", () => {
  it.each([
    ["without a certificate", () => ({ cert: undefined, key: undefined })],
    ["with one of another authority", () => ({ cert: stranger.certificate, key: stranger.key })],
  ])("nobody %s", async (_title, credentials) => {
    await expect(get("/healthz", credentials() as RequestOptions)).rejects.toThrow(
      /certificate|alert|socket|ECONNRESET|EPIPE/u,
    );
  });

  it("the API server", async () => {
    expect(await get("/healthz")).toEqual({ status: 200, body: "ok" });
  });

  it("no other user of the same authority, neither for a request nor for an exec", async () => {
    const credentials = { cert: bob.certificate, key: bob.key };
    const body = "Forbidden (user=bob, verb=get, resource=nodes, subresource=proxy)";
    expect(await get("/pods", credentials)).toEqual({ status: 403, body });
    const seen = await talk(`/exec/${at}?command=cat&output=1`, { credentials });
    expect(seen).toEqual({ [-1]: `403 ${body}` });
  });
});

it.each([
  ["a log", `/containerLogs/${at}`, 200, "one\ntwo\n"],
  ["the end of a log", `/containerLogs/${at}?tailLines=1`, 200, "two\n"],
  ["a log of no pod", "/containerLogs/default/none/app", 404, "not found"],
  ["a log of no container", "/containerLogs/default/web-0/none", 404, "not valid for pod web-0"],
  [
    "the log of a run that was never",
    `/containerLogs/${at}?previous=true`,
    400,
    "previous terminated container",
  ],
  ["nonsense in the query", `/containerLogs/${at}?tailLines=x`, 400, "whole number"],
  ["the pods", "/pods", 200, '"web-0"'],
  ["another path", "/metrics", 404, "not found"],
  ["what pods use", "/stats/summary", 200, '"name":"app","startTime":"2027-01-15T07:43:20Z","cpu":{"time":'],
  [
    "the same for Prometheus",
    "/metrics/resource",
    200,
    'container_cpu_usage_seconds_total{container="app",namespace="default",pod="web-0"} 3 1800000000000\n',
  ],
])("%s", async (_title, path, status, body) => {
  const answer = await get(path);
  expect(answer.status).toBe(status);
  expect(answer.body).toContain(body);
});

describe("exec", () => {
  const query = "command=cat&command=3&input=1&output=1&error=1";

  it("streams go both ways, the end of stdin is told, the code comes last", async () => {
    const seen = await talk(`/exec/${at}?${query}`, {
      messages: [bytes(0, "hello"), bytes(4, '{"Width":80,"Height":24}'), [255, 0]],
    });
    expect(seen[1]).toContain("hello");
    expect(seen[1]).toContain("[80x24]");
    expect(seen[2]).toBe("warned");
    expect(JSON.parse(seen[3] ?? "")).toMatchObject({
      status: "Failure",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
  });

  it("without stdin the command ends by itself, and success is said", async () => {
    const seen = await talk(`/exec/${at}?command=cat&output=1`, { protocols: ["v4.channel.k8s.io"] });
    expect(JSON.parse(seen[3] ?? "")).toMatchObject({ status: "Success" });
  });

  it.each([
    ["no command", `/exec/${at}?output=1`, undefined, "400 you must specify at least one command"],
    ["a protocol that we do not speak", `/exec/${at}?${query}`, ["channel.k8s.io"], "400 no common protocol"],
    ["a container that is not there", "/exec/default/web-0/none?command=x", undefined, "404 container none"],
    ["a port that is none", "/portForward/default/web-0?port=0", ["v4.channel.k8s.io"], "400 port"],
  ])("refuses %s", async (_title, path, protocols, message) => {
    const seen = await talk(path, protocols === undefined ? {} : { protocols });
    expect(seen[-1]).toContain(message);
  });
});

describe("port-forward", () => {
  const protocols = ["v4.channel.k8s.io"];

  it("what is sent at once arrives, and the answer comes back after the number of the port", async () => {
    const echo = createServer((socket) => {
      socket.once("data", (data) => socket.end(data));
    });
    await new Promise<void>((resolve) => {
      echo.listen(0, "127.0.0.1", resolve);
    });
    const { port } = echo.address() as AddressInfo;
    const seen = await talk(`/portForward/default/web-0?port=${port}`, {
      protocols,
      messages: [bytes(0, "PING")],
    });
    echo.close();
    expect(seen[0]).toMatch(/PING$/u);
    expect(Buffer.from(seen[1] ?? "").length).toBeGreaterThan(0);
  });

  it("a client that vanishes leaves no connection, also to a pod that goes on waiting", async () => {
    const taken: Socket[] = [];
    const waiting = createServer({ allowHalfOpen: true }, (socket) => void taken.push(socket.resume()));
    await new Promise<void>((resolve) => {
      waiting.listen(0, "127.0.0.1", resolve);
    });
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    const { port } = waiting.address() as AddressInfo;
    const { certificate: cert, key } = client;
    const path = `wss://127.0.0.1:${api.port}/portForward/default/web-0?port=${port}`;
    const socket = new WebSocket(path, protocols, { ca, cert, key });
    await expect.poll(() => taken.length).toBe(1);
    expect(sockets()).toBe(before + 4);
    socket.terminate();
    // What is left is the pod's own end.
    await expect.poll(sockets).toBe(before + 1);
    for (const one of taken) one.destroy();
    waiting.close();
  });

  it("a port that nobody listens on is said on the error channel", async () => {
    const seen = await talk("/portForward/default/web-0?port=1", { protocols });
    expect(seen[1]).toMatch(
      /error forwarding port 1 to pod \S+, uid : failed to connect to localhost:1 .*127\.0\.0\.1:1: connect: connection refused/u,
    );
  });
});
