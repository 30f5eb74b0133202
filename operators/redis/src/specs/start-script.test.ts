import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { heldExitCode, paths } from "../names.ts";
import { playPod, type PlayedPod } from "../testing/played-pod.ts";
import { startScript } from "./start-script.ts";

let pod: PlayedPod;

beforeEach(async () => {
  pod = await playPod();
  await pod.program("redis-server", 'echo "serves $*"');
  await pod.write(`${paths.config}/redis.conf`, "appendonly yes\n");
});
afterEach(() => pod[Symbol.asyncDispose]());

/** What a peer says of its keys. */
const info = (keys: number, loading = 0): string =>
  `printf '# Keyspace\\r\\n${keys === 0 ? "" : `db0:keys=${keys},expires=0\\r\\n`}\\r\\nloading:${loading}\\r\\n'`;
const silent = "echo 'Could not connect to Redis: Connection refused'; exit 1";

/** A client that answers for peers 1 and 2, and notes that it was asked. */
async function peers(first: string, second: string): Promise<void> {
  await pod.write(`${paths.peers}/replicas`, "3");
  await pod.program(
    "redis-cli",
    `while read -r line; do echo "$2 $line" >> ${paths.state}/asked; done
     case $2 in
       cache-1.cache-headless.shop.svc) ${first} ;;
       cache-2.cache-headless.shop.svc) ${second} ;;
     esac`,
  );
}

/** With nothing but its config. */
const isServing = /^serves \S+redis\.conf$/mu;

// Shells start many programs, and the machine may be busy.

async function startsServer(): Promise<boolean> {
  const { code, output } = await pod.run(startScript);
  return code === 0 && isServing.test(output);
}

describe("a primary without data", () => {
  it("starts at once when the instance is new", async () => {
    await peers(info(20), info(20));
    await pod.write(`${paths.peers}/initialized`, "false");
    expect(await startsServer()).toBe(true);
    expect(await pod.read(`${paths.state}/asked`)).toBe("");
  });

  it("starts at once when there is nobody to ask", async () => {
    await pod.write(`${paths.peers}/initialized`, "true");
    await pod.write(`${paths.peers}/replicas`, "1");
    expect(await startsServer()).toBe(true);
  });

  it("starts when all peers say that they have no keys", async () => {
    await peers(info(0), info(0));
    await pod.write(`${paths.peers}/initialized`, "true");
    expect(await startsServer()).toBe(true);
    expect(await pod.read(`${paths.state}/starting`)).toBe("");
  });

  it.each([
    ["one of them has keys", info(20), info(0), "cache-0 has no data, cache-1 has 20 keys"],
    ["one of them never answers", info(0), silent, "cache-2 has not answered."],
    ["one of them still loads", info(3, 1), info(0), "cache-1 has not answered"],
  ])("ends with a message when %s, then waits in place", async (_when, first, second, message) => {
    await peers(first, second);
    await pod.write(`${paths.peers}/initialized`, "true");
    const { code, output } = await pod.run(startScript);
    expect({ code, output }).toMatchObject({ code: heldExitCode });
    expect(output).toContain(message);
    expect(await pod.read(paths.terminationMessage)).toContain(message);
    expect(await pod.read(`${paths.state}/starting`)).toBe("yes\n");
    // The same again, until it is told what to do.
    await pod.program(
      "sleep",
      `echo x >> ${paths.state}/slept
       while read -r line; do n=$((\${n-0} + 1)); done < ${paths.state}/slept
       if [ $n = 9 ]; then echo discard > ${paths.state}/decision; fi
       exec /bin/sleep 0.2`,
    );
    const again = await pod.run(startScript);
    expect(again).toMatchObject({ code: 0 });
    expect(again.output).toContain(message);
    expect(again.output).toMatch(isServing);
    expect(await pod.read(`${paths.state}/asked`)).toContain(
      "cache-1.cache-headless.shop.svc REPLICAOF cache-0.cache-headless.shop.svc 6379\n",
    );
  });

  it("says in its log what it finds later, while it waits: the status names that log", async () => {
    const late = `if [ -s ${paths.state}/late ]; then ${info(30)}; else echo x > ${paths.state}/late; ${silent}; fi`;
    await peers(info(20), late);
    await pod.write(`${paths.peers}/initialized`, "true");
    await pod.write(`${paths.state}/held`, "yes\n");
    await pod.program(
      "sleep",
      `echo x >> ${paths.state}/slept
       while read -r line; do n=$((\${n-0} + 1)); done < ${paths.state}/slept
       if [ $n = 5 ]; then echo discard > ${paths.state}/decision; fi
       exec /bin/sleep 0.2`,
    );
    const { code, output } = await pod.run(startScript);
    expect(code).toBe(0);
    expect(output.split("\n").filter((line) => line.includes("has no data"))).toEqual([
      "cache-0 has no data, cache-1 has 20 keys, cache-2 has not answered.",
      "cache-0 has no data, cache-1 has 20 keys, cache-2 has 30 keys.",
    ]);
  });

  it("starts when peers that come up later have no keys", async () => {
    const late = `if [ -s ${paths.state}/late ]; then ${info(0)}; else echo x > ${paths.state}/late; ${silent}; fi`;
    await peers(info(0), late);
    await pod.write(`${paths.peers}/initialized`, "true");
    expect(await startsServer()).toBe(true);
  });

  it("takes the data of the peer that has most", async () => {
    await peers(info(20), info(30));
    await pod.write(`${paths.peers}/initialized`, "true");
    await pod.write(`${paths.state}/held`, "yes\n");
    await pod.write(`${paths.state}/decision`, "restore\n");
    await pod.program(
      "redis-server",
      `echo "serves $*"
       case "$*" in
         *replicaof*) while [ ! -e ${paths.state}/saved ]; do /bin/sleep 0.1; done ;;
         *unixsocket*) while [ ! -e ${paths.state}/converted ]; do /bin/sleep 0.1; done ;;
       esac`,
    );
    await pod.program(
      "redis-cli",
      `asked=$*
       if [ "$1" = -h ] && [ $# = 2 ]; then while read -r line; do asked="$asked $line"; done; fi
       echo "$asked" >> ${paths.state}/asked
       case $asked in
         *cache-1*"INFO keyspace"*) ${info(20)} ;;
         *cache-2*"INFO keyspace"*) ${info(30)} ;;
         *"REPLICAOF"*) ${info(0)} ;;
         *"info replication"*) echo master_link_status:up ;;
         *"shutdown save"*) echo snapshot > ${paths.data}/dump.rdb; echo x > ${paths.state}/saved ;;
         *ping) echo PONG ;;
         *"config set"*) echo file > ${paths.data}/appendonly.aof; echo OK ;;
         *"shutdown nosave"*) echo x > ${paths.state}/converted ;;
       esac`,
    );
    const { code, output } = await pod.run(startScript);
    expect({ code, output }).toMatchObject({ code: 0 });
    const asked = await pod.read(`${paths.state}/asked`);
    expect(asked).toContain("-h cache-2.cache-headless.shop.svc replicaof no one\n");
    expect(asked).not.toContain("-h cache-1.cache-headless.shop.svc replicaof no one\n");
    expect(asked).toContain(
      "-h cache-2.cache-headless.shop.svc REPLICAOF cache-0.cache-headless.shop.svc 6379 INFO persistence\n",
    );
    expect(output).toContain("--replicaof cache-2.cache-headless.shop.svc 6379");
    expect(output).toMatch(isServing);
  });
});

describe("a primary with a snapshot of no keys", () => {
  beforeEach(async () => {
    await pod.write(`${paths.config}/redis.conf`, "appendonly no\n");
    await pod.write(`${paths.data}/dump.rdb`, "small");
    await pod.write(`${paths.peers}/initialized`, "true");
    await pod.write(`${paths.peers}/replicas`, "2");
    await pod.program(
      "redis-server",
      `echo "serves $*"
       case "$*" in *unixsocket*) while [ ! -e ${paths.state}/stopped ]; do /bin/sleep 0.1; done ;; esac`,
    );
  });

  it.each([
    ["is held when a peer has some", 0, 20, heldExitCode],
    ["starts when it has some after all", 3, 20, 0],
    ["starts when no peer has any", 0, 0, 0],
  ])("%s", async (_what, own, theirs, expected) => {
    await pod.program(
      "redis-cli",
      `case "$*" in
         *shutdown*) echo x > ${paths.state}/stopped ;;
         -s*) ${info(own)} ;;
         -h*) ${info(theirs)} ;;
       esac`,
    );
    const { code, output } = await pod.run(startScript);
    expect({ code, output }).toMatchObject({ code: expected });
    expect(isServing.test(output)).toBe(expected === 0);
  });

  it("starts at once when there is nobody to ask", async () => {
    await pod.write(`${paths.peers}/replicas`, "1");
    expect(await startsServer()).toBe(true);
  });
});

describe("a primary whose config has turned the append-only file on", () => {
  it("makes one of the snapshot when it has read all of it", async () => {
    await pod.write(`${paths.config}/redis.conf`, "appendonly yes\n");
    await pod.write(`${paths.data}/dump.rdb`, "data".repeat(300));
    await pod.program(
      "redis-server",
      `echo "serves $*"
       case "$*" in *unixsocket*) while [ ! -e ${paths.state}/stopped ]; do /bin/sleep 0.1; done ;; esac`,
    );
    await pod.program(
      "redis-cli",
      `case "$*" in
         *ping) if [ -e ${paths.state}/read ]; then echo PONG; else echo x > ${paths.state}/read; echo LOADING; fi ;;
         *"config set"*) /bin/cat ${paths.state}/read > ${paths.data}/appendonly.aof; echo OK ;;
         *"shutdown nosave") echo x > ${paths.state}/stopped ;;
       esac`,
    );
    const { code, output } = await pod.run(startScript);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).not.toContain("No such file");
    expect(output).toMatch(isServing);
    expect(await pod.read(`${paths.data}/appendonly.aof`)).toBe("x\n");
  });
});

describe("a primary whose config has turned the append-only file off", () => {
  it("makes a snapshot of it, and takes it away", async () => {
    await pod.write(`${paths.config}/redis.conf`, "appendonly no\n");
    await pod.write(`${paths.data}/dump.rdb`, "older");
    await pod.write(`${paths.data}/appendonlydir/appendonly.aof.manifest`, "newer");
    await pod.write(`${paths.data}/appendonlydir/appendonly.aof.1.base.rdb`, "newer");
    await pod.program(
      "redis-server",
      `echo "serves $*"
       case "$*" in *unixsocket*) while [ ! -e ${paths.state}/stopped ]; do /bin/sleep 0.1; done ;; esac`,
    );
    await pod.program(
      "redis-cli",
      `case "$*" in
         *ping) echo PONG ;;
         *"shutdown save") echo newer > ${paths.data}/dump.rdb; echo x > ${paths.state}/stopped ;;
       esac`,
    );
    const { code, output } = await pod.run(startScript);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain("--appendonly yes");
    expect(output).toMatch(isServing);
    expect(await pod.read(`${paths.data}/dump.rdb`)).toBe("newer\n");
    expect(await pod.read(`${paths.data}/appendonlydir/appendonly.aof.manifest`)).toBe("");
  });

  it("does not start, and keeps the file, when that fails", async () => {
    await pod.write(`${paths.config}/redis.conf`, "appendonly no\n");
    await pod.write(`${paths.data}/appendonly.aof`, "damaged");
    await pod.program("redis-server", "exit 1");
    expect(await pod.run(startScript)).toMatchObject({ code: 1 });
    expect(await pod.read(`${paths.data}/appendonly.aof`)).toBe("damaged");
  });
});

describe("a server", () => {
  it.each([
    ["an append-only file", "appendonly yes", "appendonlydir/appendonly.aof.manifest"],
    ["the file of an older version", "appendonly yes", "appendonly.aof"],
    ["a snapshot", "appendonly no", "dump.rdb"],
    ["a file of another name", 'appendonly no\ndbfilename "my.rdb"', "my.rdb"],
  ])("with %s starts at once", async (_what, config, file) => {
    await peers(info(20), info(20));
    await pod.write(`${paths.peers}/initialized`, "true");
    await pod.write(`${paths.config}/redis.conf`, config);
    await pod.write(`${paths.data}/${file}`, "data".repeat(300));
    expect(await startsServer()).toBe(true);
    expect(await pod.read(`${paths.state}/asked`)).toBe("");
  });

  it.each(["temp-1.rdb", "other.rdb", "lost+found/x"])("with nothing but %s has no data", async (file) => {
    await peers(info(20), info(20));
    await pod.write(`${paths.peers}/initialized`, "true");
    await pod.write(`${paths.data}/${file}`, "data");
    expect((await pod.run(startScript)).code).toBe(heldExitCode);
  });

  it("that is a replica starts at once", async () => {
    await using replica = await playPod(1);
    await replica.program("redis-server", 'echo "serves $*"');
    await replica.write(`${paths.config}/redis.conf`, "appendonly yes\n");
    await replica.write(`${paths.peers}/replicas`, "3");
    await replica.write(`${paths.peers}/initialized`, "true");
    expect((await replica.run(startScript)).output).toContain("serves ");
  });

  it("of a Valkey image is valkey-server", async () => {
    await using other = await playPod();
    await other.program("valkey-server", 'echo "valkey $*"');
    await other.write(`${paths.config}/redis.conf`, "");
    expect((await other.run(startScript)).output).toMatch(/^valkey \S+redis\.conf\n$/u);
  });

  it("that the image does not have is missed by name", async () => {
    await using empty = await playPod();
    expect(await empty.run(startScript)).toEqual({
      code: 127,
      output: "The image has neither redis-server nor valkey-server on its PATH.\n",
    });
  });

  it("lets nobody else read what it writes", async () => {
    await pod.program("redis-server", "umask");
    expect((await pod.run(startScript)).output).toBe("0077\n");
  });
});
