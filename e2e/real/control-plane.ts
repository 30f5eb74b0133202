import { join } from "node:path";
import {
  componentKubeconfig,
  createCredentials,
  writePrivateFiles,
  type Credentials,
} from "./credentials.ts";
import {
  apiserverFlags,
  argumentsOf,
  controllerManagerFlags,
  etcdFlags,
  schedulerFlags,
  type Flags,
} from "./flags.ts";
import { kubeconfigText } from "./kubeconfig.ts";
import { programPath, type Program } from "./programs.ts";
import type { Supervised, SupervisedProcess } from "./supervised.ts";
import { isListening, isOk, until } from "./wait.ts";

/** Which components, and how. */
export interface ControlPlaneOptions {
  /**
   * Start kube-controller-manager. Without it nothing makes service accounts, collects garbage or ends namespaces; in
   * particular no pod is admitted until the test has created the ServiceAccount `default` of its namespace.
   */
  readonly controllerManager?: boolean;
  /** Start kube-scheduler. */
  readonly scheduler?: boolean;
  /** Starts another API server in the place of etcd and kube-apiserver. */
  readonly server?: (setup: ServerSetup) => Promise<AsyncDisposable>;
  /** Flags of each program, without dashes, over ours: `{ "kube-apiserver": { "feature-gates": "Foo=true" } }`. */
  readonly flags?: Readonly<Partial<Record<Program, Flags>>>;
}

/** What another API server needs to be found and believed by the programs. */
export interface ServerSetup extends Pick<
  Credentials,
  "ca" | "serving" | "frontProxy" | "serviceAccountKey"
> {
  /** Of 127.0.0.1. */
  readonly port: number;
}

/** A control plane whose programs all say that they are ready. */
export interface ControlPlane extends Pick<Credentials, "ca" | "admin"> {
  readonly url: string;
  readonly kubeconfig: { readonly path: string; readonly text: string };
  /** In the order of the start. */
  readonly processes: readonly SupervisedProcess[];
  /** The other API server, which is to be stopped. */
  readonly server: AsyncDisposable | undefined;
}

/** Starts the programs, each when those that it needs are ready. */
export async function startControlPlane(
  supervised: Supervised,
  options: ControlPlaneOptions,
): Promise<ControlPlane> {
  const { folder, ports } = supervised;
  const [port = 0, controllerManagerPort = 0, schedulerPort = 0] = ports;
  const url = `https://127.0.0.1:${port}`;
  const processes: SupervisedProcess[] = [];
  const start = async (name: Program, flags: Flags): Promise<void> => {
    const args = argumentsOf(flags, options.flags?.[name]);
    processes.push(await supervised.start({ name, program: programPath(name), args }));
  };
  const waitFor = (what: string, isSo: () => Promise<boolean>): Promise<void> =>
    until(what, async () => {
      await supervised.throwIfEnded();
      return isSo();
    });

  if (options.server === undefined) await start("etcd", etcdFlags);
  const { files, ...credentials } = await createCredentials();
  const { ca, admin } = credentials;
  const kubeconfig = kubeconfigText({ url, ca: ca.certificate, user: admin });
  await writePrivateFiles(folder, { ...files, "admin.kubeconfig": kubeconfig });

  const answersOk = (ofPort: number, path: string) => () =>
    isOk(`https://127.0.0.1:${ofPort}${path}`, ca.certificate, admin);
  const server = await options.server?.({ port, ...credentials });
  if (server === undefined) {
    await waitFor("etcd listens", () => isListening(join(folder, "etcd.sock:0")));
    await start("kube-apiserver", apiserverFlags(port));
  }
  await waitFor("kube-apiserver is ready", answersOk(port, "/readyz"));

  const startComponent = async (name: Program, flags: Flags, ofPort: number): Promise<void> => {
    const text = await componentKubeconfig(ca, url, `system:${name}`);
    await writePrivateFiles(folder, { [`${name}.kubeconfig`]: text });
    await start(name, flags);
    await waitFor(`${name} is healthy`, answersOk(ofPort, "/healthz"));
  };
  await Promise.all([
    options.controllerManager === true &&
      startComponent(
        "kube-controller-manager",
        controllerManagerFlags(controllerManagerPort),
        controllerManagerPort,
      ),
    options.scheduler === true &&
      startComponent("kube-scheduler", schedulerFlags(schedulerPort), schedulerPort),
  ]);
  return {
    url,
    ca,
    admin,
    processes,
    server,
    kubeconfig: { path: join(folder, "admin.kubeconfig"), text: kubeconfig },
  };
}
