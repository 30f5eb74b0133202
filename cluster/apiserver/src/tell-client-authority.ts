import { deepEqual, isNotFound } from "@kedge/machinery";
import type { Objects } from "./registry/types.ts";

/** Who speaks for users, and who says so: PEM. */
export interface FrontProxy {
  readonly authority: string;
  readonly client: { readonly certificate: string; readonly key: string };
  /** The name in the certificate. */
  readonly name: string;
}

const key = { namespace: "kube-system", name: "extension-apiserver-authentication" };

/**
 * Tells servers beside this one (extension servers, metrics endpoints of the control plane) which client certificates to
 * believe, and who may speak for others, where they look for it. It may have been another authority when the server ran
 * the last time.
 */
export async function tellClientAuthority(
  objects: Objects,
  {
    clientAuthority,
    frontProxy,
  }: { readonly clientAuthority: string; readonly frontProxy: FrontProxy | undefined },
): Promise<void> {
  const resource = objects.registry.byKind("", "ConfigMap");
  if (resource === undefined) return;
  const data = {
    "client-ca-file": clientAuthority,
    ...(frontProxy !== undefined && {
      "requestheader-allowed-names": JSON.stringify([frontProxy.name]),
      "requestheader-client-ca-file": frontProxy.authority,
      "requestheader-extra-headers-prefix": JSON.stringify(["X-Remote-Extra-"]),
      "requestheader-group-headers": JSON.stringify(["X-Remote-Group"]),
      "requestheader-username-headers": JSON.stringify(["X-Remote-User"]),
    }),
  };
  try {
    await objects.update(resource, key, (current) => {
      if (deepEqual(current["data"], data)) return false;
      current["data"] = data;
      return true;
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await objects.create(resource, { apiVersion: "v1", kind: "ConfigMap", metadata: { ...key }, data });
  }
}
