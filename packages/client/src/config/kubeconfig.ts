import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import { kubeconfigPaths, readKubeconfigs } from "./kubeconfig-merge.ts";
import { selectFrom } from "./kubeconfig-select.ts";
import { serverOf, trustOf } from "./kubeconfig-cluster.ts";
import { credentialsOf, impersonationOf } from "./kubeconfig-user.ts";
import type { Kubeconfig } from "./kubeconfig-types.ts";
import { fieldOf } from "./place.ts";
import { chooseProxy } from "./proxy.ts";
import type { ClientConfig } from "./types.ts";

/** Which kubeconfig, and what of it. */
export interface KubeconfigOptions {
  /** Our environment: KUBECONFIG, HOME and the proxy variables are looked up, exec plugins get all of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The one file to read. Default: the files of KUBECONFIG, else `~/.kube/config`. */
  readonly path?: string | undefined;
  /** Instead of the current-context. */
  readonly context?: string | undefined;
  /** Instead of the context's cluster. */
  readonly cluster?: string | undefined;
  /** Instead of the context's user. */
  readonly user?: string | undefined;
  /** Instead of the context's namespace. */
  readonly namespace?: string | undefined;
  /** May exec plugins ask the user? Default: when standard input is a terminal. */
  readonly interactive?: boolean | undefined;
}

/** Reads what a kubeconfig says about one context. Certificates and tokens in files follow their rotation. */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ClientConfig> {
  const { files, from } = kubeconfigFiles(options);
  const config = await loadKubeconfigs(files, options);
  if (config !== undefined) return config;
  const hint = "name a kubeconfig that exists, or set KUBECONFIG to one";
  if (files.length === 0) throw new ClientError("CONFIG", `no kubeconfig: ${from} names no file`, { hint });
  throw new ClientError("CONFIG", `no kubeconfig: ${from} names ${files.join(", ")}: no such file`, { hint });
}

/** The kubeconfig in the user's home; undefined when the environment names no home. */
export function homeKubeconfig(env: KubeconfigOptions["env"]): string | undefined {
  const home = [env["HOME"], env["USERPROFILE"]].find((folder) => folder !== undefined && folder !== "");
  return home === undefined ? undefined : join(home, ".kube", "config");
}

interface NamedFiles {
  readonly files: readonly string[];
  /** Who named them. */
  readonly from: string;
}

function kubeconfigFiles({ path = "", env }: KubeconfigOptions): NamedFiles {
  if (path !== "") return { files: [path], from: "the caller" };
  const variable = env["KUBECONFIG"] ?? "";
  if (variable !== "") return { files: kubeconfigPaths(variable), from: "KUBECONFIG" };
  const home = homeKubeconfig(env);
  return { files: home === undefined ? [] : [home], from: "HOME" };
}

/** The same for given files; undefined when none of them is there. */
export async function loadKubeconfigs(
  files: readonly string[],
  options: KubeconfigOptions,
): Promise<ClientConfig | undefined> {
  const kubeconfig = await readKubeconfigs(files, options.clock);
  return kubeconfig && clientConfigFrom(kubeconfig, options);
}

async function clientConfigFrom(kubeconfig: Kubeconfig, options: KubeconfigOptions): Promise<ClientConfig> {
  const selected = selectFrom(kubeconfig, options);
  const { cluster, user } = selected;
  const server = serverOf(cluster);
  const trust = await trustOf(cluster, options.clock);
  const proxy = chooseProxy({
    server,
    env: options.env,
    proxyUrl:
      cluster.proxyUrl === undefined
        ? undefined
        : { value: cluster.proxyUrl, place: fieldOf(cluster.place, "proxy-url") },
  });
  const impersonate = user && impersonationOf(user);
  return {
    server,
    trust,
    credentials: await credentialsOf(user, { ...options, cluster, server, trust }),
    ...(impersonate !== undefined && { impersonate }),
    ...(proxy !== undefined && { proxy }),
    ...(cluster.disableCompression && { disableCompression: true }),
    namespace: selected.namespace,
    source: selected.source,
  };
}
