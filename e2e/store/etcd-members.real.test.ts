import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { realClock, realRandom } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { openEtcdStore, StoreError, type EtcdOptions, type Store } from "@kedge/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../real/wait.ts";
import { startEtcd } from "./testing/etcd-cluster.ts";
import { Ledger } from "./testing/ledger.ts";

const open = async (options: Pick<EtcdOptions, "endpoints" | "tls" | "prefix">): Promise<Store> => {
  const store = await openEtcdStore({ clock: realClock, random: realRandom, ...options });
  onTestFinished(() => store.close());
  return store;
};
const bytes = (text: string): Uint8Array => Buffer.from(text);
const put = (store: Store, key: string, value: Uint8Array) =>
  store.transaction({ success: [{ type: "put", key, value }] });

/** How long something takes that fails, and how it does. */
async function failing(work: Promise<unknown>): Promise<{ readonly ms: number; readonly error: unknown }> {
  const start = realClock.monotonic();
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { ms: realClock.monotonic() - start, error };
}

describe("three members", () => {
  it("go on without one, refuse writes without two, recover by themselves, and have lost nothing", async () => {
    await using etcd = await startEtcd({ members: 3 });
    const store = await open({ endpoints: etcd.endpoints });
    const ledger = new Ledger(store);
    ledger.start(4);
    await ledger.acknowledged(100);

    await etcd.kill(0);
    await ledger.acknowledged(100);

    await etcd.kill(1);
    const write = await failing(put(store, "/refused", bytes("x")));
    expect(write.error).toMatchObject({ code: "UNAVAILABLE" });
    expect(write.ms).toBeLessThan(15_000);
    const read = await failing(store.range({ prefix: "/" }));
    expect(read.error).toMatchObject({ code: "UNAVAILABLE" });
    expect(read.ms).toBeLessThan(15_000);

    await etcd.restart(0);
    await ledger.acknowledged(100);
    await etcd.restart(1);
    await ledger.acknowledged(100);
    await ledger.stop();
    expect(await ledger.faults()).toEqual([]);
  });

  it("are left when they stand still", async () => {
    await using etcd = await startEtcd({ members: 3 });
    const store = await open({ endpoints: etcd.endpoints });
    const ledger = new Ledger(store);
    ledger.start(2);
    await ledger.acknowledged(20);
    // The one that we are connected to: what it was asked is lost, and found out by silence only.
    etcd.signal(0, "SIGSTOP");
    await ledger.acknowledged(50);
    etcd.signal(0, "SIGCONT");
    await ledger.acknowledged(50);
    await ledger.stop();
    expect(await ledger.faults()).toEqual([]);
  });
});

describe("an etcd with TLS", () => {
  it("lets in who has a certificate of its authority, and nobody else", async () => {
    const authority = await createAuthority({ clock: realClock, random: realRandom, name: "etcd-ca" });
    const serving = await authority.issueServing({ name: "etcd", hosts: ["127.0.0.1"] });
    const user = await authority.issueClient({ user: "kedge" });
    await using etcd = await startEtcd({
      tls: true,
      prepare: async (folder) => {
        const files = {
          "ca.crt": authority.certificate,
          "etcd.crt": serving.certificate,
          "etcd.key": serving.key,
          "user.crt": user.certificate,
          "user.key": user.key,
        };
        for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      },
      args: [
        "--cert-file=etcd.crt",
        "--key-file=etcd.key",
        "--client-cert-auth=true",
        "--trusted-ca-file=ca.crt",
      ],
    });
    const [cafile, certfile, keyfile] = ["ca.crt", "user.crt", "user.key"].map((name) =>
      join(etcd.folder, name),
    );
    const { endpoints } = etcd;
    const store = await open({ endpoints, tls: { cafile, certfile, keyfile } });
    expect((await put(store, "a", bytes("1"))).succeeded).toBe(true);
    for (const tls of [{ cafile }, { certfile, keyfile }, undefined])
      await expect(
        openEtcdStore({ endpoints, tls, clock: realClock, random: realRandom }),
      ).rejects.toMatchObject({
        code: "UNAVAILABLE",
      });
  });
});

describe("much data", () => {
  it("is written up to etcd's limit, listed in pages of one revision, and watched in fragments", async () => {
    await using etcd = await startEtcd();
    const store = await open({ endpoints: etcd.endpoints, prefix: "/big" });
    const value = Buffer.alloc(1_400_000, "x");
    for (let i = 10; i < 40; i++) await put(store, `/${i}`, value);
    const all = await store.range({ prefix: "/" });
    expect([all.items.length, all.count, all.more]).toEqual([30, 30, false]);
    expect(all.items.every((item) => Buffer.compare(item.value, value) === 0)).toBe(true);
    const some = await store.range({ prefix: "/" }, { limit: 7 });
    expect([some.items.length, some.count, some.more]).toEqual([7, 30, true]);

    const watch = store.watch({ prefix: "/" }, { from: 2 });
    const seen: string[] = [];
    while (seen.length < 30) {
      const { value: batch } = await watch.next();
      for (const event of batch?.events ?? []) if (event.type === "put") seen.push(event.current.key);
    }
    await watch.return();
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => `/${i + 10}`));

    await expect(put(store, "/too-large", Buffer.alloc(1_700_000))).rejects.toMatchObject({
      code: "TOO_LARGE",
    });
    expect(await store.get("/10")).toMatchObject({ version: 1 });
  });

  it("that does not fit is refused, and what was there can be read", async () => {
    await using etcd = await startEtcd({ args: [`--quota-backend-bytes=${8 * 1024 * 1024}`] });
    const store = await open({ endpoints: etcd.endpoints });
    await put(store, "/first", bytes("1"));
    let error: unknown;
    for (let i = 0; i < 40 && error === undefined; i++)
      error = await put(store, `/${i}`, Buffer.alloc(1_000_000, "x")).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: "NO_SPACE" });
    expect(Buffer.from((await store.get("/first"))?.value ?? []).toString()).toBe("1");
  });
});

it("a store in an etcd that is not there says so, in bounded time", async () => {
  const { ms, error } = await failing(
    openEtcdStore({ endpoints: ["127.0.0.1:1"], clock: realClock, random: realRandom }),
  );
  expect(error).toMatchObject({ code: "UNAVAILABLE" });
  expect(String(error)).toContain("127.0.0.1:1");
  expect(ms).toBeLessThan(15_000);
});

it("a watch goes on when its only member is started again", async () => {
  await using etcd = await startEtcd();
  const store = await open({ endpoints: etcd.endpoints });
  const watch = store.watch({ prefix: "" });
  await put(store, "a", bytes("1"));
  expect((await watch.next()).value?.events.length).toBe(1);
  await etcd.kill(0);
  const waiting = watch.next();
  await etcd.restart(0);
  await until("it takes writes again", async () => {
    try {
      return (await put(store, "a", bytes("2"))).succeeded;
    } catch {
      return false;
    }
  });
  expect((await waiting).value?.events.at(0)).toMatchObject({ type: "put", current: { key: "a" } });
});
