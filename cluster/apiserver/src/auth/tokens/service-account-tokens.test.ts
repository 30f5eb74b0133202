import { createPublicKey, generateKeyPairSync, verify, type JsonWebKey } from "node:crypto";
import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../testing/start-server.ts";

function newKey(type: "rsa" | "ec"): string {
  const { privateKey } =
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

const serviceAccountKey = newKey("ec");
const accounts = "/api/v1/namespaces/default/serviceaccounts";

async function start(key = serviceAccountKey): Promise<{ server: TestServer; clock: VirtualClock }> {
  const clock = new VirtualClock();
  const server = await startServer({ clock, serviceAccountKey: key });
  await server.ask("POST", accounts, { metadata: { name: "robot" } });
  return { server, clock };
}

async function newToken(server: TestServer, spec: object = {}): Promise<string> {
  const { status, body } = await server.ask("POST", `${accounts}/robot/token`, { spec });
  expect(status).toBe(201);
  return (body["status"] as { token: string }).token;
}

/** Whether the bearer is known: then he is told that he may not. */
async function statusOf(server: TestServer, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await server.api.handle({ method: "GET", path: "/api/v1/pods", headers })).status;
}

describe.each(["rsa", "ec"] as const)("a token signed by a key of the type %s", (type) => {
  it("is its account's, and no other server's", async () => {
    const { server } = await start(newKey(type));
    const token = await newToken(server);
    expect(await statusOf(server, token)).toBe(403);
    const { server: other } = await start(newKey(type));
    expect(await statusOf(other, token)).toBe(401);
    await server[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  it("is nobody's when a byte of it is another", async () => {
    const { server } = await start(newKey(type));
    const [header = "", payload = "", signature = ""] = (await newToken(server)).split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9e9 })).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    for (const token of [
      `${header}.${forged}.${signature}`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature}.more`,
      `${header}.%.${signature}`,
      "a.b.c",
    ])
      expect(await statusOf(server, token)).toBe(401);
    await server[Symbol.asyncDispose]();
  });
});

it("expires, a minute late", async () => {
  const { server, clock } = await start();
  const token = await newToken(server, { expirationSeconds: 600 });
  await clock.advance(655_000);
  expect(await statusOf(server, token)).toBe(403);
  await clock.advance(10_000);
  expect(await statusOf(server, token)).toBe(401);
  await server[Symbol.asyncDispose]();
});

it("lives for a year when a node agent asked for it for a pod, which is told to renew it in an hour", async () => {
  const { server, clock } = await start();
  const pod = {
    metadata: { name: "a" },
    spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "c" }] },
  };
  expect((await server.ask("POST", "/api/v1/namespaces/default/pods", pod)).status).toBe(201);
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "a" };
  const token = await newToken(server, { expirationSeconds: 3607, boundObjectRef });
  await clock.advance(24 * 3600_000);
  expect(await statusOf(server, token)).toBe(403);
  await server.ask("DELETE", "/api/v1/namespaces/default/pods/a?gracePeriodSeconds=0");
  expect(await statusOf(server, token)).toBe(401);
  await server[Symbol.asyncDispose]();
});

it("can be verified by others, by the keys that the server shows", async () => {
  const { server } = await start();
  const [header = "", payload = "", signature = ""] = (await newToken(server)).split(".");
  const answer = await server.ask("GET", "/openid/v1/jwks");
  expect(answer.headers["content-type"]).toBe("application/jwk-set+json");
  const [jwk] = answer.body["keys"] as readonly JsonWebKey[];
  const key = createPublicKey({ key: jwk ?? {}, format: "jwk" });
  const signed = Buffer.from(`${header}.${payload}`);
  const proof = Buffer.from(signature, "base64url");
  expect(verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, proof)).toBe(true);
  await server[Symbol.asyncDispose]();
});

it("is not issued without a key", async () => {
  await using server = await startServer();
  await server.ask("POST", accounts, { metadata: { name: "robot" } });
  expect((await server.ask("POST", `${accounts}/robot/token`, { spec: {} })).status).toBe(405);
});
