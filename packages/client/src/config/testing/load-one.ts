import { realClock } from "@kedge/machinery";
import { loadKubeconfig, type KubeconfigOptions } from "../kubeconfig.ts";
import type { ClientConfig } from "../types.ts";
import { pairs } from "./certificates.ts";
import { tempFolder } from "./temp-folder.ts";

/** Base64 of a text. */
export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Loads a kubeconfig with one context whose cluster and user are given. */
export async function load(
  parts: { cluster?: object; user?: object; context?: object },
  options: Partial<KubeconfigOptions> = {},
): Promise<ClientConfig> {
  const folder = await tempFolder();
  await folder.write("ca.crt", pairs.one.certificate);
  await folder.write("tls.crt", pairs.two.certificate);
  await folder.write("tls.key", pairs.two.key);
  await folder.write("token", "from-file\n");
  const path = await folder.write("config", {
    "current-context": "main",
    clusters: [{ name: "c", cluster: { server: "https://k8s:6443", ...parts.cluster } }],
    users: [{ name: "u", user: parts.user ?? {} }],
    contexts: [{ name: "main", context: { cluster: "c", user: "u", ...parts.context } }],
  });
  return loadKubeconfig({ env: {}, clock: realClock, path, ...options });
}
