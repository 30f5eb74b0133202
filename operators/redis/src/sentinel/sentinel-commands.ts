import type { Answer } from "./answer.ts";
import type { SentinelMaster, SentinelServer } from "./masters.ts";

/** What `SENTINEL …` answers. The words come as the client wrote them. */
export function answerSentinel(
  masters: readonly SentinelMaster[],
  [subcommand = "", name = ""]: readonly string[],
): Answer {
  const word = subcommand.toLowerCase();
  if (word === "masters") return masters.map((master) => masterMap(master));
  if (word === "myid") return sentinelId;
  if (word === "get-master-addr-by-name") {
    const primary = find(masters, name)?.primary;
    return primary === undefined ? null : [primary.host, String(primary.port)];
  }
  const ofMaster = aboutMaster[word];
  if (ofMaster === undefined) {
    return { error: `ERR Unknown sentinel subcommand '${subcommand.slice(0, 64)}'` };
  }
  const master = find(masters, name);
  return master === undefined ? { error: "ERR No such master with that name" } : ofMaster(master, name);
}

/** The same for every process that answers: what they know they have from the same place. */
const sentinelId = "6b656467652d6f70657261746f722d73656e7469";

const aboutMaster: Readonly<Record<string, (master: SentinelMaster, name: string) => Answer>> = {
  master: (master, name) => masterMap(master, name),
  replicas: ({ replicas, primary }) => replicas.map((replica) => replicaMap(replica, primary)),
  slaves: ({ replicas, primary }) => replicas.map((replica) => replicaMap(replica, primary)),
  // Others of us are behind the same Service: there is nobody whom clients should ask beside it.
  sentinels: () => [],
  ckquorum: ({ primary }) =>
    primary?.isUp === true
      ? { simple: "OK 1 usable Sentinels. Quorum and failover authorization can be reached" }
      : { error: "NOQUORUM the primary does not serve" },
};

function find(masters: readonly SentinelMaster[], name: string): SentinelMaster | undefined {
  return masters.find(({ names }) => names.includes(name));
}

function masterMap({ names, primary, replicas, epoch }: SentinelMaster, name = names[0] ?? ""): Answer {
  const isUp = primary?.isUp === true;
  return {
    map: [
      ["name", name],
      ["ip", primary?.host ?? ""],
      ["port", String(primary?.port ?? 0)],
      ["runid", ""],
      ["flags", isUp ? "master" : "master,s_down,o_down"],
      ...link,
      ["down-after-milliseconds", "1000"],
      ["role-reported", "master"],
      ["config-epoch", String(epoch)],
      ["num-slaves", String(replicas.length)],
      ["num-other-sentinels", "0"],
      ["quorum", "1"],
      ["failover-timeout", "60000"],
      ["parallel-syncs", "1"],
    ],
  };
}

function replicaMap({ host, port, isUp }: SentinelServer, primary: SentinelServer | undefined): Answer {
  return {
    map: [
      ["name", `${host}:${port}`],
      ["ip", host],
      ["port", String(port)],
      ["runid", ""],
      ["flags", isUp ? "slave" : "slave,s_down,disconnected"],
      ...link,
      ["role-reported", "slave"],
      ["master-link-status", isUp ? "ok" : "err"],
      ["master-host", primary?.host ?? "?"],
      ["master-port", String(primary?.port ?? 0)],
      ["slave-priority", "100"],
      ["replica-announced", "1"],
    ],
  };
}

/** Of connections that a Sentinel would keep to the server. */
const link: readonly (readonly [string, string])[] = [
  ["link-pending-commands", "0"],
  ["link-refcount", "1"],
  ["last-ping-sent", "0"],
  ["last-ok-ping-reply", "0"],
  ["last-ping-reply", "0"],
];

/** What `INFO` answers. */
export function sentinelInfo(masters: readonly SentinelMaster[]): string {
  const lines = masters.map(({ names, primary, replicas }, index) =>
    [
      `master${index}:name=${names[0] ?? ""}`,
      `status=${primary?.isUp === true ? "ok" : "odown"}`,
      `address=${primary?.host ?? ""}:${primary?.port ?? 0}`,
      `slaves=${replicas.length}`,
      "sentinels=1",
    ].join(","),
  );
  return [
    "# Server",
    `redis_version:${announcedVersion}`,
    "redis_mode:sentinel",
    "",
    "# Sentinel",
    `sentinel_masters:${masters.length}`,
    "sentinel_tilt:0",
    "sentinel_running_scripts:0",
    ...lines,
    "",
  ].join("\r\n");
}

/** Which version of Sentinel's protocol is spoken. */
export const announcedVersion = "7.0.0";
