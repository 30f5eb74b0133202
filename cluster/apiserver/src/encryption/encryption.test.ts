import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock, realRandom, VirtualClock } from "@kedge/machinery";
import { createMemoryStore, openLmdbStore, type Store } from "@kedge/store";
import { expect, it, onTestFinished } from "vitest";
import { startServer as start, type TestServer } from "../testing/start-server.ts";
import { parseEncryptionConfig } from "./parse-config.ts";

const keyOf = (letter: string): string => Buffer.alloc(32, letter).toString("base64");

function configOf(resources: string, ...keys: readonly string[]): string {
  const providers = keys.map((key) =>
    key === "identity"
      ? "  - identity: {}"
      : `  - aesgcm: {keys: [{name: ${key}, secret: ${keyOf(key.slice(-1))}}]}`,
  );
  return [
    "apiVersion: apiserver.config.k8s.io/v1",
    "kind: EncryptionConfiguration",
    "resources:",
    `- resources: [${resources}]`,
    "  providers:",
    ...providers,
  ].join("\n");
}
const config = (...args: Parameters<typeof configOf>) => parseEncryptionConfig(configOf(...args));

/** Its store stays open: another server goes on with it. */
async function startServer(options: Parameters<typeof start>[0]): Promise<TestServer> {
  const server = await start(options);
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.api.close() });
}

const secrets = "/api/v1/namespaces/default/secrets";
const maps = "/api/v1/namespaces/default/configmaps";
const hidden = Buffer.from("do not tell anybody").toString("base64");
const secret = { metadata: { name: "a" }, data: { password: hidden } };

async function storedAt(store: Store, key: string): Promise<string> {
  return Buffer.from((await store.get(key))?.value ?? []).toString("latin1");
}

it("leaves no value of a secret in the bytes of the store, and shows it as before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kedge-encryption-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = await openLmdbStore({ folder, clock: realClock });
  await using server = await startServer({
    store,
    clock: realClock,
    random: realRandom,
    encryption: config("secrets", "key-a"),
  });
  const watch = await server.watch(`${secrets}?watch=true`);
  expect((await server.ask("POST", secrets, secret)).status).toBe(201);
  expect(
    (await server.ask("POST", maps, { metadata: { name: "a" }, data: { a: "in the clear" } })).status,
  ).toBe(201);
  const event = await watch.next();
  expect(JSON.stringify(event)).toContain(hidden);
  const got = await server.ask("GET", `${secrets}/a`);
  expect(got.body["data"]).toEqual({ password: hidden });
  expect(await storedAt(store, "/registry/secrets/default/a")).toMatch(/^k8s:enc:aesgcm:v1:key-a:/u);
  await store.close();
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  expect(files.some((bytes) => bytes.includes("in the clear"))).toBe(true);
  expect(files.some((bytes) => bytes.includes(hidden) || bytes.includes("do not tell"))).toBe(false);
});

it("reads with every key, writes with the first, and writes all again when it starts", async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const run = async (...keys: readonly string[]): Promise<string> => {
    await using server = await startServer({ store, clock, encryption: config("secrets", ...keys) });
    await clock.settle();
    const got = await server.ask("GET", `${secrets}/a`);
    expect(got.body["data"]).toEqual({ password: hidden });
    return (await storedAt(store, "/registry/secrets/default/a")).slice(0, 24);
  };
  {
    await using server = await startServer({ store, clock });
    await server.ask("POST", secrets, secret);
  }
  expect(await storedAt(store, "/registry/secrets/default/a")).toContain(hidden);
  expect(await run("key-a", "identity")).toBe("k8s:enc:aesgcm:v1:key-a:");
  expect(await run("key-b", "key-a")).toBe("k8s:enc:aesgcm:v1:key-b:");
  expect(await run("key-b")).toBe("k8s:enc:aesgcm:v1:key-b:");
  expect(await run("identity", "key-b")).toContain('{"kind":"Secret"');
});

it.each([
  [
    "none",
    undefined,
    /secrets\/default\/a is encrypted by aesgcm with the key "key-a", which the encryption configuration/u,
  ],
  [
    "another",
    config("secrets", "key-b"),
    /with the key "key-a", which the encryption configuration does not have/u,
  ],
  [
    "another of the same name",
    parseEncryptionConfig(configOf("secrets", "key-a").replace(keyOf("a"), keyOf("z"))),
    /cannot be decrypted with the key "key-a"/u,
  ],
])(
  "with %s it does not start, says which key is missing, and loses nothing",
  async (_what, encryption, why) => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    {
      await using server = await startServer({ store, clock, encryption: config("secrets", "key-a") });
      await server.ask("POST", secrets, secret);
    }
    const before = await store.range({ prefix: "/registry/secrets/" });
    await expect(startServer({ store, clock, ...(encryption && { encryption }) })).rejects.toThrow(why);
    expect((await store.range({ prefix: "/registry/secrets/" })).items).toEqual(before.items);
    await using server = await startServer({ store, clock, encryption: config("secrets", "key-a") });
    expect((await server.ask("GET", `${secrets}/a`)).body["data"]).toEqual({ password: hidden });
  },
);

it("does not read a value in the place of another", async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const encryption = config("secrets", "key-a");
  {
    await using server = await startServer({ store, clock, encryption });
    await server.ask("POST", secrets, secret);
  }
  const stolen = (await store.get("/registry/secrets/default/a"))?.value ?? new Uint8Array();
  await store.transaction({ success: [{ type: "put", key: "/registry/secrets/default/b", value: stolen }] });
  await expect(startServer({ store, clock, encryption })).rejects.toThrow(
    /secrets\/default\/b cannot be decrypted/u,
  );
});

it.each([
  ["'*.apps'", false],
  ["configmaps", true],
  ["'*.*'", true],
  ["'*.'", true],
  ["configmaps.example.com", false],
])("%s names config maps: %j", async (resources, expected) => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  await using server = await startServer({ store, clock, encryption: config(resources, "key-a") });
  await server.ask("POST", maps, { metadata: { name: "a" } });
  const { items } = await store.range({ prefix: "/registry/configmaps/default/a" });
  const isSealed = Buffer.from(items[0]?.value ?? [])
    .toString("latin1")
    .startsWith("k8s:enc:");
  expect(isSealed).toBe(expected);
});

it.each([
  ["kind: Pod", "kind: must be EncryptionConfiguration"],
  [
    configOf("secrets", "key-a").replace(keyOf("a"), "c2hvcnQ="),
    "resources[0].providers[0].aesgcm.keys[0].secret: must be 16, 24 or 32 bytes",
  ],
  [
    configOf("secrets", "identity").replace("identity", "kms"),
    "resources[0].providers[0].kms: this server knows aesgcm and identity",
  ],
  [configOf("secrets", "key-a", "key-a"), "two keys have the same name"],
  [configOf("'*'", "key-a"), "resources[0].resources[0]: must be like secrets"],
])("refuses a wrong configuration, without a key in the text", (text, why) => {
  expect(() => parseEncryptionConfig(text)).toThrow(why);
});
