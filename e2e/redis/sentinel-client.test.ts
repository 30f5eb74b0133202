import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@kedge/machinery";
import { serveSentinel } from "@kedge/redis-operator";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { realServers } from "../redis-directives/real-servers.ts";

/** Loopback addresses of our own: clients of Sentinel are told addresses, and the port is Redis'. */
const hosts = ["127.91.12.1", "127.91.12.2"] as const;
const children: ChildProcess[] = [];
let folder = "";
let server: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-sentinel-"));
  server = (await realServers())[0]?.server ?? [];
}, 120_000);

afterEach(async () => {
  const ended = children.splice(0).map(async (child) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise((resolve) => {
      child.once("exit", resolve);
    });
    child.kill("SIGKILL");
    await exit;
  });
  await Promise.all(ended);
});

afterAll(() => rm(folder, { recursive: true }));

/** Starts redis-server, and waits until it answers. */
async function start(host: string, ...more: readonly string[]): Promise<Redis> {
  const [program = "", ...first] = server;
  const flags = ["--bind", host, "--port", "6379", "--save", "", "--dir", folder, "--protected-mode", "no"];
  const child = spawn(program, [...first, ...flags, ...more], { argv0: "redis-server", stdio: "ignore" });
  child.on("error", () => undefined);
  children.push(child);
  const client = new Redis({ host, port: 6379, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  await client.ping();
  return client;
}

/** The caches of an operator, as far as the endpoint reads them. */
function caches() {
  const [first, second] = hosts;
  const pod = (name: string, podIP: string) => ({
    metadata: { namespace: "default", name, labels: { "redis.github.com/instance": "cache" } },
    status: { podIP, conditions: [{ type: "Ready", status: "True" }] },
  });
  const pods = [pod("cache-0", first), pod("cache-1", second)];
  const instance = (primary: string) => ({
    metadata: { namespace: "default", name: "cache" },
    status: { replication: { primary, epoch: 1 } },
  });
  let held = instance("cache-0");
  type Tell = (event: { readonly type: "updated"; readonly object: unknown }) => void;
  let tell: Tell | undefined;
  const of = ({ kind }: { readonly kind: string }) => ({
    list: () => pods,
    get: () => held,
    onEvent: (handler: Tell) => {
      if (kind === "Pod") return () => undefined;
      tell = handler;
      handler({ type: "updated", object: held });
      return () => undefined;
    },
  });
  const promote = (primary: string): void => {
    held = instance(primary);
    tell?.({ type: "updated", object: held });
  };
  return { informers: { of: of as never, synced: () => Promise.resolve() }, promote };
}

it.each([2, 3] as const)(
  "a stock client follows a new primary, in version %i of the protocol",
  { timeout: 120_000 },
  async (protocol) => {
    const [one, two] = [await start(hosts[0]), await start(hosts[1], "--replicaof", hosts[0], "6379")];
    const { informers, promote } = caches();
    const stopping = new AbortController();
    const listening = Promise.withResolvers<{ readonly host: string; readonly port: number }>();
    const serving = serveSentinel(
      {
        informers,
        listen: { host: "127.0.0.1", port: 0 },
        logger: silentLogger,
        onListening: listening.resolve,
      },
      stopping.signal,
    );
    const client = new Redis({
      sentinels: [await listening.promise],
      name: "cache",
      failoverDetector: true,
      protocol,
      maxRetriesPerRequest: null,
    });
    client.on("error", () => undefined);
    try {
      await client.set("a", "1");
      expect(await one.get("a")).toBe("1");
      const moved = new Promise((resolve) => {
        client.once("close", resolve);
      });
      await two.replicaof("NO", "ONE");
      await one.replicaof(hosts[1], "6379");
      promote("cache-1");
      // It is told, and leaves a server that would still answer.
      await moved;
      await client.set("b", "2");
      expect(await two.get("b")).toBe("2");
      const reader = new Redis({
        sentinels: [await listening.promise],
        name: "default/cache",
        role: "slave",
        protocol,
      });
      reader.on("error", () => undefined);
      expect((await reader.info("server")).length).toBeGreaterThan(0);
      expect(reader.stream.remoteAddress).toBe(hosts[0]);
      reader.disconnect();
    } finally {
      client.disconnect();
      for (const each of [one, two]) each.disconnect();
      stopping.abort();
      await serving;
    }
  },
);
