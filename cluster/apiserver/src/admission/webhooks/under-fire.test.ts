import { macrotask, realClock } from "@kedge/machinery";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startServer, type Answer, type TestServer } from "../../testing/start-server.ts";
import {
  answer,
  startHookTarget,
  uidOf,
  type Behaviour,
  type HookTarget,
} from "../../webhook-client/testing/hook-target.ts";

let server: TestServer;
let target: HookTarget;

beforeEach(async () => {
  target = await startHookTarget();
  server = await startServer({ clock: realClock });
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const maps = "/api/v1/namespaces/default/configmaps";

interface Wanted {
  readonly behaviour?: Behaviour;
  readonly url?: string;
  readonly caBundle?: string;
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly kind?: "validating" | "mutating";
}

/** Configures a webhook for config maps that has a second to answer. */
async function configure(wanted: Wanted): Promise<void> {
  const { behaviour = () => undefined, kind = "validating", failurePolicy = "Fail" } = wanted;
  target.behaviours.set("/hook", behaviour);
  const { url = `${target.url}/hook`, caBundle = target.authority } = wanted;
  const made = await server.ask(
    "POST",
    `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`,
    {
      metadata: { name: `c-${kind}` },
      webhooks: [
        {
          name: "fire.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          timeoutSeconds: 1,
          failurePolicy,
          clientConfig: { url, caBundle },
          rules: [
            { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] },
          ],
        },
      ],
    },
  );
  expect(made.status).toBe(201);
}

async function timed(work: Promise<Answer>): Promise<Answer & { readonly seconds: number }> {
  const start = realClock.monotonic();
  const done = await work;
  return { ...done, seconds: (realClock.monotonic() - start) / 1000 };
}

let made = 0;

function create(signal?: AbortSignal): Promise<Answer> {
  made += 1;
  return server.ask("POST", maps, { metadata: { name: `m-${made}` } }, { signal });
}

/** The webhook has a second; the machine may be busy. */
const bound = 8;

const halfAnAnswer: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"response":');
  response.destroy();
};

const failures: Record<string, Wanted & { readonly why: string }> = {
  "never answers": { behaviour: () => undefined, why: "context deadline exceeded" },
  "answers a byte now and then": {
    behaviour: async (response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write(" ");
        await realClock.sleep(50);
      }
    },
    why: "context deadline exceeded",
  },
  "is not there": {
    url: "https://127.0.0.1:9/hook",
    why: "dial tcp 127.0.0.1:9: connect: connection refused",
  },
  "vanishes in the middle": { behaviour: halfAnAnswer, why: "EOF" },
  "says nothing": { behaviour: (response) => void response.end(), why: "0-length response" },
  "says nonsense": {
    behaviour: (response) => void response.end("<html>"),
    why: "couldn't get version/kind; json parse error",
  },
  "is broken": {
    behaviour: (response) => void response.writeHead(500).end("boom"),
    why: 'an error on the server ("boom") has prevented the request from succeeding',
  },
  "leads elsewhere": {
    behaviour: (response) => void response.writeHead(307, { location: "https://127.0.0.1:9/" }).end(),
    why: "failed to call webhook",
  },
  "answers another review": {
    behaviour: (response, { apiVersion, kind }) =>
      void response.end(JSON.stringify({ apiVersion, kind, response: { uid: "other", allowed: true } })),
    why: "expected response.uid=",
  },
  "answers ten megabytes": {
    behaviour: (response, { apiVersion, kind }) =>
      void response.end(
        JSON.stringify({ apiVersion, kind, response: { allowed: true, warnings: ["x".repeat(10_000_000)] } }),
      ),
    why: "the answer has more than 6291456 bytes",
  },
  "answers a million values": {
    behaviour: (response, { apiVersion, kind }) =>
      void response.end(
        JSON.stringify({
          apiVersion,
          kind,
          response: { allowed: true, warnings: Array(1_000_000).fill("") },
        }),
      ),
    why: "the answer cannot be read",
  },
  "answers without end": {
    behaviour: async (response) => {
      const piece = "x".repeat(100_000);
      while (!response.destroyed) if (!response.write(piece)) await realClock.sleep(1);
    },
    why: "the answer has more than 6291456 bytes",
  },
};

describe.each(["validating", "mutating"] as const)("a %s webhook that", (kind) => {
  test.for(Object.entries(failures))("%s is a 500 that names it", async ([, { why, ...wanted }]) => {
    await configure({ ...wanted, kind });
    const { status, body, seconds } = await timed(create());
    expect(body.message).toContain('failed calling webhook "fire.example.com": ');
    expect(body.message).toContain(why);
    expect({ status, isLate: seconds > bound }).toEqual({ status: 500, isLate: false });
  });

  test.for(Object.entries(failures))("%s is left out if its failures are", async ([, wanted]) => {
    await configure({ ...wanted, kind, failurePolicy: "Ignore" });
    const { status, seconds } = await timed(create());
    expect({ status, isLate: seconds > bound }).toEqual({ status: 201, isLate: false });
  });

  test("has the certificate of somebody else is not believed", async () => {
    const caBundle = target.otherAuthority;
    await configure({ behaviour: answer({ allowed: true }), caBundle, kind });
    const { status, body } = await create();
    expect(status).toBe(500);
    expect(body.message).toContain(
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    );
  });
});

test("slow webhooks hold up those who wait for them, and nobody else", async () => {
  await configure({ behaviour: () => undefined });
  const slow = Array.from({ length: 50 }, () => timed(create()));
  const others: number[] = [];
  for (let i = 0; i < 20; i++) {
    const { status, seconds } = await timed(server.ask("GET", maps));
    expect(status).toBe(200);
    others.push(seconds);
  }
  const answers = await Promise.all(slow);
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(500));
  expect(Math.max(...answers.map(({ seconds }) => seconds))).toBeLessThan(bound);
  expect(Math.max(...others)).toBeLessThan(1);
});

test("a webhook that writes what it is asked about ends when the first of them has waited enough", async () => {
  let depth = 0;
  await configure({
    behaviour: async (response, review) => {
      depth += 1;
      const leaving = new AbortController();
      response.once("close", () => leaving.abort());
      const { status } = await create(leaving.signal);
      if (!response.destroyed) await answer({ allowed: status === 201 })(response, review, response.req);
    },
  });
  const { status, body, seconds } = await timed(create());
  expect({ status, isLate: seconds > bound }).toEqual({ status: 500, isLate: false });
  expect(body.message).toContain('webhook "fire.example.com"');
  const before = depth;
  // Who is given up gives up those that wait for it, one after the other: nothing goes on.
  for (let last = -1; last !== depth; await realClock.sleep(200)) last = depth;
  expect(depth - before).toBeLessThan(before + 10);
  target.behaviours.set("/hook", answer({ allowed: true }));
  expect((await create()).status).toBe(201);
});

test("an answer as large as it may be does not hold the event loop", async () => {
  const patch = Buffer.from(
    JSON.stringify([{ op: "add", path: "/data", value: { large: "x".repeat(800_000) } }]),
  ).toString("base64");
  const warnings = Array<string>(20_000).fill("w".repeat(180));
  await configure({
    kind: "mutating",
    behaviour: (response, { apiVersion, kind, request }) => {
      const fields = { allowed: true, patchType: "JSONPatch", patch, warnings };
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: uidOf({ request }), ...fields } }));
    },
  });
  const blocks = longestBlock();
  const { status } = await create();
  expect(status).toBe(201);
  expect(await blocks.stop()).toBeLessThan(150);
});

test("connections are kept, and one that the webhook has closed is no failure", async () => {
  await configure({ behaviour: answer({ allowed: true }) });
  for (let i = 0; i < 10; i++) expect((await create()).status).toBe(201);
  expect(target.connections()).toBe(1);
  for (let i = 0; i < 10; i++) {
    target.closeIdle();
    expect((await create()).status).toBe(201);
  }
});

/** The longest time on the CPU, in milliseconds, between two turns of the event loop. */
function longestBlock(): { stop(): Promise<number> } {
  let longest = 0;
  const over = new AbortController();
  const measure = async (): Promise<number> => {
    let last = process.cpuUsage();
    while (!over.signal.aborted) {
      await macrotask();
      const { user, system } = process.cpuUsage(last);
      longest = Math.max(longest, (user + system) / 1000);
      last = process.cpuUsage();
    }
    return longest;
  };
  const measured = measure();
  return {
    stop: () => {
      over.abort();
      return measured;
    },
  };
}
