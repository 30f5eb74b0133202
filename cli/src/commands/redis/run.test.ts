import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runRedisCli } from "./run.ts";

it("says that the server does not run, in words of its own, when a node has no such container", async () => {
  const failure = { kind: "Status", apiVersion: "v1", status: "Failure", code: 500, reason: "InternalError" };
  const server = createServer((request, response) => {
    const isExec = request.url?.includes("/exec") ?? false;
    const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "cache-2", namespace: "default" } };
    response.writeHead(isExec ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isExec ? { ...failure, message: "container not found" } : pod));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const folder = await mkdtemp(join(tmpdir(), "kedge-redis-cli-"));
  try {
    const kubeconfig = join(folder, "kubeconfig");
    const { port } = server.address() as AddressInfo;
    await writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${port}`));
    const flags = { kubeconfig, namespace: "default", pod: "2" };
    const printed = { write: () => undefined, isTTY: false, columns: 80, hasColors: () => false };
    const context = { process: { stdout: printed, stderr: printed, env: {}, exitCode: null }, root: folder };
    const result = await runRedisCli(context, flags, ["cache", "ping"]);
    expect(result).toMatchObject({
      message: expect.stringContaining("pod default/cache-2 does not run") as string,
    });
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
