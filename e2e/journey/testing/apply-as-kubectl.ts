import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { connect, loadKubeconfig } from "@kedge/client";
import { gvkOf, realClock as clock, type KubeObject } from "@kedge/machinery";
import { programPath } from "../../real/programs.ts";
import type { OneProcessCluster } from "./one-process-cluster.ts";

const patience = 240_000;

/** `kubectl apply`, by the real one where there is one, else by a client that sends the same. Says which it was. */
export async function applyAsKubectl(
  cluster: OneProcessCluster,
  manifest: KubeObject & Readonly<Record<string, unknown>>,
): Promise<string> {
  const program = findKubectl();
  using limit = clock.deadline(patience);
  const { signal } = limit;
  if (program === undefined) {
    const config = await loadKubeconfig({ env: {}, clock, path: cluster.kubeconfig });
    const client = connect(config, { clock, userAgent: "kubectl/kedge-client" });
    const kind = await client.discovery.kind(gvkOf(manifest));
    const fieldManager = "kubectl-client-side-apply";
    await client.of(kind).create(manifest, { fieldManager, fieldValidation: "Strict", signal });
    await client.close();
    return "@kedge/client, as there is no kubectl on this machine";
  }
  const env = { PATH: process.env["PATH"], HOME: cluster.folder, KUBECONFIG: cluster.kubeconfig };
  const applied = promisify(execFile)(program, ["apply", "-f", "-"], { env, signal });
  applied.child.stdin?.end(JSON.stringify(manifest));
  await applied;
  return `the real kubectl (${program})`;
}

function findKubectl(): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, "kubectl"));
  return [programPath("kubectl"), ...onPath].find((path) => existsSync(path));
}
