import { readdirSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { seededRandom } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandNames, countCommands, type CountedCommands } from "./testing/counted-commands.ts";
import { startStreamCluster, type StreamCluster, type StreamPath } from "./testing/stream-cluster.ts";
import { steps, visit, ways } from "./testing/vanishing-client.ts";

// KEDGE_TEST_SEED=<number> makes other clients; a failure prints the seed. An unhandled rejection fails the run.
const seed = Number(process.env["KEDGE_TEST_SEED"] ?? 20261116);
const visits = Number(process.env["KEDGE_TEST_VISITS"] ?? 200);
const atOnce = 8;
const patience = { interval: 50 };

describe.each(["node", "server"] as const)("clients of the %s that vanish at every step", (door) => {
  const random = seededRandom(`${seed}/${door}`);
  let commands: CountedCommands;
  let cluster: StreamCluster;
  let echo: Server;
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(String(warning));

  beforeAll(async () => {
    process.on("warning", onWarning);
    commands = countCommands(random);
    cluster = await startStreamCluster({ exec: commands.exec });
    echo = createServer((socket) => socket.on("error", () => undefined).pipe(socket));
    await new Promise<void>((resolve) => {
      echo.listen(0, "127.0.0.1", resolve);
    });
  });
  afterAll(async () => {
    process.off("warning", onWarning);
    echo.close();
    await cluster[Symbol.asyncDispose]();
  });

  it(`leave nothing behind (${visits} of them, seed ${seed})`, async () => {
    await works(cluster);
    const before = openFiles();
    let left = visits;
    const client = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const stream = streamOf();
        const isPlain = stream.action === "log";
        const target = cluster[door];
        const path = target.pathOf(stream);
        const wire = pick(["websocket", "spdy"] as const);
        const protocol = isPlain ? undefined : protocolOf(stream, wire);
        const streams = spdyStreamsOf(stream);
        await visit({ target, path, protocol, wire, streams, step: pick(steps), way: pick(ways) }, random);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));

    expect(commands.started()).toBeGreaterThan(visits / 20);
    await expect.poll(() => commands.left(), patience).toEqual([]);
    await expect.poll(openFiles, patience).toBeLessThanOrEqual(before);
    expect(warnings).toEqual([]);
    await works(cluster);
  });

  function streamOf(): StreamPath {
    const action = pick(["exec", "exec", "exec", "attach", "log", "portforward"] as const);
    if (action === "portforward") return { action, port: (echo.address() as AddressInfo).port };
    return action === "exec" ? { action, command: [pick(commandNames)] } : { action };
  }

  function protocolOf({ action }: StreamPath, wire: "websocket" | "spdy"): string {
    if (action === "portforward" && wire === "spdy") return "portforward.k8s.io";
    if (action === "portforward") return pick(["v4.channel.k8s.io", "SPDY/3.1+portforward.k8s.io"]);
    return pick(["v5.channel.k8s.io", "v4.channel.k8s.io"]);
  }

  function spdyStreamsOf({ action, port = 0 }: StreamPath): readonly Record<string, string>[] {
    if (action === "portforward") {
      const both = { port: String(port), requestid: "0" };
      return [
        { streamtype: "data", ...both },
        { streamtype: "error", ...both },
      ];
    }
    const types = action === "exec" ? ["stdin", "stdout", "stderr", "error"] : ["stdout", "stderr", "error"];
    return types.map((streamtype) => ({ streamtype }));
  }

  function pick<T>(values: readonly T[]): T {
    const value = values[random.int(values.length)];
    if (value === undefined) throw new RangeError("there is nothing to pick from");
    return value;
  }
});

/** Still serves: a command's end is told. */
async function works(cluster: StreamCluster): Promise<void> {
  const stream = await cluster.exec(["quick"]);
  const messages = await Array.fromAsync(stream.messages, (message) => Buffer.from(message).toString());
  expect(messages.at(-1)).toContain('"ExitCode","message":"137"');
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
