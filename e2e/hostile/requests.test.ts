import type { IncomingMessage } from "node:http";
import { request as httpsRequest, Agent } from "node:https";
import { listen } from "@kedge/apiserver";
import { realClock, realRandom, seededRandom, type Random } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { describe, expect, it } from "vitest";
import { mutated, oneOf } from "./mutate.ts";
import type { HostileRequest } from "./shapes/shape.ts";
import { sender, startTarget, type Answer, type Target } from "./target.ts";
import { prepared, thingsList, validRequests } from "./valid-requests.ts";

/** `KEDGE_TEST_SEED=<number>` tries others. */
const seed = process.env["KEDGE_TEST_SEED"] ?? "20261116";

/** Milliseconds that a request may take: a watch is ended before. */
const patience = 60_000;

describe(`requests that are nearly right, seed ${seed}`, () => {
  it("10,000 of them in process: each is answered, and the server goes on", async () => {
    await using target = await startTarget();
    const send = (request: HostileRequest, signal: AbortSignal): Promise<Answer> =>
      target.send(request, signal);
    const fault = await play(target, send, { count: 10_000, random: seededRandom(seed) });
    expect(fault).toBeUndefined();
  });

  it("1,000 of them by HTTPS", async () => {
    await using target = await startTarget();
    const options = { clock: realClock, random: realRandom };
    const ca = await createAuthority({ name: "kedge-ca", ...options });
    const serving = await ca.issueServing({ name: "api", hosts: ["127.0.0.1"] });
    const client = await ca.issueClient({ user: sender.name, groups: sender.groups });
    const place = { host: "127.0.0.1", port: 0, serving, clientAuthority: ca.certificate };
    const door = await listen(target.api, { ...place, clock: realClock });
    const agent = new Agent({
      keepAlive: true,
      ca: ca.certificate,
      cert: client.certificate,
      key: client.key,
    });
    try {
      const send = (request: HostileRequest, signal: AbortSignal): Promise<Answer> =>
        sendByHttps(request, { agent, port: door.port, signal });
      const game = { count: 1_000, random: seededRandom(`${seed} by HTTPS`) };
      expect(await play(target, send, game)).toBeUndefined();
    } finally {
      agent.destroy();
      await door.close();
    }
  });
});

interface Game {
  readonly count: number;
  readonly random: Random;
}

type Send = (request: HostileRequest, signal: AbortSignal) => Promise<Answer>;

/** Sends so many requests, and says of the first that was answered badly; undefined when none was. */
async function play(target: Target, send: Send, { count, random }: Game): Promise<unknown> {
  for (const request of prepared) await target.send(request);
  while ((await target.send(thingsList)).status !== 200) await realClock.sleep(10);
  for (let sent = 0; sent < count; sent++) {
    const request = mutated(oneOf(random, validRequests), random);
    const fault = await faultOf(request, send);
    if (fault !== "") return { sent, request, fault };
  }
  const { status } = await target.send({ method: "GET", path: "/api/v1/namespaces/default", headers: {} });
  return status === 200 ? undefined : { fault: `${status} for a namespace afterwards` };
}

async function faultOf(request: HostileRequest, send: Send): Promise<string> {
  using deadline = realClock.deadline(patience);
  // Watches and logs that are followed have no end of their own.
  using enough = realClock.deadline(isEndless(request) ? 5 : patience, deadline.signal);
  try {
    const { status, text } = await send(request, enough.signal);
    if (deadline.signal.aborted) return "it was not answered";
    return status < 500 || known.test(text) ? "" : `${status}: ${text}`;
  } catch (error) {
    return enough.signal.aborted && !deadline.signal.aborted ? "" : String(error);
  }
}

function isEndless({ path }: HostileRequest): boolean {
  return /watch|follow/u.test(path);
}

/** What Kubernetes, too, answers with 500 or more: it says what is wrong with the request. */
const known =
  /typed (?:patch|live) object|failed to convert new object|resourceVersion|ParseUint|expected a \S+ ?\S*, but received|unable to find api field|unknown patch type|The order in patch list|managed fields|element types are not|target\.\S+: (?:Required|Invalid|Unsupported)|merge key|Too large resource version|spec replicas field|special key/u;

interface Way {
  readonly agent: Agent;
  readonly port: number;
  readonly signal: AbortSignal;
}

function sendByHttps(request: HostileRequest, way: Way): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { method, path, headers, body } = request;
  const { agent, port, signal } = way;
  let text = "";
  const receive = (response: IncomingMessage): void => {
    const answer = (): void =>
      resolve({ status: response.statusCode ?? 0, warning: response.headers.warning, text });
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      if (text.length < 1000) text += chunk.slice(0, 1000);
    });
    for (const event of ["end", "error", "close"]) response.on(event, answer);
  };
  try {
    const sent = httpsRequest({ host: "127.0.0.1", port, agent, method, path, headers, signal }, receive);
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, warning: undefined, text });
    });
    // A server may close a connection between two requests; the second is sent again then, as clients do.
    sent.on("error", (error) => {
      if (sent.reusedSocket && !signal.aborted) resolve(sendByHttps(request, way));
      else reject(error);
    });
    sent.end(body);
  } catch {
    // What Node.js itself does not send says nothing about the server.
    resolve({ status: 0, warning: undefined, text });
  }
  return promise;
}
