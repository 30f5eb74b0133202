import { realClock } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
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
});
