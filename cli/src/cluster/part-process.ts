import { join } from "node:path";
import type { Clock, Timer } from "@kedge/machinery";
import { beatMs, partMessage } from "./part-messages.ts";
import type { ClusterFolder } from "./cluster-folder.ts";
import { launchPart, type Role } from "./launch-part.ts";
import { logLength, logTail } from "./log-tail.ts";
import { createPartHealth } from "./part-health.ts";
import { processUsage } from "./process-usage.ts";

/** One process of a part, from its launch to its end. */
export interface PartProcess {
  readonly pid: number | undefined;
  /** When it could be used; rejects when it ends before, with the end of its log. */
  readonly ready: Promise<void>;
  /** When it has ended: why, with its last words. Never rejects. */
  readonly ended: Promise<PartEnd>;
  /** Asks it to stop, and kills it when it takes too long. */
  stop(): Promise<void>;
  kill(): void;
}

/** How a process ended. */
export interface PartEnd {
  /** For a sentence that begins with the part's name. */
  readonly why: string;
  readonly lastWords: readonly string[];
}

/** What a process is started with. */
export interface PartProcessOptions {
  readonly folder: ClusterFolder;
  readonly clock: Clock;
  /** Told how far its start has come. */
  readonly onProgress?: ((what: string) => void) | undefined;
  /** Told what got into another state in the cluster, as far as this part knows. */
  readonly onChange?: ((what: string) => void) | undefined;
  /** The path of the network namespace that it is in. Default: this process' own. */
  readonly namespace?: string | undefined;
  readonly launch?: typeof launchPart;
}

const stopPatience = 40_000;

/** Launches a part and watches it: one that does not answer any more is killed, since it cannot be asked. */
export function startPartProcess(role: Role, options: PartProcessOptions): PartProcess {
  const { folder, clock, onProgress, onChange, namespace, launch = launchPart } = options;
  const log = join(folder.logs, `${role.replace("/", "-")}.log`);
  const from = logLength(log);
  const child = launch(role, { folder, log, namespace });
  const health = createPartHealth(clock.monotonic());
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<PartEnd>();
  // Who does not wait for it hears of it by the other.
  ready.promise.catch(() => undefined);
  let judged: string | undefined;
  let gone = false;
  let usable = false;
  let timer: Timer | undefined;

  const look = (): void => {
    const usage = child.pid === undefined ? undefined : processUsage(child.pid);
    judged ??= health.look(clock.monotonic(), usage);
    if (judged === undefined) timer = clock.timer(beatMs, look);
    else child.kill("SIGKILL");
  };
  const end = (how: string): void => {
    gone = true;
    timer?.cancel();
    const why = judged === undefined ? how : `${judged} and was killed`;
    const lastWords = logTail(log, from);
    ready.reject(new Error([`${role} ${why}. From ${log}:`, ...lastWords].join("\n  ")));
    ended.resolve({ why, lastWords });
  };
  child.on("exit", (code, signal) => {
    end(`${usable ? "ended by itself" : "could not start"} (${signal ?? `code ${code}`})`);
  });
  child.on("error", (error) => {
    if (child.pid === undefined) end(`could not start (${error.message})`);
  });
  child.on("message", (value) => {
    const message = partMessage(value);
    if (message?.type === "beat") health.beat();
    if (message?.type === "progress") {
      health.progress();
      onProgress?.(message.what);
    }
    if (message?.type === "change") onChange?.(message.what);
    if (message?.type === "ready") {
      usable = true;
      health.ready();
      ready.resolve();
    }
  });
  timer = clock.timer(beatMs, look);

  return {
    pid: child.pid,
    ready: ready.promise,
    ended: ended.promise,
    kill: () => child.kill("SIGKILL"),
    async stop() {
      if (gone) return;
      child.kill("SIGTERM");
      using limit = clock.deadline(stopPatience);
      limit.signal.addEventListener("abort", () => child.kill("SIGKILL"));
      await ended.promise;
    },
  };
}
