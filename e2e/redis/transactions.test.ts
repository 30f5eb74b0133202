import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, realClock } from "@kedge/machinery";
import { createEngine, transact, type Command, type RedisServer } from "@kedge/redis-operator/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realServers, type RealServer } from "../redis-directives/real-servers.ts";
import { freePort } from "../testing/free-port.ts";
import { until } from "./testing/until.ts";

let folder = "";
let servers: readonly RealServer[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-transactions-"));
  servers = await realServers();
}, 240_000);
afterAll(() => rm(folder, { recursive: true }));

const engine = createEngine({ clock: realClock });

interface Running extends AsyncDisposable {
  readonly port: number;
  readonly child: ChildProcess;
  readonly server: RedisServer;
  say(...command: Command): Promise<string>;
}

/** A real server in memory alone. */
async function start(index: number, ...more: readonly string[]): Promise<Running> {
  const [program = "", ...first] = servers[index]?.server ?? [];
  const port = await freePort();
  const flags = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--dir", folder, ...more];
  const child = spawn(program, [...first, ...flags], { stdio: "ignore" });
  child.on("error", () => undefined);
  const ended = once(child, "exit");
  const server = engine.server({ host: "127.0.0.1", port });
  const say = async (...command: Command): Promise<string> => {
    const [reply = null] = await server.call([command]);
    return String(reply);
  };
  const running: Running = {
    port,
    child,
    server,
    say,
    async [Symbol.asyncDispose]() {
      server[Symbol.dispose]();
      child.kill("SIGKILL");
      await ended;
    },
  };
  await until("the server answers", async () => (await say("PING").catch(() => "")) === "PONG");
  return running;
}

describe.for([0, 1, 2, 3])("commands that are given at once, on server %i", { timeout: 120_000 }, (index) => {
  it("are not undone when one fails, so that nothing says that all are done", async ({ annotate }) => {
    await annotate(`${servers[index]?.program} ${servers[index]?.version}`);
    await using one = await start(index);
    const commands = [
      ["ACL", "SETUSER", "before", "on"],
      ["ACL", "SETUSER", "wrong", "+nonsense"],
      ["ACL", "SETUSER", "after", "on"],
    ];
    const seal = [["ACL", "SETUSER", "marker", "off"]];
    await expect(transact(one.server, commands, seal)).rejects.toThrow(/nonsense/u);
    expect(await one.say("ACL", "USERS")).toBe("after,before,default");
    await transact(one.server, commands.toSpliced(1, 1), seal);
    expect(await one.say("ACL", "USERS")).toBe("after,before,default,marker");
    // What the server would not even queue is not carried out at all.
    await expect(transact(one.server, [["ACL", "DELUSER", "after"], ["NONSENSE"]])).rejects.toThrow(
      /EXECABORT|unknown/u,
    );
    expect(await one.say("ACL", "USERS")).toContain("after");
    // Where there is no file, and no FAILOVER, there is nothing to save and to abort.
    await transact(
      one.server,
      [
        ["ACL", "SAVE"],
        ["FAILOVER", "ABORT"],
        ["REPLICAOF", "NO", "ONE"],
      ],
      seal,
    );
  });

  it("give a primary another role in the middle of a FAILOVER that leads nowhere", async () => {
    await using primary = await start(index);
    await using replica = await start(index, "--replicaof", "127.0.0.1", String(primary.port));
    const online = async (): Promise<boolean> =>
      (await primary.say("INFO", "replication")).includes("state=online");
    await until("the replica follows", online);
    replica.child.kill("SIGSTOP");
    const target = ["TO", "127.0.0.1", String(replica.port)];
    expect(await primary.say("FAILOVER", ...target, "FORCE", "TIMEOUT", "1")).toBe("OK");
    await until("it is under way", async () =>
      (await primary.say("INFO", "replication")).includes("master_failover_state:failover-in-progress"),
    );
    const another = ["REPLICAOF", "127.0.0.1", "1"];
    const refused = await transact(primary.server, [another]).then(() => "taken", messageOf);
    expect(refused).toContain("not allowed while failing over");
    await transact(primary.server, [["FAILOVER", "ABORT"], another]);
    expect(await primary.say("ROLE")).toContain("slave,127.0.0.1,1,");
  });
});
