import { findCondition, realClock } from "@kedge/machinery";
import { Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { Redis } from "ioredis";
import { beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { askRole, waitInSync } from "./testing/roles.ts";
import { until } from "./testing/until.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import type { Subject } from "./subjects/subject.ts";

const at = { namespace: "default", name: "cache" };

/** What so many clients have seen. */
interface Clients extends AsyncDisposable {
  readonly count: { commands: number; logins: number };
  readonly failures: string[];
}

/** Clients of a stock library: each goes on over one connection for a while, then reads the Secret and connects anew. */
function useAlways(cluster: TestCluster, instance: Subject, many: number): Clients {
  const stopping = new AbortController();
  const count = { commands: 0, logins: 0 };
  const failures: string[] = [];
  let secret: Promise<string> | undefined;
  // One read for all that ask at the same moment: the API server is not what is tested.
  const password = async (): Promise<string> => {
    secret ??= passwordIn(cluster, "cache-auth").finally(() => {
      secret = undefined;
    });
    return await secret;
  };
  const run = async (number: number): Promise<void> => {
    const { host, port } = await instance.route();
    while (!stopping.signal.aborted) {
      const client = new Redis({ host, port, password: await password(), retryStrategy: null });
      client.on("error", (error) => failures.push(String(error)));
      count.logins++;
      for (let turn = 0; turn < 20 && !stopping.signal.aborted; turn++) {
        try {
          await client.set(`client-${number}`, String(turn));
          count.commands++;
        } catch (error) {
          failures.push(String(error));
        }
        await realClock.sleep(50);
      }
      client.disconnect();
    }
  };
  const running = Promise.all(Array.from({ length: many }, (_none, number) => run(number)));
  return {
    count,
    failures,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

async function passwordIn({ client }: TestCluster, name: string): Promise<string> {
  const { data } = await client.of(Secret).get({ ...at, name });
  return Buffer.from(data?.["password"] ?? "", "base64").toString();
}

async function logIn(instance: Subject, username: string, password: string): Promise<string> {
  const { host, port } = await instance.route();
  const client = new Redis({ host, port, username, password, retryStrategy: null, lazyConnect: true });
  let why = "";
  client.on("error", (error) => (why = String(error)));
  try {
    await client.connect();
    return await client.ping();
  } catch (error) {
    return why === "" ? String(error) : why;
  } finally {
    client.disconnect();
  }
}

// The tests follow each other: each goes on with the instance as the one before has left it.
describe("passwords and users of a RedisInstance", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  let instance: Subject;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    instance = await makeInstance(cluster, "cache", { replicas: 2, auth: { oldPasswordSeconds: 10 } });
    return () => cluster[Symbol.asyncDispose]();
  });

  const restarts = async (): Promise<readonly string[]> =>
    (await instance.servers()).map(({ pod, address }) => `${pod} ${address.host}`);

  it("change under 100 clients, and no command fails", async ({ annotate }) => {
    const before = await restarts();
    const first = await passwordIn(cluster, "cache-auth");
    const clients = useAlways(cluster, instance, 100);
    {
      await using _using = clients;
      await until("all clients work", () => clients.count.commands > 500);
      const { code, stderr } = await cluster.cli("redis", "rotate-password", "cache");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const second = await passwordIn(cluster, "cache-auth");
      expect(second).not.toBe(first);
      await until("the old one is refused", async () =>
        (await logIn(instance, "default", first)).includes("WRONGPASS"),
      );
      await annotate(`${clients.count.commands} commands, ${clients.count.logins} logins`, "count");
    }
    expect(clients.failures).toEqual([]);
    expect(await restarts()).toEqual(before);
  });

  it("change to what the user's Secret says, at once", async () => {
    const old = await passwordIn(cluster, "cache-auth");
    const data = { password: Buffer.from("third one, with a blank").toString("base64") };
    await cluster.client.of(Secret).patch({ ...at, name: "cache-auth" }, { merge: { data } });
    await until("the binding has it", async () => {
      return (await passwordIn(cluster, "cache-binding")) === "third one, with a blank";
    });
    expect(await logIn(instance, "default", "third one, with a blank")).toBe("PONG");
    expect(await logIn(instance, "default", old)).toBe("PONG");
  });

  it("of the system change, and replicas and the operator go on", async () => {
    const { code, stderr } = await cluster.cli("redis", "rotate-password", "cache", "--system");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const password = await passwordIn(cluster, "cache-auth");
    const servers = async () =>
      (await instance.servers()).map((server) => ({
        ...server,
        address: { ...server.address, password },
      }));
    await waitInSync(servers, { count: 2 });
    // The pod's own scripts see the new ones, sooner or later, and both work until then.
    const said = await cluster.cli("redis", "cli", "cache", "--", "acl", "whoami");
    expect(said.stdout.trim()).toBe("kedge-cli");
    const { code: switched } = await cluster.cli("redis", "switchover", "cache");
    expect(switched).toBe(0);
    await waitInSync(servers, { count: 2 });
    for (const server of await servers()) expect((await askRole(server))["role"]).toMatch(/master|slave/u);
  });

  /** Ends the server of a pod, and gives when it is ready again, in milliseconds. */
  const restart = async (pod: string): Promise<number> => {
    const password = await passwordIn(cluster, "cache-auth");
    const server = (await instance.servers()).find((one) => one.pod === pod);
    const pods = cluster.client.of(Pod);
    const look = async () => (await pods.get({ ...at, name: pod })).status?.containerStatuses?.[0];
    const before = (await look())?.restartCount ?? 0;
    const begun = realClock.monotonic();
    const client = new Redis({ host: server?.address.host ?? "", password, retryStrategy: null });
    client.on("error", () => undefined);
    await client.call("SHUTDOWN", "NOSAVE").catch(() => undefined);
    await until(`${pod} is ready again`, async () => {
      const { restartCount = 0, ready } = (await look()) ?? {};
      return restartCount > before && ready === true;
    });
    return Math.round(realClock.monotonic() - begun);
  };

  const readySince = async (): Promise<readonly (readonly (string | undefined)[])[]> => {
    const labelSelector = "redis.github.com/instance=cache";
    const { items } = await cluster.client.of(Pod).list({ namespace: at.namespace, labelSelector }).all();
    return items.map(({ metadata, status }) => [
      metadata.name,
      findCondition(status?.conditions, "Ready")?.status,
      findCondition(status?.conditions, "Ready")?.lastTransitionTime,
    ]);
  };

  const isWhole = async (): Promise<boolean> => {
    const { status } = await cluster.client.of(RedisInstance).get(at);
    return status?.status === "Running" && status.readyReplicas === "2/2";
  };

  it("of the system change again, and a server that starts before its pod has seen that comes back at once", async ({
    annotate,
  }) => {
    const { code } = await cluster.cli("redis", "rotate-password", "cache", "--system");
    expect(code).toBe(0);
    await annotate(`replica ${await restart("cache-1")} ms, primary ${await restart("cache-0")} ms`, "ready");
    await until("all of it runs", isWhole);
  });

  it("of the system are made again when their Secret is deleted, and no pod is unready for it", async ({
    annotate,
  }) => {
    const [before, name] = [await readySince(), "cache.system"];
    const { metadata } = await cluster.client.of(Secret).get({ ...at, name });
    await cluster.client.of(Secret).delete({ ...at, name });
    const probe = await until("there is another one", async () => {
      const made = await cluster.client.of(Secret).get({ ...at, name });
      return made.metadata.uid === metadata.uid ? undefined : made.data?.["probe"];
    });
    const password = Buffer.from(probe, "base64").toString();
    await until("both servers know it", async () => {
      const all = await Promise.all(
        (await instance.servers()).map(({ address }) =>
          logIn({ ...instance, route: () => Promise.resolve(address) }, "kedge-probe", password),
        ),
      );
      return all.every((said) => said === "PONG");
    });
    await annotate(`replica ${await restart("cache-1")} ms`, "ready");
    await until("all of it runs", isWhole);
    expect((await readySince()).filter(([pod]) => pod === "cache-0")).toEqual(
      before.filter(([pod]) => pod === "cache-0"),
    );
  });

  it("of the spec may do what they may, and no more; a rule that the server does not know is refused", async () => {
    const data = { password: Buffer.from("app's own").toString("base64") };
    await cluster.client.of(Secret).create({ metadata: { ...at, name: "app" }, data });
    const app = {
      name: "app",
      commands: ["+@read", "+@write", "-@dangerous", "+ping"],
      keys: ["app:*"],
      passwords: [{ secret: "app" }],
    };
    const change = (users: readonly object[]) =>
      cluster.client.of(RedisInstance).patch(at, { merge: { spec: { users } } });
    await change([app]);
    await until("app can log in", async () => (await logIn(instance, "app", "app's own")) === "PONG");
    const { host, port } = await instance.route();
    const client = new Redis({ host, port, username: "app", password: "app's own", retryStrategy: null });
    client.on("error", () => undefined);
    try {
      expect(await client.set("app:one", "1")).toBe("OK");
      await expect(client.set("other", "1")).rejects.toThrow("NOPERM");
      await expect(client.flushall()).rejects.toThrow("NOPERM");
      await change([{ ...app, commands: ["+@nonsense"] }]);
      await until("the server's words are told", async () => {
        const { status } = await cluster.client.of(RedisInstance).get(at);
        return status?.lastConditionMessage?.includes("Unknown command or category name in ACL");
      });
      expect(await client.get("app:one")).toBe("1");
      const closed = new Promise((resolve) => {
        client.once("close", resolve);
      });
      await change([{ ...app, enabled: false }]);
      await closed;
      expect(await logIn(instance, "app", "app's own")).toContain("WRONGPASS");
    } finally {
      client.disconnect();
    }
  });

  it("of the spec are not brought back by the volumes of an instance that was; those that were made by hand are", async () => {
    const { pod, address } = await instance.primary();
    const password = await passwordIn(cluster, "cache-auth");
    const client = new Redis({ ...address, password, retryStrategy: null });
    client.on("error", () => undefined);
    const names = async (of: Redis): Promise<readonly unknown[]> =>
      (await of.call("ACL", "USERS")) as unknown[];
    await client.call("ACL", "SETUSER", "by-hand", "on", ">by-hand", "+ping");
    await client.call("ACL", "SAVE");
    expect(await names(client)).toEqual(expect.arrayContaining(["app", "by-hand"]));
    client.disconnect();
    const instances = cluster.client.of(RedisInstance);
    await instances.delete(at);
    await until("it is gone", async () => {
      const { items } = await instances.list({ namespace: at.namespace }).all();
      return items.length === 0;
    });
    instance = await makeInstance(cluster, "cache", { replicas: 2 });
    for (const server of await instance.servers()) {
      const again = new Redis({ ...server.address, retryStrategy: null });
      again.on("error", () => undefined);
      const found = await names(again);
      again.disconnect();
      expect([server.pod, found.includes("app"), found.includes("by-hand")]).toEqual([
        server.pod,
        false,
        server.pod === pod,
      ]);
    }
  });
});
