import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import { paths } from "../names.ts";
import { playPod, type PlayedPod } from "../testing/played-pod.ts";
import { preStopScript } from "./probe-scripts.ts";

let pod: PlayedPod;

beforeEach(async () => {
  pod = await playPod();
});
afterEach(() => pod[Symbol.asyncDispose]());

/** A process in the place of the server, and how it ended. */
async function withServer(
  body: (pid: number) => Promise<void>,
  isStopped = false,
): Promise<{ readonly signal: unknown }> {
  const server = spawn("/bin/sleep", ["60"]);
  const ended = once(server, "exit");
  const { pid = 0 } = server;
  if (isStopped) server.kill("SIGSTOP");
  await pod.write(`${paths.state}/server`, `${pid}\n`);
  await body(pid);
  // A signal that comes second changes nothing.
  server.kill("SIGCONT");
  server.kill("SIGTERM");
  await ended;
  const signal: unknown = server.signalCode;
  return { signal };
}

it("kills a server that is stopped, and does not ask it anything", async () => {
  await pod.program("redis-cli", "/bin/sleep 30");
  const found = await withServer(async () => {
    expect(await pod.run(preStopScript)).toEqual({ code: 0, output: "" });
  }, true);
  expect(found).toEqual({ signal: "SIGKILL" });
});

it.each([
  ["a replica", "role:slave"],
  ["a primary that nobody follows", "role:master\\r\\nconnected_slaves:0"],
  ["one that does not run", "Could not connect to Redis: Connection refused"],
])("does not wait for %s", async (_who, said) => {
  await pod.program("redis-cli", `echo x >> ${paths.state}/asked; printf '${said}\\r\\n'`);
  const found = await withServer(async () => {
    expect((await pod.run(preStopScript)).code).toBe(0);
  });
  expect(await pod.read(`${paths.state}/asked`)).toBe("x\n");
  expect(found).toEqual({ signal: "SIGTERM" });
});

it("waits until a primary has handed over", async () => {
  await pod.program(
    "redis-cli",
    `echo x >> ${paths.state}/asked
     if [ "$(wc -l < ${paths.state}/asked)" -lt 3 ]; then printf 'role:master\\r\\nslave0:ip=10.0.0.1,state=online\\r\\n'
     else printf 'role:slave\\r\\n'; fi`,
  );
  await withServer(async () => {
    expect((await pod.run(preStopScript)).code).toBe(0);
  });
  expect(await pod.read(`${paths.state}/asked`)).toBe("x\nx\nx\n");
});

it("leaves a server that is busy to itself, and ends in time", async () => {
  await pod.program("redis-cli", "exec /bin/sleep 60");
  const found = await withServer(async () => {
    expect((await pod.run(preStopScript)).code).toBe(0);
  });
  expect(found).toEqual({ signal: "SIGTERM" });
});
