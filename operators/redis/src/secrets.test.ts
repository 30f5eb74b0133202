import { notFound, resourceVersion, uid, type ObjectKey } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { loadSecrets, readSecret } from "./secrets.ts";
import { instanceOf } from "./testing/builders.ts";

type Context = Parameters<typeof loadSecrets>[0];

const instance = instanceOf({
  auth: { enabled: true, oldPasswordSeconds: 60, secretRef: { name: "theirs", key: "p" } },
});
const at = (name: string): ObjectKey => ({ namespace: "shop", name });

function secretOf(name: string, version: number): Secret {
  const metadata = {
    ...at(name),
    namespace: "shop",
    uid: uid(name),
    resourceVersion: resourceVersion(String(version)),
    creationTimestamp: "2026-11-16T00:00:00Z",
  };
  return { apiVersion: "v1", kind: "Secret", metadata, data: { version: String(version) } };
}

/** A run whose caches show the versions of Secrets that they are given; the server has others. */
function world() {
  const whole = new Map<string, Secret>();
  const metadata = new Map<string, Pick<Secret, "metadata">>();
  const server = new Map<string, Secret>();
  const asked: string[] = [];
  const context = {
    read: (kind: object) => ({
      get: ({ name }: ObjectKey) => (kind === Secret ? whole : metadata).get(name),
    }),
    client: {
      of: () => ({
        async get({ name }: ObjectKey) {
          asked.push(name);
          const found = server.get(name);
          if (found === undefined) throw notFound({ group: "", plural: "secrets" }, name);
          return await Promise.resolve(found);
        },
      }),
    },
    signal: new AbortController().signal,
  };
  const show = (name: string, version: number): void => {
    metadata.set(name, { metadata: secretOf(name, version).metadata });
  };
  return { whole, metadata, server, asked, show, context: context as never as Context };
}

const versionOf = (secret: { readonly data?: unknown } | undefined): unknown =>
  secret === undefined ? undefined : Reflect.get(Object(secret.data), "version");

it("reads a user's Secret once for each version that is seen", async () => {
  const { context, server, asked, show } = world();
  show("theirs", 1);
  server.set("theirs", secretOf("theirs", 1));
  for (const _run of [1, 2]) {
    const secret = await loadSecrets(context, instance);
    expect(versionOf(secret("theirs"))).toBe("1");
  }
  show("theirs", 2);
  server.set("theirs", secretOf("theirs", 2));
  const secret = await loadSecrets(context, instance);
  expect([versionOf(secret("theirs")), asked]).toEqual(["2", ["theirs", "theirs"]]);
});

it("asks nobody for what no cache shows, nor for what a cache has whole", async () => {
  const { context, whole, asked, show } = world();
  whole.set("cache.system", secretOf("cache.system", 5));
  show("cache.system", 4);
  const secret = await loadSecrets(context, instance);
  expect([versionOf(secret("cache.system")), secret("theirs"), asked]).toEqual(["5", undefined, []]);
});

it("knows one of ours that has lost its label", async () => {
  const { context, server, show } = world();
  show("cache.system", 6);
  server.set("cache.system", secretOf("cache.system", 6));
  expect(readSecret(context, at("cache.system"))).toBeUndefined();
  await loadSecrets(context, instance);
  expect(versionOf(readSecret(context, at("cache.system")))).toBe("6");
});

it("takes the newer one, whichever cache is behind", async () => {
  const { context, whole, server, show } = world();
  whole.set("theirs", secretOf("theirs", 1));
  show("theirs", 2);
  server.set("theirs", secretOf("theirs", 2));
  expect(versionOf(readSecret(context, at("theirs")))).toBe("1");
  const secret = await loadSecrets(context, instance);
  expect(versionOf(secret("theirs"))).toBe("2");
  whole.set("theirs", secretOf("theirs", 3));
  expect(versionOf(readSecret(context, at("theirs")))).toBe("3");
});

it("has none that is gone from the server, though a cache shows it still", async () => {
  const { context, show, asked } = world();
  show("theirs", 1);
  await loadSecrets(context, instance);
  const secret = await loadSecrets(context, instance);
  expect([secret("theirs"), asked]).toEqual([undefined, ["theirs"]]);
});
