import { deepEqual, isNotFound } from "@kedge/machinery";
import type { Objects } from "./registry/types.ts";

const key = { namespace: "kube-system", name: "extension-apiserver-authentication" };

/**
 * Tells servers beside this one (extension servers, metrics endpoints of the control plane) which client certificates to
 * believe, where they look for it. It may have been another authority when the server ran the last time.
 */
export async function tellClientAuthority(objects: Objects, authority: string): Promise<void> {
  const resource = objects.registry.byKind("", "ConfigMap");
  if (resource === undefined) return;
  const data = { "client-ca-file": authority };
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
