import type { DeepReadonly } from "@kedge/machinery";
import type { RedisInstance, ServerStatus } from "./kind.ts";
import type { Observed } from "./observe.ts";
import { answering, isAnswering, type ServerView } from "./server-view.ts";

/** What the status says of each server, and of the data as the primary has it. */
export interface ServerTable {
  readonly servers?: ServerStatus[];
  readonly usedMemory?: string;
  readonly keys?: number;
}

type Before = DeepReadonly<NonNullable<RedisInstance["status"]>> | undefined;

/**
 * The table of servers. Numbers that move all the time are those of the last time until they are another tenth of it, so
 * that an instance in which nothing happens is never written.
 */
export function serverTable({ instance, servers, replication }: Observed): ServerTable {
  const { status: before } = instance;
  if (servers.length === 0) return {};
  const primary = answering(servers).find(({ pod }) => pod === replication?.primary);
  const rows = servers.map((server) => rowOf(server, { end: primary?.answer.facts.history.offset, before }));
  const head = rows.find(({ pod }) => pod === replication?.primary);
  const known = { usedMemory: head?.memory ?? before?.usedMemory, keys: head?.keys ?? before?.keys };
  return {
    servers: rows,
    ...(known.usedMemory !== undefined && { usedMemory: known.usedMemory }),
    ...(known.keys !== undefined && { keys: known.keys }),
  };
}

function rowOf(
  server: ServerView,
  { end, before }: { readonly end: number | undefined; readonly before: Before },
): ServerStatus {
  const { pod } = server;
  const last = before?.servers?.find((row) => row.pod === pod);
  if (!isAnswering(server))
    return { pod, role: "unknown", ...(last?.version !== undefined && { version: last.version }) };
  const { facts, record } = server.answer;
  const link = facts.upstream;
  const lag = end === undefined || link === undefined ? undefined : Math.max(0, end - facts.history.offset);
  return {
    pod,
    role: record.isAdmitted ? facts.role : "held",
    ...(link !== undefined && { link: link.isSyncing ? "syncing" : link.isUp ? "up" : "down" }),
    ...(lag !== undefined && { lagBytes: steady(lag < smallLag ? 0 : lag, last?.lagBytes) }),
    memory: steadyMemory(facts.memory.used, last?.memory),
    keys: steady(facts.keys, last?.keys),
    version: `${facts.software} ${facts.version}`,
  };
}

/** Bytes that are on their way all the time. */
const smallLag = 1024 * 1024;

/** What it was, unless it is more than a tenth more or less. Nothing is always nothing. */
function steady(value: number, last: number | undefined): number {
  if (last === undefined || value === 0 || last === 0) return value;
  return Math.abs(value - last) * 10 > last ? value : last;
}

function steadyMemory(bytes: number, last: string | undefined): string {
  const before = last === undefined ? undefined : Number.parseFloat(last) * mebi;
  return before !== undefined && steady(bytes, before) === before && last !== undefined
    ? last
    : memoryText(bytes);
}

const mebi = 1024 * 1024;

/** `1.4Mi`: small enough for a column. */
function memoryText(bytes: number): string {
  const amount = bytes / mebi;
  return `${amount < 10 ? amount.toFixed(1) : amount.toFixed(0)}Mi`;
}
