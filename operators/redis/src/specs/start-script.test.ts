import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { paths } from "../names.ts";
import { playPod, type PlayedPod } from "../testing/played-pod.ts";
import { startScript } from "./start-script.ts";

let pod: PlayedPod;

beforeEach(async () => {
  pod = await playPod();
  await prepare(pod);
});
afterEach(() => pod[Symbol.asyncDispose]());

async function prepare(played: PlayedPod): Promise<void> {
  await played.program("redis-server", 'echo "serves $*"');
  await played.write(`${paths.config}/redis.conf`, "appendonly yes\n");
  await played.write(paths.systemUsers, "user default on nopass\nuser kedge-start on #hash\n");
}

/** With nothing but its config. */
const isServing = /^serves \S+redis\.conf$/mu;
const isHeld = /^serves \S+redis\.conf --replicaof 127\.0\.0\.1 1$/mu;

/** What the operator says of the instance. */
async function tell(
  played: PlayedPod,
  peers: { replicas: number; wanted?: number; initialized: boolean },
): Promise<void> {
  await played.write(`${paths.peers}/replicas`, String(peers.replicas));
  await played.write(`${paths.peers}/wanted`, String(peers.wanted ?? peers.replicas));
  await played.write(`${paths.peers}/initialized`, String(peers.initialized));
}

const aof = `${paths.data}/appendonlydir/appendonly.aof.manifest`;

it("has no two dollars in a row, of which Kubernetes makes one", () => {
  expect(startScript).not.toContain("$$");
});

describe("what a server begins as", () => {
  it("is the primary, when it is the first of a new instance, and that is written down", async () => {
    await tell(pod, { replicas: 3, initialized: false });
    expect((await pod.run(startScript)).output).toMatch(isServing);
    expect(await pod.read(paths.users)).toBe(
      "user default on nopass\nuser kedge-start on #hash\nuser kedge-primary-1 off\n",
    );
    expect(await pod.read(`${paths.state}/starting`)).toBe("");
  });

  it("is a replica of the first, when it is another one", async () => {
    await using other = await playPod(1);
    await prepare(other);
    await tell(other, { replicas: 3, initialized: false });
    expect((await other.run(startScript)).output).toMatch(
      /^serves \S+redis\.conf --replicaof cache-0\.cache-headless\.shop\.svc 6379$/mu,
    );
  });

  it("has what was set in servers with its config while they ran", async () => {
    await tell(pod, { replicas: 1, initialized: true });
    await pod.write(`${paths.peers}/live-0123456789.conf`, 'hz "50"\n');
    expect((await pod.run(startScript)).output).toMatch(
      /^serves \S+redis\.conf --include \S+\/live-0123456789\.conf$/mu,
    );
  });

  it.each([
    ["there is nobody to ask", { replicas: 1, initialized: true }, ""],
    ["others were scaled away, and it has data", { replicas: 3, wanted: 1, initialized: true }, "data"],
  ])("is the primary when %s", async (_when, peers, data) => {
    await tell(pod, peers);
    if (data !== "") await pod.write(aof, data);
    expect((await pod.run(startScript)).output).toMatch(isServing);
  });

  it.each([
    ["there may be data", { replicas: 3, initialized: true }, ""],
    ["it has data of its own", { replicas: 3, initialized: false }, "data"],
    [
      "others were scaled away, and may have what it has not",
      { replicas: 3, wanted: 1, initialized: true },
      "",
    ],
  ])("is held when %s", async (_when, peers, data) => {
    await tell(pod, peers);
    if (data !== "") await pod.write(aof, data);
    expect((await pod.run(startScript)).output).toMatch(isHeld);
  });

  it("keeps the users that it was given, and takes the system's as they are now", async () => {
    await tell(pod, { replicas: 3, initialized: true });
    const given = "user app on #a ~* +@all\nuser kedge-operator-4 on #b\nuser kedge-replica-4 off\n";
    await pod.write(paths.users, `user default on #old\nuser kedge-start on #old\n${given}`);
    await pod.run(startScript);
    expect(await pod.read(paths.users)).toBe(`user default on nopass\nuser kedge-start on #hash\n${given}`);
  });
});

describe("a server that is held", () => {
  interface Peer {
    /** After how many rounds the server ends by itself. */
    readonly rounds?: number;
    readonly users?: string;
    readonly role?: string;
    readonly keys?: number;
    readonly id?: string;
    readonly offset?: number;
  }

  const answer = ({ users = "default", role = "slave", keys = 5, id = "a", offset = 10 }: Peer): string =>
    `printf '${users.split(" ").join("\\n")}\\nrole:${role}\\r\\nmaster_replid:${id}\\r\\nmaster_repl_offset:${offset}\\r\\n${
      keys === 0 ? "" : `db0:keys=${keys},x\\r\\n`
    }loading:0\\r\\n'`;
  const silent = "echo 'Could not connect to Redis: Connection refused'";

  /** Runs until the server is told something, or has waited for long. What it was told. */
  async function outcome(
    own: Peer,
    peers: readonly (Peer | "silent" | "admitted")[],
    config = "appendonly yes",
  ): Promise<string> {
    await tell(pod, { replicas: 3, initialized: true });
    await pod.write(`${paths.config}/redis.conf`, `${config}\n`);
    await pod.program(
      "redis-server",
      `n=0
       while [ ! -s ${paths.state}/told ] && [ "$(wc -l < ${paths.state}/asked)" -lt ${own.rounds ?? 9} ] && [ $n -lt 150 ]; do
         /bin/sleep 0.1
         n=$((n + 1))
       done
       /bin/sleep 0.3`,
    );
    await pod.write(`${paths.state}/asked`, "");
    const [one = "silent", two = "silent"] = peers;
    const said = (peer: Peer | "silent" | "admitted"): string =>
      typeof peer === "string" ? silent : answer(peer);
    await pod.program(
      "redis-cli",
      `while read -r line; do asked="\${asked-}$line;"; done
       case $*:$asked in
         *MULTI*) echo "$asked" > ${paths.state}/told ;;
         *cache-1*) ${said(one)} ;;
         *cache-2*) ${said(two)} ;;
         *) echo x >> ${paths.state}/asked; ${one === "admitted" ? "echo 'AUTH failed: WRONGPASS invalid'" : answer(own)} ;;
       esac`,
    );
    const { output } = await pod.run(startScript);
    const told = (await pod.read(`${paths.state}/told`)).trim();
    return told === ""
      ? `held: ${output.split("\n").findLast((line) => line.startsWith("Held:")) ?? ""}`
      : told;
  }

  const primary4 = { users: "kedge-operator-4 kedge-primary-4" };
  const again = "MULTI;REPLICAOF NO ONE;ACL SETUSER kedge-primary-4 off;ACL SAVE;EXEC;";

  it("serves again when it was the last primary and no peer knows a newer epoch", async () => {
    expect(await outcome(primary4, [{ users: "kedge-operator-4 kedge-replica-4" }, "silent"])).toBe(again);
  });

  it("serves again when nobody answers", async () => {
    expect(await outcome(primary4, ["silent", "silent"])).toBe(again);
  });

  it("follows the primary of the newest epoch", async () => {
    const newer = { users: "kedge-operator-5 kedge-primary-5", role: "master" };
    expect(
      await outcome(primary4, [{ users: "kedge-operator-4 kedge-primary-4", role: "master" }, newer]),
    ).toBe("MULTI;REPLICAOF cache-2.cache-headless.shop.svc 6379;EXEC;");
  });

  it.each<[string, Peer, readonly (Peer | "silent")[], string]>([
    ["a peer knows a newer epoch", primary4, [{ users: "kedge-operator-5" }, "silent"], "older epoch"],
    [
      "it was a replica",
      { users: "kedge-operator-4 kedge-replica-4" },
      ["silent", "silent"],
      "was not the primary",
    ],
    [
      "it was fenced after it was the primary",
      { users: "kedge-operator-5 kedge-primary-4" },
      ["silent", "silent"],
      "was not the primary",
    ],
    [
      "it has no data, and a peer has some",
      { keys: 0 },
      [{ keys: 20 }, { keys: 0 }],
      "has no data, cache-1 has 20 keys",
    ],
    [
      "it has no data, and a peer does not answer",
      { keys: 0 },
      [{ keys: 0 }, "silent"],
      "cache-2 has not answered",
    ],
  ])("goes on waiting when %s", async (_when, own, peers, why) => {
    expect(await outcome(own, peers)).toContain(why);
  });

  it("goes on waiting when its snapshot is older than what a peer has", async () => {
    const found = await outcome(primary4, [{ offset: 11 }, "silent"], "appendonly no");
    expect(found).toContain("has a snapshot that is older");
  });

  it("serves when it is the first and nobody has any data", async () => {
    expect(await outcome({ keys: 0 }, [{ keys: 0 }, { keys: 0 }])).toContain("SETUSER kedge-primary-1 off");
  });

  it("is left to the operator that has admitted it", async () => {
    await pod.write(`${paths.state}/told`, "");
    expect(await outcome({ ...primary4, rounds: 1 }, ["admitted", "silent"])).toBe("held: ");
  });
});

describe("a server whose config has turned the append-only file on", () => {
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

describe("a server whose config has turned the append-only file off", () => {
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
  it("of a Valkey image is valkey-server", async () => {
    await using other = await playPod();
    await other.program("valkey-server", 'echo "valkey $*"');
    await other.write(`${paths.config}/redis.conf`, "");
    await other.write(paths.systemUsers, "user default on nopass\n");
    expect((await other.run(startScript)).output).toMatch(/^valkey \S+redis\.conf\n$/u);
  });

  it("that the image does not have is missed by name", async () => {
    await using empty = await playPod();
    expect(await empty.run(startScript)).toEqual({
      code: 127,
      output: "The image has neither redis-server nor valkey-server on its PATH.\n",
    });
  });

  it("is waited for by the first process, which ends as it does, and says which process it is", async () => {
    await pod.program(
      "redis-server",
      `while [ ! -s ${paths.state}/server ]; do /bin/sleep 0.1; done
       read -r pid < ${paths.state}/server; [ $pid = $$ ] && echo right; exit 3`,
    );
    expect(await pod.run(startScript)).toEqual({ code: 3, output: "right\n" });
  });

  it("is told when the container is to stop, and ends in its own time", async () => {
    await pod.program(
      "redis-server",
      `trap 'echo saving; /bin/sleep 0.3; echo saved; exit 0' TERM
       while [ ! -s ${paths.state}/server ]; do /bin/sleep 0.02; done
       kill -TERM $PPID
       n=0; while [ $n -lt 100 ]; do /bin/sleep 0.1; n=$((n + 1)); done`,
    );
    expect(await pod.run(startScript)).toEqual({ code: 0, output: "saving\nsaved\n" });
  });

  it("is told also when the container is to stop in the moment before it is known", async () => {
    const early = startScript.replace(/^child=\$!$/mu, (line) => `kill -TERM $$\n${line}`);
    expect(early).not.toBe(startScript);
    await pod.program("redis-server", "trap 'echo told; exit 0' TERM; while :; do /bin/sleep 0.1; done");
    expect(await pod.run(early)).toEqual({ code: 0, output: "told\n" });
  });

  it.each([
    ["it is to serve", /^( *''\) )\$server \$conf \$live &/mu, ""],
    ["its snapshot is made into an append-only file", /^( *)\$server \$conf --port 0 .*&$/mu, "old"],
  ])("is told also before it is the server, when %s", async (_when, start, snapshot) => {
    // As the shell's copy does in its first moments: a signal is taken, and nothing comes of it.
    const copy = `{ trap : TERM; echo yes > ${paths.state}/copied; /bin/sleep 0.5; exec $server; } &`;
    const wait = `while [ ! -s ${paths.state}/copied ]; do /bin/sleep 0.02; done; kill -TERM $$`;
    const early = startScript
      .replace(start, (_line, before: string) => `${before}${copy}`)
      .replaceAll(/^ *child=\$!$/gmu, (line) => `${line}; ${wait}`);
    expect(early).toContain(copy);
    if (snapshot !== "") await pod.write(`${paths.data}/dump.rdb`, snapshot);
    await pod.program("redis-server", "trap 'echo told; exit 0' TERM; while :; do /bin/sleep 0.1; done");
    await pod.program("redis-cli", "echo LOADING");
    expect([0, 143]).toContain((await pod.run(early)).code);
  });

  it("lets nobody else read what it writes", async () => {
    await pod.program("redis-server", "umask");
    expect((await pod.run(startScript)).output).toBe("0077\n");
  });
});

describe("a server that writes nothing to its volume", () => {
  beforeEach(async () => {
    await tell(pod, { replicas: 3, initialized: true });
    await pod.write(`${paths.config}/redis.conf`, 'appendonly no\nsave ""\n');
    await pod.write(paths.users, "user kedge-operator-4 on #b\nuser kedge-primary-4 off\n");
    await pod.write(`${paths.data}/dump.rdb`, "old");
  });

  it("begins without what is there, keeps that aside, and says no more that it has data", async () => {
    await pod.write(aof, "older");
    expect((await pod.run(startScript)).output).toMatch(isHeld);
    expect(await pod.read(`${paths.data}/dump.rdb`)).toBe("");
    expect(await pod.read(`${paths.data}/unused-dump.rdb`)).toBe("old");
    expect(await pod.read(`${paths.data}/unused-appendonlydir/appendonly.aof.manifest`)).toBe("older");
    const users = await pod.read(paths.users);
    expect(users).toContain("user kedge-operator-4 on #b\n");
    expect(users).not.toMatch(/kedge-(?:primary|replica)/u);
  });

  it("keeps what was there first", async () => {
    await pod.write(`${paths.data}/unused-dump.rdb`, "first");
    await pod.run(startScript);
    expect(await pod.read(`${paths.data}/dump.rdb`)).toBe("");
    expect(await pod.read(`${paths.data}/unused-dump.rdb`)).toBe("first");
  });

  it("is none whose config was changed while it ran", async () => {
    await pod.write(`${paths.peers}/live-0123456789.conf`, "save 900 1\n");
    await pod.run(startScript);
    expect(await pod.read(`${paths.data}/dump.rdb`)).toBe("old");
    expect(await pod.read(paths.users)).toContain("kedge-primary-4");
  });
});

describe("a server that ended while it read its data", () => {
  /** A server that ends at once when it has to read data, and one peer that is the primary of an epoch. */
  async function damaged(peerUsers: string, ends = "exit 1"): Promise<string> {
    await tell(pod, { replicas: 2, initialized: true });
    await pod.write(`${paths.state}/loading`, "yes\n");
    await pod.write(aof, "damaged");
    await pod.write(
      paths.users,
      "user kedge-operator-4 on #b\nuser kedge-primary-4 off\nuser kedge-replica-3 off\n",
    );
    await pod.program("redis-server", `echo "serves $*"\ncase "$*" in *unixsocket*) ${ends} ;; esac`);
    const words = `${peerUsers.split(" ").join("\\n")}\\nrole:master\\r\\ndb0:keys=5,x\\r\\nloading:0\\r\\n`;
    await pod.program("redis-cli", `case $* in *cache-1*) printf '${words}' ;; *) echo LOADING ;; esac`);
    return (await pod.run(startScript)).output;
  }
  const newer = "kedge-operator-5 kedge-primary-5";

  it("keeps what cannot be read aside when a peer is the primary, and says no more that it has data", async () => {
    expect(await damaged(newer)).toMatch(isHeld);
    expect(await pod.read(aof)).toBe("");
    expect(await pod.read(`${paths.data}/damaged-appendonlydir/appendonly.aof.manifest`)).toBe("damaged");
    const users = await pod.read(paths.users);
    expect(users).toContain("user kedge-operator-4 on #b\n");
    expect(users).not.toMatch(/kedge-(?:primary|replica)/u);
  });

  it.each([
    ["no peer is the primary", "kedge-operator-5 kedge-replica-5", "exit 1"],
    ["the peer's epoch is older", "kedge-operator-3 kedge-primary-3", "exit 1"],
    ["it was killed while it tried", newer, "kill -9 $$"],
    ["it can be read after all", newer, "exit 0"],
  ])("leaves all as it is when %s", async (_when, users, ends) => {
    await damaged(users, ends);
    expect(await pod.read(aof)).toBe("damaged");
    expect(await pod.read(paths.users)).toContain("user kedge-primary-4 off\n");
  });

  it("deletes nothing: what is aside already stays", async () => {
    await pod.write(`${paths.data}/damaged-appendonlydir/appendonly.aof.manifest`, "first");
    expect(await damaged(newer)).toContain("take that away first");
    expect(await pod.read(aof)).toBe("damaged");
    expect(await pod.read(`${paths.data}/damaged-appendonlydir/appendonly.aof.manifest`)).toBe("first");
  });
});
