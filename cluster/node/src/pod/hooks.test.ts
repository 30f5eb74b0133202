import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { realClock, VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { simulatedImages } from "../simulated/simulated-node.ts";
import { createSimulatedRuntime } from "../simulated/simulated-runtime.ts";
import { simulatedSpec } from "../simulated/simulated-spec.ts";
import { containerNamed } from "../testing/pods.ts";
import { runHook } from "./hooks.ts";

const { signal } = new AbortController();

function targetOf(podAddress = "127.0.0.1"): Parameters<typeof runHook>[2] {
  return { instanceId: "a", container: containerNamed("app"), podAddress, signal };
}

it("an httpGet hook has done its part when it is answered, with whatever status", async () => {
  const asked: string[] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push([url, headers["user-agent"], headers["x-why"]].join(" "));
    response.writeHead(500).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.address() as AddressInfo;
  const runtime = createSimulatedRuntime({ clock: realClock });
  const httpGet = { path: "/bye", port, httpHeaders: [{ name: "X-Why", value: "stop" }] };
  await runHook({ clock: realClock, runtime }, { httpGet }, targetOf());
  expect(asked).toEqual(["/bye kube-lifecycle/1.36 stop"]);
  server.close();
  await once(server, "close");
  await expect(runHook({ clock: realClock, runtime }, { httpGet }, targetOf())).rejects.toThrow(
    "ECONNREFUSED",
  );
});

it("a hook sleeps, runs a command, and fails when that fails", async () => {
  const clock = new VirtualClock();
  const commands: (readonly string[])[] = [];
  const runtime = createSimulatedRuntime({
    clock,
    exitCodeOf: (_id, command) => commands.push(command) - 1,
  });
  await runtime.create(simulatedSpec("a", await simulatedImages.resolve("app:1"), {}));
  await runtime.start("a");
  const began = clock.now();
  await clock.runUntil(runHook({ clock, runtime }, { sleep: { seconds: 7 } }, targetOf()));
  expect(clock.now() - began).toBe(7000);
  const exec = { command: ["say", "bye"] };
  await clock.runUntil(runHook({ clock, runtime }, { exec }, targetOf()));
  await expect(clock.runUntil(runHook({ clock, runtime }, { exec }, targetOf()))).rejects.toThrow(
    "command ended with 1",
  );
  expect(commands).toEqual([exec.command, exec.command]);
});
