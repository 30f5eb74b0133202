import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newContent, nextContent, usersText } from "@kedge/redis-operator/credentials";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realServers, type RealServer } from "../redis-directives/real-servers.ts";
import { freePort } from "../testing/free-port.ts";

const content = nextContent(newContent("key"), { clients: undefined, users: {}, graceMs: 0 }, 0);

/** What each user of the system may do, and what it may not: some commands that could hurt. */
const rights: Readonly<
  Record<string, { readonly may: readonly string[]; readonly mayNot: readonly string[] }>
> = {
  "kedge-probe": {
    may: ["PING", "INFO", "ROLE", "ACL USERS"],
    mayNot: [
      "GET a",
      "SET a 1",
      "KEYS *",
      "CONFIG GET *",
      "ACL LIST",
      "REPLICAOF NO ONE",
      "CLIENT LIST",
      "SHUTDOWN",
      "EVAL return(1) 0",
    ],
  },
  "kedge-replication": {
    may: ["PING", "REPLCONF listening-port 1"],
    mayNot: [
      "GET a",
      "SET a 1",
      "INFO",
      "ACL USERS",
      "CONFIG GET *",
      "REPLICAOF NO ONE",
      "FLUSHALL",
      "SHUTDOWN",
    ],
  },
  "kedge-exporter": {
    may: ["PING", "INFO", "SLOWLOG LEN", "LATENCY LATEST", "CLIENT SETNAME redis_exporter"],
    // Nothing that tells a password, or anything of what clients have and do.
    mayNot: [
      "CONFIG GET masterauth",
      "CONFIG GET *",
      "CONFIG REWRITE",
      "ACL GETUSER default",
      "ACL LOG",
      "ACL SAVE",
      "DEBUG OBJECT a",
      "DUMP a",
      "RESTORE a 0 x",
      "EVAL return(1) 0",
      "SCRIPT LOAD return(1)",
      "MONITOR",
      "SLOWLOG GET",
      "CLIENT LIST",
      "MEMORY USAGE a",
      "SCAN 0",
      "RANDOMKEY",
      "OBJECT ENCODING a",
      "SUBSCRIBE c",
      "PSYNC ? -1",
      "SYNC",
      "MODULE LIST",
      "FUNCTION DUMP",
      "GET a",
      "SET a 1",
      "KEYS *",
      "CONFIG SET maxmemory 1",
      "ACL LIST",
      "REPLICAOF NO ONE",
      "FLUSHALL",
      "SHUTDOWN",
      "CLIENT KILL TYPE normal",
    ],
  },
  "kedge-start": {
    may: [
      "PING",
      "INFO",
      "ROLE",
      "ACL USERS",
      "ACL SETUSER somebody off",
      "CONFIG GET maxmemory",
      "CLIENT PAUSE 0",
      "REPLICAOF NO ONE",
    ],
    mayNot: [
      "GET a",
      "SET a 1",
      "KEYS *",
      "FLUSHALL",
      "EVAL return(1) 0",
      "MONITOR",
      "DEBUG SLEEP 0",
      "MODULE LIST",
      "PUBLISH c m",
    ],
  },
  "kedge-cli": { may: ["PING", "SET a 1", "GET a", "INFO", "FLUSHALL", "CONFIG GET maxmemory"], mayNot: [] },
};

let folder = "";
let servers: readonly RealServer[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-users-"));
  servers = await realServers();
}, 240_000);
afterAll(() => rm(folder, { recursive: true }));

/** A server with the users that the operator gives every server. */
async function startServer(index: number): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const [program = "", ...first] = servers[index]?.server ?? [];
  const port = await freePort();
  const acl = join(folder, `users-${index}.acl`);
  // Passwords are hashes in it: here everybody may be anybody.
  await writeFile(acl, usersText(content.state).replaceAll(/#[0-9a-f]{64}/gu, "nopass"));
  const flags = [
    "--bind",
    "127.0.0.1",
    "--port",
    String(port),
    "--save",
    "",
    "--dir",
    folder,
    "--aclfile",
    acl,
  ];
  const child = spawn(program, [...first, ...flags], { stdio: "ignore" });
  child.on("error", () => undefined);
  const ended = once(child, "exit");
  return {
    port,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe("the system's users", () => {
  it.for([0, 1, 2, 3])(
    "may do what they are for, and nothing else, on server %i",
    { timeout: 120_000 },
    async (index, { annotate }) => {
      await annotate(`${servers[index]?.program} ${servers[index]?.version}`);
      const server = await startServer(index);
      try {
        for (const [username, { may, mayNot }] of Object.entries(rights)) {
          const client = new Redis({
            port: server.port,
            host: "127.0.0.1",
            username,
            password: "any",
            maxRetriesPerRequest: null,
            enableReadyCheck: false,
          });
          client.on("error", () => undefined);
          const say = async (text: string): Promise<string> => {
            const [command = "", ...args] = text.split(" ");
            return await client.call(command, ...args).then(
              () => "done",
              (error: unknown) => (/NOPERM|not allowed/u.test(String(error)) ? "refused" : "done"),
            );
          };
          for (const command of may)
            expect([username, command, await say(command)]).toEqual([username, command, "done"]);
          for (const command of mayNot)
            expect([username, command, await say(command)]).toEqual([username, command, "refused"]);
          client.disconnect();
        }
      } finally {
        await server.stop();
      }
    },
  );
});
