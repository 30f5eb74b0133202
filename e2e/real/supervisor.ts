/**
 * A program that owns the processes, the folder and the ports of one oracle, and outlives the test that started it by
 * exactly as long as it takes to remove them. Its standard input is a pipe that nobody else holds: the pipe ends when
 * the test says so, and also when the test's process is gone, however it went.
 *
 * Messages are lines of JSON: see `Order` and `Report`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** What a supervisor is told: start this. */
export interface Order {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** What a supervisor tells. The first report is `ready`. */
export type Report =
  | { readonly type: "ready"; readonly folder: string; readonly ports: readonly number[] }
  | { readonly type: "started"; readonly name: string; readonly pid: number }
  | { readonly type: "ended"; readonly name: string; readonly how: string };

/** How many ports an oracle gets. */
const portCount = 3;

if (import.meta.main) await main();

async function main(): Promise<void> {
  const children: { readonly process: ChildProcess; readonly ended: Promise<unknown> }[] = [];
  // Nobody listens any more when the test is gone.
  process.stdout.on("error", () => undefined);
  const report = (message: Report): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

  const orders = createInterface({ input: process.stdin });
  const over = Promise.race([once(orders, "close"), once(process, "SIGTERM"), once(process, "SIGINT")]);
  const waiting: string[] = [];
  orders.on("line", (line) => waiting.push(line));

  const { claim, ports } = await claimPorts();
  const folder = await mkdtemp(join(tmpdir(), "kedge-oracle-"));
  report({ type: "ready", folder, ports });
  const take = (line: string): void => void children.push(start(JSON.parse(line) as Order, folder, report));
  orders.removeAllListeners("line").on("line", take);
  waiting.forEach(take);

  await over;
  // The last started first: each needs those before it. At once: there is nothing to save, and kube-apiserver's own
  // way of stopping takes its time.
  for (const { process: child, ended } of children.toReversed()) {
    child.kill("SIGKILL");
    await ended;
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  claim.close();
  process.stdin.destroy();
}

function start({ name, program, args }: Order, folder: string, report: (message: Report) => void) {
  const log = openSync(join(folder, `${name}.log`), "a");
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", log, log] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      report({ type: "ended", name, how: error.message });
      resolve();
    });
    child.on("exit", (code, signal) => {
      report({ type: "ended", name, how: signal ?? `exit code ${code}` });
      resolve();
    });
  });
  if (child.pid !== undefined) report({ type: "started", name, pid: child.pid });
  return { process: child, ended };
}

/**
 * Ports in blocks: who listens on the first of a block owns the others. So two oracles never get the same, and a
 * block is free again when its supervisor is gone. The range lies below the ports that systems give to clients.
 */
async function claimPorts(): Promise<{ readonly claim: Server; readonly ports: readonly number[] }> {
  for (let first = 20_000; first < 32_000; first += portCount + 1) {
    const claim = await listen(first);
    if (claim === undefined) continue;
    const ports = Array.from({ length: portCount }, (_, index) => first + 1 + index);
    if (await areFree(ports)) return { claim, ports };
    claim.close();
  }
  throw new Error("no free ports between 20000 and 32000 on 127.0.0.1");
}

async function areFree(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) {
    const probe = await listen(port);
    if (probe === undefined) return false;
    probe.close();
    await once(probe, "close");
  }
  return true;
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ port, host: "127.0.0.1", exclusive: true });
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}
