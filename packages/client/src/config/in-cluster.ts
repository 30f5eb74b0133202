import { stat } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import { fileCredentials } from "./file-credentials.ts";
import { readAuthorities } from "./pem.ts";
import { chooseProxy } from "./proxy.ts";
import { readFailure, readFileIfThere, type FileReference } from "./read-file.ts";
import type { ClientConfig, ServerTrust } from "./types.ts";

/** Where a pod finds its service account. */
export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Instead of the pod's own namespace. */
  readonly namespace?: string | undefined;
  /** Default: where the kubelet mounts it. */
  readonly directory?: string | undefined;
}

const defaultDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The configuration that every pod has: the API server's service, and the pod's service account. */
export async function loadInCluster(options: InClusterOptions): Promise<ClientConfig> {
  const missing = await missingInCluster(options);
  if (missing !== undefined) {
    throw new ClientError("CONFIG", `not in a cluster: ${missing}`, {
      hint: "in a pod: does it have automountServiceAccountToken: false? elsewhere: use a kubeconfig",
    });
  }
  const { env, clock } = options;
  const server = serviceUrl(env);
  const proxy = chooseProxy({ server, env });
  return {
    server,
    trust: await readTrust(options),
    credentials: await fileCredentials({ tokenFile: mounted(options, "token") }, clock),
    ...(proxy !== undefined && { proxy }),
    namespace: await readNamespace(options),
    source: `service account of this pod (${folderOf(options)})`,
  };
}

/** Says what is missing for the in-cluster configuration; undefined when it is all there. */
export async function missingInCluster(options: InClusterOptions): Promise<string | undefined> {
  for (const name of ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"]) {
    if ((options.env[name] ?? "") === "") return `${name} is not set`;
  }
  const { file } = mounted(options, "token");
  try {
    await options.clock.track(stat(file));
    return undefined;
  } catch (error) {
    return `${file}: ${readFailure(error)}`;
  }
}

function serviceUrl(env: InClusterOptions["env"]): string {
  const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
  const url = `https://${isIPv6(host) ? `[${host}]` : host}:${env["KUBERNETES_SERVICE_PORT"]}`;
  if (URL.canParse(url)) return new URL(url).origin;
  throw new ClientError(
    "CONFIG",
    `environment: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: must be a host and a port, got "${url}"`,
  );
}

function mounted(options: InClusterOptions, name: string): FileReference {
  const file = join(folderOf(options), name);
  return { file, place: { document: "service account of this pod", path: name, code: "CONFIG" } };
}

function folderOf(options: InClusterOptions): string {
  return options.directory ?? defaultDirectory;
}

/** Without `ca.crt` the server must be one that Node.js trusts by itself, as for client-go. */
async function readTrust(options: InClusterOptions): Promise<ServerTrust> {
  const reference = mounted(options, "ca.crt");
  const pem = await readFileIfThere(reference, options.clock);
  if (pem === undefined) return {};
  return { ca: await readAuthorities({ ...reference, pem, file: undefined }, options.clock) };
}

/** POD_NAMESPACE, set by the downward API, goes before the service account's file, as for client-go. */
async function readNamespace(options: InClusterOptions): Promise<string> {
  const known = [options.namespace, options.env["POD_NAMESPACE"]].find((each) => (each ?? "") !== "");
  return (
    known ?? ((await readFileIfThere(mounted(options, "namespace"), options.clock))?.trim() || "default")
  );
}
