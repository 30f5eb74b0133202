import { ClientError } from "../client-error.ts";
import { loadInCluster, missingInCluster } from "./in-cluster.ts";
import { homeKubeconfig, loadKubeconfig, loadKubeconfigs, type KubeconfigOptions } from "./kubeconfig.ts";
import type { ClientConfig } from "./types.ts";

/** Which cluster to talk to, if it is not the one that the surroundings suggest. */
export interface LoadConfigOptions extends Omit<KubeconfigOptions, "path"> {
  /** The one kubeconfig to read, from a `--kubeconfig` flag. */
  readonly kubeconfig?: string | undefined;
  /** Where the service account is mounted; for tests. */
  readonly serviceAccountDirectory?: string | undefined;
}

/**
 * Finds out which API server to talk to, in the order of controller-runtime: the file that was named, KUBECONFIG, the
 * service account of the pod, `~/.kube/config`. Who names a context, cluster or user means a kubeconfig: then the
 * service account is not looked at.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<ClientConfig> {
  const { kubeconfig: path = "", serviceAccountDirectory: directory, env } = options;
  if (path !== "" || (env["KUBECONFIG"] ?? "") !== "") return loadKubeconfig({ ...options, path });
  const inCluster = { ...options, directory };
  const missing = namesEntry(options) ? namedEntry : await missingInCluster(inCluster);
  if (missing === undefined) return loadInCluster(inCluster);
  const home = homeKubeconfig(env);
  const config = home === undefined ? undefined : await loadKubeconfigs([home], options);
  if (config === undefined) throw nothingFound(missing, home);
  return config;
}

const namedEntry = "not looked at, because a context, cluster or user was named";

function namesEntry({ context, cluster, user }: LoadConfigOptions): boolean {
  return [context, cluster, user].some((name) => (name ?? "") !== "");
}

function nothingFound(inCluster: string, home: string | undefined): ClientError {
  const places = [
    "kubeconfig option: not given",
    "KUBECONFIG: not set",
    `in-cluster: ${inCluster}`,
    home === undefined ? "~/.kube/config: HOME is not set" : `${home}: no such file`,
  ];
  return new ClientError("CONFIG", `no configuration of a cluster found; looked at: ${places.join("; ")}`, {
    hint: "name a kubeconfig, or set KUBECONFIG to one",
  });
}
