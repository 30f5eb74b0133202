import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { realClock } from "@kedge/machinery";
import type { Access } from "./apiserver/connections.ts";

/** A program under measurement, in processes of its own. `await using` stops it. */
export interface ServerProcess extends AsyncDisposable {
  readonly access: Access;
  /** The path of the administrator's. */
  readonly kubeconfig: string;
  /** When the first of its programs was started, in milliseconds since 1970. */
  readonly began: number;
  /** Resident memory of all its processes, in MiB. */
  memory(): number;
  /** Processor time of all its processes so far, in milliseconds. */
  cpu(): number;
}

/** Starts a program of this folder that tells its parent where its server listens, and ends with it. */
export async function startServer(program: string, args: readonly string[] = []): Promise<ServerProcess> {
  const forked = realClock.now();
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const [told] = (await Promise.race([once(child, "message"), ended.then(endedEarly)])) as [
    { kubeconfig: string; pids: readonly number[]; began?: number },
  ];
  const { kubeconfig, pids, began = forked } = told;
  return {
    access: accessOf(readFileSync(kubeconfig, "utf8")),
    kubeconfig,
    began,
    memory: () => sum(pids.map(memoryOf)),
    cpu: () => sum(pids.map(cpuOf)),
    [Symbol.asyncDispose]: async () => {
      child.disconnect();
      await ended;
    },
  };
}

function endedEarly(): never {
  throw new Error("the server ended before it was ready");
}

/** Both kinds of server write their kubeconfig as JSON, with one user and the certificates in it. */
function accessOf(kubeconfig: string): Access {
  const text = (name: string): string => {
    const [, value = ""] = new RegExp(String.raw`"?${name}"?: ?"([^"]+)"`, "u").exec(kubeconfig) ?? [];
    return value;
  };
  const data = (name: string): string => Buffer.from(text(`${name}-data`), "base64").toString();
  return {
    url: text("server"),
    ca: data("certificate-authority"),
    cert: data("client-certificate"),
    key: data("client-key"),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function memoryOf(pid: number): number {
  const [, kib = "0"] = /^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}

/** The kernel counts in hundredths of a second. The name of the program, in brackets, may hold blanks. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
