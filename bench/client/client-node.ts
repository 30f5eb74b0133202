import type { Subject } from "./subject.ts";

/** As much of @kubernetes/client-node as is called here; it is installed only for measurements. */
interface ClientNode {
  readonly KubeConfig: new () => {
    loadFromFile(path: string): void;
    makeApiClient<T>(type: new (...args: never) => T): T;
  };
  readonly CoreV1Api: new () => {
    readNamespacedPod(request: { name: string; namespace: string }): Promise<unknown>;
    listPodForAllNamespaces(): Promise<{ items: unknown[] }>;
  };
}

/** The official client, with its defaults. */
export async function clientNode(kubeconfig: string): Promise<Subject> {
  const entry = new URL("../peers/node_modules/@kubernetes/client-node/dist/index.js", import.meta.url);
  const { KubeConfig, CoreV1Api } = (await import(entry.href)) as ClientNode;
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  return {
    get: async () => void (await api.readNamespacedPod({ name: "web-000000", namespace: "team-0" })),
    list: async () => (await api.listPodForAllNamespaces()).items,
  };
}
