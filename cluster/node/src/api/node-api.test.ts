import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request, type RequestOptions } from "node:https";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { realClock, realRandom, silentLogger } from "@kedge/machinery";
import { createAuthority, type CertificateWithKey } from "@kedge/pki";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { labelsOf } from "../pod/labels.ts";
import { podFolder } from "../pod/pod-folder.ts";
import type { ContainerRuntime, ExecProcess } from "../runtime/types.ts";
import { createSimulatedRuntime } from "../simulated/simulated-runtime.ts";
import { podOf } from "../testing/pods.ts";
import { bytesOf } from "./channels.ts";
import { serveNodeApi, type NodeApi } from "./node-api.ts";

const pod = podOf();
const at = "default/web-0/app";
let folder = "";
let api: NodeApi;
let ca = "";
let client: CertificateWithKey;
let stranger: CertificateWithKey;
let bob: CertificateWithKey;

/** `cat` that ends with the code that it is given as its argument, and tells the sizes that it hears of. */
function cat(command: readonly string[]): ExecProcess {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const ended = Promise.withResolvers<{ exitCode: number }>();
  stdin.pipe(stdout);
  stdin.once("end", () => ended.resolve({ exitCode: Number(command[1] ?? 0) }));
  const stderr = new PassThrough();
  stderr.end("warned");
  return {
    stdin,
    stdout,
    stderr,
    exit: ended.promise,
    resize: ({ columns, rows }) => Promise.resolve(void stdout.write(`[${columns}x${rows}]`)),
    kill: () => ended.resolve({ exitCode: 137 }),
  };
}

async function simulated(): Promise<ContainerRuntime> {
  const runtime = createSimulatedRuntime({ clock: realClock });
  const labels = labelsOf(pod, { name: "app", attempt: 1, image: "app:1", imageId: "sha256:app" });
  await runtime.create({ id: "one", labels } as never);
  await runtime.start("one");
  return { ...runtime, exec: (_id, { command }) => Promise.resolve(cat(command)) };
}

beforeAll(async () => {
  const options = { clock: realClock, random: realRandom };
  const authority = await createAuthority({ name: "test-ca", ...options });
  const other = await createAuthority({ name: "test-ca", ...options });
  ca = authority.certificate;
  client = await authority.issueClient({ user: "apiserver" });
  bob = await authority.issueClient({ user: "bob", groups: ["system:masters"] });
  stranger = await other.issueClient({ user: "apiserver" });
  folder = await mkdtemp(join(tmpdir(), "kedge-api-"));
  const log = podFolder(folder, pod.metadata.uid).logOf("app", 1);
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, "2026-01-01T00:00:01Z stdout F one\n2026-01-01T00:00:02Z stdout F two\n");
  api = await serveNodeApi(
    {
      clock: realClock,
      logger: silentLogger,
      runtime: await simulated(),
      folder,
      networkOf: () => Promise.resolve(undefined),
      pods: () => [pod],
      health: () => undefined,
    },
    {
      host: "127.0.0.1",
      port: 0,
      serving: await authority.issueServing({ name: "node", hosts: ["127.0.0.1"] }),
      clientAuthority: authority.certificate,
      clientName: "apiserver",
    },
  );
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

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
    const bytes = bytesOf(message);
    const [channel = -1] = bytes;
    seen[channel] = (seen[channel] ?? "") + bytes.toString("utf8", 1);
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
    ["stdin of a running container", `/attach/${at}?input=1`, undefined, "400 container app: stdin"],
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

  it("a port that nobody listens on is said on the error channel", async () => {
    const seen = await talk("/portForward/default/web-0?port=1", { protocols });
    expect(seen[1]).toContain("error forwarding port 1 to the pod");
  });
});
