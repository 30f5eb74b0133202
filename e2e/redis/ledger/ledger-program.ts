import { once } from "node:events";
import { text } from "node:stream/consumers";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { realClock } from "@kedge/machinery";
import type { ServerAddress } from "./connection.ts";
import { startLedger } from "./ledger.ts";

/** A client in a place of its own: a network namespace. */
export interface LedgerPlace {
  /** Where its network namespace can be entered. */
  readonly namespacePath: string;
  readonly name: string;
  readonly address: ServerAddress;
  readonly writesPerSecond: number;
  readonly wait?: { readonly replicas: number; readonly timeoutMs: number };
}

/** What it has written down, in the end. */
export interface LedgerResult {
  readonly writes: readonly { readonly key: string; readonly value: string; readonly isConfirmed: boolean }[];
  /** When the last write was acknowledged, by the machine's clock. */
  readonly lastAckAt: number;
  readonly refusals: Readonly<Record<string, number>>;
}

/** Starts a client there. It writes until it is stopped. */
export function startLedgerIn(place: LedgerPlace): { stop(): Promise<LedgerResult> } & AsyncDisposable {
  const program = fileURLToPath(import.meta.url);
  const child = spawn(
    "nsenter",
    [
      `--net=${place.namespacePath}`,
      process.execPath,
      ...process.execArgv,
      "--conditions=kedge-source",
      program,
      JSON.stringify(place),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  child.on("error", () => undefined);
  const printed = text(child.stdout);
  const exited = once(child, "exit");
  return {
    async stop() {
      child.stdin.end();
      await exited;
      return JSON.parse(await printed) as LedgerResult;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function main(argument: string): Promise<void> {
  const { address, ...options } = JSON.parse(argument) as LedgerPlace;
  const ledger = startLedger({ clock: realClock, ...options, route: () => Promise.resolve(address) });
  await text(process.stdin);
  await ledger.stop();
  const result: LedgerResult = {
    writes: ledger.book.writes,
    lastAckAt: realClock.now() - (realClock.monotonic() - ledger.book.lastAt),
    refusals: ledger.book.refusals,
  };
  process.stdout.write(JSON.stringify(result));
}

const [, program, argument] = process.argv;
if (program === fileURLToPath(import.meta.url) && argument !== undefined) await main(argument);
