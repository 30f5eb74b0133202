import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { keepLogs } from "../testing/keep-logs.ts";
import type { Order, Report } from "./supervisor.ts";

/** A process that a supervisor started for us. */
export interface SupervisedProcess {
  readonly name: string;
  readonly pid: number;
}

/** Processes, a folder and ports that are gone when we are. */
export interface Supervised {
  /** Empty at first, only for us. The processes run in it and have their logs in it. */
  readonly folder: string;
  /** Free ports of 127.0.0.1 that no other supervisor gives to anybody. */
  readonly ports: readonly number[];
  start(order: Order): Promise<SupervisedProcess>;
  /** Throws, with the end of its log, as soon as one of the processes has ended by itself. */
  throwIfEnded(): Promise<void>;
  /** Ends the processes, the last started first, and removes the folder. */
  stop(): Promise<void>;
}

/** Starts a supervisor. */
export async function supervise(): Promise<Supervised> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "supervisor.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
    // In a session of its own: what a terminal sends to the test is not for it.
    detached: true,
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const exited = once(child, "close");
  exited.catch(() => undefined);
  // A supervisor that is gone takes no orders; whoever waits for its report is told below.
  child.stdin.on("error", () => undefined);

  const endings: (Report & { type: "ended" })[] = [];
  const awaited = new Map<string, (report: Report) => void>();
  const lines = createInterface({ input: child.stdout });
  const next = (key: string): Promise<Report> =>
    new Promise((resolve, reject) => {
      awaited.set(key, resolve);
      lines.once("close", () => reject(new Error("the oracle's supervisor ended; what it said is above")));
    });
  lines.on("line", (line) => {
    const report = JSON.parse(line) as Report;
    if (report.type === "ended") endings.push(report);
    awaited.get(report.type === "ready" ? "" : report.name)?.(report);
  });

  const ready = await next("");
  if (ready.type !== "ready") throw new Error(`the supervisor began with ${ready.type}`);
  const { folder, ports } = ready;

  const failure = async ({ name, how }: { name: string; how: string }): Promise<Error> => {
    const log = await readFile(join(folder, `${name}.log`), "utf8").catch(() => "");
    return new Error(
      `${name} ended (${how}). Its last lines:\n${log.trimEnd().split("\n").slice(-15).join("\n")}`,
    );
  };

  return {
    folder,
    ports,
    start: async (order) => {
      const report = next(order.name);
      child.stdin.write(`${JSON.stringify(order)}\n`);
      const answer = await report;
      if (answer.type === "started") return { name: answer.name, pid: answer.pid };
      throw await failure({ name: order.name, how: answer.type === "ended" ? answer.how : answer.type });
    },
    throwIfEnded: async () => {
      const [first] = endings;
      if (first !== undefined) throw await failure(first);
    },
    stop: async () => {
      await keepLogs(folder);
      child.stdin.end();
      await exited;
    },
  };
}
