import { configWords } from "./config-words.ts";

/** How the rest of the spec is, where it matters. */
export interface ReservedContext {
  readonly authEnabled: boolean;
}

/** Why a directive that servers know is not the user's to set; undefined when it is. */
export function checkReserved(
  name: string,
  value: string,
  { authEnabled }: ReservedContext,
): string | undefined {
  if (name.startsWith("tls-")) return noTls;
  if (name === "rename-command") return checkRename(value);
  if (name === "protected-mode" && !authEnabled && value.trim().toLowerCase() !== "no") {
    return "would let in nobody but the pod itself, as no password is asked for: leave it out, or set spec.auth.enabled to true";
  }
  if (name === "logfile" && (configWords(value) ?? []).join("") !== "") {
    return "would hide the log from kubectl logs, and from this status when the server does not start: leave it out";
  }
  return reserved.get(name);
}

const byOperator = "is set by the operator and cannot be set here";
const reach = `${byOperator}: probes, replicas and the Services reach the server there`;
const fileName = `${byOperator}: a server that looks for its data under another name begins without it`;
const useAuth =
  "holds a password and does not belong into a ConfigMap: use spec.auth and the Secret <name>-auth";
const noTls = "needs certificates, and there are none in the pod: TLS is not there yet; leave it out";
const noSocket = "makes a socket that nobody outside the container could use: leave it out";
const inForeground = "must not be set: the server is the container's process and runs in the foreground";

const reserved: ReadonlyMap<string, string> = new Map([
  ["bind", reach],
  ["port", reach],
  ["dir", `${byOperator}: it is where the volume is`],
  ["dbfilename", fileName],
  ["appendfilename", fileName],
  ["appenddirname", fileName],
  ["include", byOperator],
  ["daemonize", inForeground],
  ["supervised", inForeground],
  ["pidfile", inForeground],
  ["unixsocket", noSocket],
  ["unixsocketperm", noSocket],
  ["unixsocketgroup", noSocket],
  ["rdma-bind", reach],
  ["rdma-port", reach],
  ["replicaof", `${byOperator}: use spec.replicas`],
  ["slaveof", `${byOperator}: use spec.replicas`],
  ["cluster-enabled", `${byOperator}: an instance is a primary with replicas, not a cluster`],
  ["requirepass", useAuth],
  ["masterauth", useAuth],
  ["masteruser", useAuth],
  ["primaryauth", useAuth],
  ["primaryuser", useAuth],
  ["user", useAuth],
  ["aclfile", useAuth],
]);

function checkRename(value: string): string | undefined {
  const [command, , ...more] = configWords(value) ?? [];
  if (command === undefined || more.length > 0 || (configWords(value) ?? []).length !== 2) {
    return 'must be a command and its new name, as in FLUSHALL ""';
  }
  const user = neededCommands.get(command.toLowerCase());
  return user === undefined
    ? undefined
    : `takes ${command.toUpperCase()} away, which ${user} by that name: leave it out`;
}

const operator = "the operator calls";
const pods = "probes and the start of a pod use";
const replication = "a primary and its replicas send each other";
const files = "servers write into the append-only file and send to replicas";

/** Commands that are called by their own names, whatever the config says. */
const neededCommands: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [pods]: ["ping", "auth", "hello", "info", "config", "replicaof", "slaveof", "shutdown"],
    [operator]: ["acl", "role", "client", "failover"],
    [replication]: ["replconf", "psync", "sync"],
    [files]: ["select", "multi", "exec", "del", "unlink", "set", "pexpireat", "persist", "hdel", "srem"],
  }).flatMap(([user, commands]) => commands.map((command) => [command, user] as const)),
);
