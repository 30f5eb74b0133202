import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, type Client, type ClientConfig } from "@kedge/client";
import { StatusError } from "@kedge/machinery";
import { ConfigMap, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type { CertificateWithKey } from "@kedge/pki";
import { startControlPlane, type ControlPlane, type ControlPlaneOptions } from "./control-plane.ts";
import { missingPrograms, type Program } from "./programs.ts";
import { supervise, type Supervised, type SupervisedProcess } from "./supervised.ts";
import { until } from "./wait.ts";

/** What an oracle is made of. */
export type OracleOptions = ControlPlaneOptions;

/** A real Kubernetes control plane that is ours alone. `await using` stops it. */
export interface Oracle extends AsyncDisposable {
  readonly url: string;
  /** For whoever wants a file: kubectl above all. The user may do everything. */
  readonly kubeconfig: { readonly path: string; readonly text: string };
  /** The same for @kedge/client. */
  readonly adminConfig: ClientConfig;
  /** A client that may do everything. Closed with the oracle. */
  readonly admin: Client;
  /** A client with a certificate of this user and these groups. Closed with the oracle. */
  clientFor(user: string, groups?: readonly string[]): Promise<Client>;
  /** What runs, in the order of the start. */
  readonly processes: readonly SupervisedProcess[];
  /** Certificates, data and logs. Gone with the oracle. */
  readonly folder: string;
  /** All that a program has logged so far. */
  logOf(program: Program): Promise<string>;
  /** Leaves no process and no file. A second call does nothing more. */
  stop(): Promise<void>;
}

/** Starts a control plane and gives it when it is ready. It ends with this process at the latest, however that ends. */
export async function startOracle(options: OracleOptions = {}): Promise<Oracle> {
  const missing = missingPrograms(process.env);
  if (missing.length > 0) {
    throw new Error(
      `not built yet: ${missing.join(", ")}. Run \`./kedge test real\`, or node e2e/real/build.ts`,
    );
  }
  const supervised = await supervise();
  try {
    const controlPlane = await startControlPlane(supervised, options);
    const oracle = oracleOf(controlPlane, supervised);
    if (options.controllerManager === true) await untilDefaultsAreThere(oracle.admin);
    return oracle;
  } catch (error) {
    await supervised.stop();
    throw error;
  }
}

function oracleOf(controlPlane: ControlPlane, supervised: Supervised): Oracle {
  const { url, kubeconfig, ca, processes } = controlPlane;
  const { folder } = supervised;
  const clients: Client[] = [];
  const configOf = (user: CertificateWithKey): ClientConfig => ({
    server: url,
    trust: { ca: ca.certificate },
    credentials: {
      current: () => Promise.resolve({ clientCertificate: user }),
      refused: () => false,
    },
    namespace: "default",
    source: `oracle at ${url}`,
  });
  const connectAs = (user: CertificateWithKey): Client => {
    const client = connect(configOf(user));
    clients.push(client);
    return client;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await supervised.stop();
    await controlPlane.server?.[Symbol.asyncDispose]();
  };
  return {
    url,
    kubeconfig,
    adminConfig: configOf(controlPlane.admin),
    admin: connectAs(controlPlane.admin),
    clientFor: async (user, groups = []) => connectAs(await ca.issueClient({ user, groups })),
    processes,
    folder,
    logOf: (program) => readFile(join(folder, `${program}.log`), "utf8"),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The controllers have begun when the first namespace has what every namespace gets. */
async function untilDefaultsAreThere(client: Client): Promise<void> {
  const serviceAccount = { namespace: "default", name: "default" };
  const rootCa = { namespace: "default", name: "kube-root-ca.crt" };
  await until("the namespace default has its ServiceAccount", () =>
    isFound(client.of(ServiceAccount).get(serviceAccount)),
  );
  await until("the namespace default has its root CA", () => isFound(client.of(ConfigMap).get(rootCa)));
}

async function isFound(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) return false;
    throw error;
  }
}
