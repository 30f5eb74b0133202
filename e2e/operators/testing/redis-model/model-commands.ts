import { createHash } from "node:crypto";
import { RedisFailure, replyFailure, type Command, type Reply } from "@kedge/redis-operator/engine";
import { infoText, portOf } from "./info-text.ts";
import type { ModelUser } from "./model-disk.ts";
import type { ModelProcess } from "./model-process.ts";

/** Who gives commands. */
export interface Speaker {
  user: string;
  /** Commands that wait for EXEC; undefined outside of MULTI. */
  queued: Command[] | undefined;
}

/** What a command asks for beside its reply: connections to be closed. */
export interface Effects {
  /** Connections of these users, but for the speaker's when it has become another one. */
  closeUsers(users: readonly string[]): void;
  /** All connections of clients but the speaker's. */
  closeClients(): void;
}

/** Whether a command changes something: an operator may die at it. */
export function changes([name = "", sub = ""]: Command): boolean {
  const word = name.toUpperCase();
  const part = sub.toUpperCase();
  if (word === "ACL") return !["USERS", "LIST", "WHOAMI", "GETUSER", "CAT", "LOG"].includes(part);
  if (word === "CONFIG") return part !== "GET";
  if (word === "CLIENT") return !["LIST", "INFO", "ID", "GETNAME"].includes(part);
  return [
    "REPLICAOF",
    "FAILOVER",
    "SHUTDOWN",
    "SET",
    "DEL",
    "FLUSHALL",
    "SAVE",
    "BGSAVE",
    "BGREWRITEAOF",
  ].includes(word);
}

/** Carries out a command. What the model does not know it does not make up: that is an error of the test. */
export function carryOut(process: ModelProcess, speaker: Speaker, command: Command, effects: Effects): Reply {
  const [name = "", ...args] = command;
  const word = name.toUpperCase();
  if (word === "MULTI") {
    speaker.queued = [];
    return "OK";
  }
  if (word === "EXEC") {
    const { queued = [] } = speaker;
    speaker.queued = undefined;
    return queued.map((one) => carryOut(process, speaker, one, effects));
  }
  if (speaker.queued !== undefined) {
    speaker.queued.push(command);
    return "QUEUED";
  }
  if (word === "AUTH") return logIn(process, speaker, args);
  if (!process.users.has(speaker.user)) return replyFailure("NOAUTH Authentication required.");
  if (speaker.user === "kedge-probe" && changes(command))
    return replyFailure(`NOPERM User kedge-probe has no permissions to run the '${name}' command`);
  const known = commands[word];
  if (known === undefined)
    throw new Error(`the model of Redis does not know ${command.slice(0, 2).join(" ")}`);
  return known(process, args, { speaker, effects });
}

interface Around {
  readonly speaker: Speaker;
  readonly effects: Effects;
}

type Known = (process: ModelProcess, args: readonly string[], around: Around) => Reply;

const commands: Readonly<Record<string, Known>> = {
  PING: () => "PONG",
  INFO: (process) => infoText(process),
  ROLE: (process) => roleOf(process),
  DBSIZE: (process) => process.data.size,
  GET: (process, [key = ""]) => process.data.get(key) ?? null,
  SET(process, [key = "", value = ""]) {
    const why = process.whyNoWrites();
    if (why !== undefined) return replyFailure(why);
    process.write(key, value);
    return "OK";
  },
  WAIT: (process) =>
    [...process.followers].filter(({ replica }) => replica.history.offset >= process.history.offset).length,
  REPLICAOF(process, [host = "", port = ""]) {
    if (host.toUpperCase() === "NO" && port.toUpperCase() === "ONE") process.promote();
    else process.follow(host);
    return "OK";
  },
  FAILOVER: (process, args) => failOver(process, args),
  ACL: (process, args, around) => acl(process, args, around),
  CLIENT(process, [sub = "", ms = ""], { effects }) {
    if (sub.toUpperCase() === "KILL") effects.closeClients();
    if (sub.toUpperCase() === "PAUSE") process.heldUntil = process.now() + Number(ms);
    if (sub.toUpperCase() === "UNPAUSE") process.heldUntil = 0;
    return "OK";
  },
  CONFIG(process, [sub = "", ...rest]) {
    if (sub.toUpperCase() === "GET")
      return rest.flatMap((name) => {
        const value = process.config.get(name.toLowerCase());
        return value === undefined ? [] : [name, value];
      });
    if (sub.toUpperCase() === "SET")
      for (let at = 0; at < rest.length; at += 2)
        process.config.set(rest[at]?.toLowerCase() ?? "", rest[at + 1] ?? "");
    return "OK";
  },
  SAVE(process) {
    process.save();
    return "OK";
  },
  BGSAVE(process) {
    process.save();
    return "Background saving started";
  },
  BGREWRITEAOF: () => "Background append only file rewriting started",
};

function logIn(process: ModelProcess, speaker: Speaker, args: readonly string[]): Reply {
  const [user = "", password = ""] = args.length === 1 ? ["default", ...args] : args;
  if (!process.accepts(user, password))
    return replyFailure("WRONGPASS invalid username-password pair or user is disabled.");
  speaker.user = user;
  return "OK";
}

function roleOf({ upstream, followers, history, isLinked }: ModelProcess): Reply {
  if (upstream === undefined)
    return [
      "master",
      history.offset,
      [...followers].map(({ replica, announced }) => [announced, "6379", String(replica.history.offset)]),
    ];
  const { host } = upstream;
  return ["slave", host, portOf(host), isLinked ? "connected" : "connect", isLinked ? history.offset : -1];
}

function failOver(process: ModelProcess, args: readonly string[]): Reply {
  const words = args.map((word) => word.toUpperCase());
  if (words[0] === "ABORT") {
    if (process.failover === undefined) return replyFailure("ERR No failover in progress.");
    process.failover = undefined;
    return "OK";
  }
  const [host = ""] = args.slice(words.indexOf("TO") + 1);
  const timeout = Number(args[words.indexOf("TIMEOUT") + 1] ?? 0);
  if (!process.isPrimary) return replyFailure("ERR FAILOVER is not valid when server is a replica.");
  const link = [...process.followers].find(({ announced }) => announced === host);
  if (link === undefined) return replyFailure("ERR FAILOVER target HOST and PORT is not a replica.");
  process.handOver(link.replica, { timeoutMs: timeout, isForced: words.includes("FORCE") });
  return "OK";
}

function acl(process: ModelProcess, [sub = "", ...args]: readonly string[], { effects }: Around): Reply {
  switch (sub.toUpperCase()) {
    case "USERS":
      return [...process.users.keys()].toSorted();
    case "GETUSER": {
      const user = process.users.get(args[0] ?? "");
      if (user === undefined) return null;
      const keys = (user.keys ?? []).map((pattern) => `~${pattern}`).join(" ");
      return ["flags", [user.isOn ? "on" : "off"], "passwords", user.hashes ?? [], "keys", keys];
    }
    case "SETUSER": {
      const [name = "", ...rules] = args;
      const unknown = rules.find((rule) => rule === "+nonsense");
      if (unknown !== undefined)
        return replyFailure(
          `ERR Error in ACL SETUSER modifier '${unknown}': Unknown command or category name in ACL`,
        );
      process.users.set(name, userFrom(process.users.get(name), rules));
      return "OK";
    }
    case "DELUSER":
      for (const name of args) process.users.delete(name);
      effects.closeUsers(args);
      return args.length;
    case "SAVE":
      process.options.disk.users = new Map(process.users);
      return "OK";
    default:
      throw new Error(`the model of Redis does not know ACL ${sub}`);
  }
}

function userFrom(before: ModelUser | undefined, rules: readonly string[]): ModelUser {
  let user: ModelUser = before ?? { isOn: false, hashes: [] };
  for (const rule of rules) {
    if (rule === "reset") user = { isOn: false, hashes: [] };
    if (rule === "on" || rule === "off") user = { ...user, isOn: rule === "on" };
    if (rule === "nopass") user = { ...user, hashes: undefined };
    if (rule === "resetpass") user = { ...user, hashes: [] };
    const { hashes = [] } = user;
    if (rule.startsWith("#")) user = { ...user, hashes: [...hashes, rule.slice(1)] };
    if (rule.startsWith("~")) user = { ...user, keys: [...(user.keys ?? []), rule.slice(1)] };
    if (rule.startsWith(">")) user = { ...user, hashes: [...hashes, hashOf(rule.slice(1))] };
    if (rule.startsWith("!")) user = { ...user, hashes: hashes.filter((hash) => hash !== rule.slice(1)) };
  }
  return user;
}

/** A line of an ACL file: its user, and what is to be known of it. */
export function userFromLine(line: string): readonly [string, ModelUser] {
  const [, name = "", ...rules] = line.split(" ");
  return [name, userFrom(undefined, rules)];
}

function hashOf(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}

export { RedisFailure };
