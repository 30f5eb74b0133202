import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { paths } from "../names.ts";
import { playPod, type PlayedPod } from "../testing/played-pod.ts";
import { livenessScript, readinessScript } from "./probe-scripts.ts";

let pod: PlayedPod;

beforeEach(async () => {
  pod = await playPod(1);
});
afterEach(() => pod[Symbol.asyncDispose]());

const host = "cache-0.cache-headless.shop.svc";

interface Server {
  readonly ping?: string;
  readonly role: "master" | "slave";
  readonly link?: "up" | "down";
  readonly keys?: number;
  /** What the primary says to a PING. */
  readonly primary?: string;
}

/** A client that answers as the server would. */
async function server({ ping = "PONG", role, link = "down", keys = 0, primary = "" }: Server): Promise<void> {
  const replication = `role:${role}\\r\\nmaster_host:${host}\\r\\nmaster_link_status:${link}\\r\\nmaster_sync_in_progress:0\\r\\n`;
  await pod.program(
    "redis-cli",
    `if [ "$1" = --user ]; then shift 2; fi
     if [ "$1" = -h ]; then
       if [ "$2" != ${host} ]; then echo "PONG from $2"; exit; fi
       printf '%s\\n' '${primary}'
       exit
     fi
     if [ "$1" = ping ]; then echo '${ping}'; exit; fi
     while read -r command; do
       case $command in
         PING) echo '${ping}' ;;
         "INFO replication") printf '${replication}' ;;
         "INFO keyspace") printf '# Keyspace\\r\\n${keys === 0 ? "" : `db0:keys=${keys}\\r\\n`}' ;;
       esac
     done`,
  );
}

// Shells start many programs, and the machine may be busy.
const isReady = async (): Promise<boolean> => (await pod.run(readinessScript)).code === 0;
const refused = "Could not connect to Redis: Connection refused";

describe("ready", () => {
  it.each<[string, boolean, Server]>([
    ["a primary that answers", true, { role: "master" }],
    [
      "a primary that loads",
      false,
      { role: "master", ping: "LOADING Redis is loading the dataset in memory" },
    ],
    ["nothing that does not answer", false, { role: "master", ping: refused }],
    ["a replica that is in sync", true, { role: "slave", link: "up" }],
    ["no replica without data whose primary is away", false, { role: "slave", primary: refused }],
    ["a replica with data whose primary is away", true, { role: "slave", keys: 2, primary: refused }],
    ["one whose primary says nothing", true, { role: "slave", keys: 2 }],
    ["no replica out of sync whose primary is there", false, { role: "slave", keys: 2, primary: "PONG" }],
    [
      "no replica that its primary does not let in",
      false,
      { role: "slave", keys: 2, primary: "NOAUTH Authentication required." },
    ],
  ])("is %s", async (_what, expected, played) => {
    await server(played);
    expect(await isReady()).toBe(expected);
  });

  it("is a replica that was in sync, until its server is restarted", async () => {
    await server({ role: "slave", link: "up" });
    expect(await isReady()).toBe(true);
    await server({ role: "slave", link: "down", primary: "PONG" });
    expect(await isReady()).toBe(true);
    await pod.write(`${paths.state}/synced`, "");
    expect(await isReady()).toBe(false);
  });

  it.each<[Server["role"], "up" | "down"]>([
    ["master", "down"],
    ["slave", "up"],
  ])("is a %s that was when it let us in, until it is restarted", async (role, link) => {
    const shut = { ping: "AUTH failed: WRONGPASS invalid username-password pair", role } as const;
    await server(shut);
    expect(await isReady()).toBe(false);
    await server({ role, link });
    expect(await isReady()).toBe(true);
    await server(shut);
    expect(await isReady()).toBe(true);
    await pod.write(`${paths.state}/ready`, "");
    expect(await isReady()).toBe(false);
  });

  it("is no server that was not started", async () => {
    await server({ role: "master" });
    await pod.write(`${paths.state}/starting`, "yes\n");
    expect(await isReady()).toBe(false);
  });
});

describe("alive", () => {
  const isAlive = async (): Promise<boolean> => (await pod.run(livenessScript)).code === 0;

  it("is what answers anything, with the client that the image has", async () => {
    await pod.program("valkey-cli", 'echo "LOADING"');
    expect(await isAlive()).toBe(true);
    await pod.program("valkey-cli", "exit 1");
    expect(await isAlive()).toBe(false);
  });

  it("is a server that waits to be started", async () => {
    await pod.write(`${paths.state}/starting`, "yes\n");
    expect(await isAlive()).toBe(true);
  });

  it("is asked as the user that only looks, with the password of the file", async () => {
    await pod.write(`${paths.system}/probe`, " s3 cr$t'\n");
    await pod.program("redis-cli", `[ "$2 $REDISCLI_AUTH" = "kedge-probe  s3 cr\\$t'" ]`);
    expect(await isAlive()).toBe(true);
  });
});
