import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport, NetworkTransport, type Transport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { realClock, realRandom, silentLogger } from "@kedge/machinery";
import { createManager } from "@kedge/runtime";
import { createMemoryStore } from "@kedge/store";
import { startOracle } from "../oracle.ts";
import { patientNodeLifecycle } from "./run-controllers.ts";

/** A control plane without nodes, the real one or ours, as operators and their users see it. */
export interface Cluster {
  /** May do everything. */
  readonly admin: Client;
  /** Another way in for the same user. Whoever takes it closes it. */
  transport(): Transport;
  stop(): Promise<void>;
}

/** The real kube-apiserver with the real kube-controller-manager. */
export async function realCluster(): Promise<Cluster> {
  const oracle = await startOracle({ controllerManager: true });
  return {
    admin: oracle.admin,
    transport: () => new NetworkTransport(oracle.adminConfig, { clock: realClock }),
    stop: () => oracle.stop(),
  };
}

/** Our API server with our controllers, as `kedge up` puts them together, in this process. */
export async function ourCluster(): Promise<Cluster> {
  const [clock, random] = [realClock, realRandom];
  const store = createMemoryStore({ clock });
  const server = createApiServer({ store, clock, random });
  await server.start();
  const doorOf = (name: string): Transport => {
    const { handle, upgrade } = server.doorFor({ name, groups: ["system:masters", "system:authenticated"] });
    return inProcessTransport(handle, upgrade);
  };
  const name = "kube-controller-manager";
  const client = new Client(doorOf(`system:${name}`), { userAgent: `${name}/kedge` });
  const manager = createManager({ client, clock, random, name });
  const nodeLifecycle = patientNodeLifecycle;
  addControllers(manager, { clock, logger: silentLogger, authority, nodeLifecycle });
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  await Promise.race([manager.ready(), running]);
  const admin = new Client(doorOf("kubernetes-admin"));
  return {
    admin,
    transport: () => doorOf("kubernetes-admin"),
    stop: async () => {
      stopping.abort();
      await running;
      await Promise.all([client.close(), admin.close()]);
      await server.close();
      await store.close();
    },
  };
}

/** What every namespace gets; nobody connects here. */
const authority = "-----BEGIN CERTIFICATE-----\nnot a real one\n-----END CERTIFICATE-----\n";
