import type { Client } from "@kedge/client";
import { formatMicroTime, formatTime, isAlreadyExists, realClock } from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { Node } from "@kedge/machinery/kinds/core/v1";

/** The lease of a node, renewed every second. */
export interface Heartbeat {
  /** The node is silent from now on. */
  stop(): Promise<void>;
}

/** Begins to renew a node's lease. */
export async function beat(client: Client, name: string): Promise<Heartbeat> {
  const key = { namespace: "kube-node-lease", name };
  const stopping = new AbortController();
  const spec = () => ({
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: formatMicroTime(realClock.now()),
  });
  await client
    .of(Lease)
    .create({ metadata: key, spec: spec() })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await client.of(Lease).patch(key, { merge: { spec: spec() } });
      await realClock.sleep(1_000, stopping.signal).catch(() => undefined);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Says of a node, as its kubelet would, how a condition is. */
export async function say(client: Client, name: string, type: string, status: string): Promise<void> {
  const time = formatTime(realClock.now());
  const condition = {
    type,
    status,
    reason: "Played",
    message: "as it is played",
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
  await client.of(Node).status.patch({ name }, { strategic: { status: { conditions: [condition] } } });
}
