import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@kedge/client";
import { realClock as clock, realRandom as random } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { kubeconfigText } from "../../real/kubeconfig.ts";
import { recordNetwork } from "../../testing/record-network.ts";
import { testRanges } from "../../testing/test-ranges.ts";
import { startControlPlane } from "./control-plane.ts";
import type { Instruments } from "./instruments.ts";
import { startNode } from "./node.ts";

/**
 * The whole embedded cluster in the process of a test: API server over lmdb, controllers, scheduler, both operators
 * and one node with real containers. All but kubectl use the in-process door. Needs root.
 */
export interface OneProcessCluster extends AsyncDisposable {
  readonly folder: string;
  /** Of the HTTPS door. */
  readonly url: string;
  /** Path of a kubeconfig for kubectl. */
  readonly kubeconfig: string;
  /** May do everything, through the in-process door. */
  readonly admin: Client;
}

/** Starts it; resolves when the node is ready. Its end leaves nothing on the machine. */
export async function startOneProcessCluster(instruments: Instruments = {}): Promise<OneProcessCluster> {
  const stack = new AsyncDisposableStack();
  try {
    const folder = await mkdtemp(join(tmpdir(), "kedge-one-process-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const ranges = await testRanges();
    const id = random.uuid().slice(0, 6);
    const settings = { id, domain: "cluster.local", ...ranges, podCIDR: ranges.podRange };
    await recordNetwork(settings);
    const authority = await createAuthority({ name: "kedge", clock, random });
    const common = { folder, settings, authority, instruments, stack };
    const controlPlane = await startControlPlane(common);
    await startNode({ ...common, controlPlane });

    const { url } = controlPlane;
    const user = await authority.issueClient({ user: "kubernetes-admin", groups: ["system:masters"] });
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, kubeconfigText({ url, ca: authority.certificate, user }), { mode: 0o600 });
    return {
      folder,
      url,
      kubeconfig,
      admin: controlPlane.clientOf("kubernetes-admin", "kedge-test"),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
