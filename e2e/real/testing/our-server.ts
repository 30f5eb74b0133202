import { createApiServer, listen, podConnects, proxyConnects } from "@kedge/apiserver";
import { realClock as clock, realRandom as random } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import type { ServerSetup } from "../control-plane.ts";

/** Why the real scheduler would not begin on our server: it waits for kinds that are not served. Undefined: it would. */
export function whyNoScheduler(): string | undefined {
  const { registry } = createApiServer({ store: createMemoryStore({ clock }), clock, random });
  const missing = waitedFor.filter(([group, kind]) => registry.byKind(group, kind) === undefined);
  return missing.length === 0 ? undefined : `our server has no ${missing.map(([, kind]) => kind).join(", ")}`;
}

const waitedFor = [
  ["storage.k8s.io", "CSIDriver"],
  ["storage.k8s.io", "CSINode"],
  ["storage.k8s.io", "CSIStorageCapacity"],
  ["storage.k8s.io", "VolumeAttachment"],
  ["resource.k8s.io", "DeviceClass"],
  ["resource.k8s.io", "ResourceClaim"],
  ["resource.k8s.io", "ResourceSlice"],
] as const;

/** Our API server in this process, in the place of etcd and kube-apiserver. */
export async function startOurServer({
  port,
  ca,
  serving,
  frontProxy,
  serviceAccountKey,
}: ServerSetup): Promise<AsyncDisposable> {
  const store = createMemoryStore({ clock });
  const clientCertificate = await ca.issueClient({ user: "kube-apiserver-kubelet-client" });
  const toNodes = { clock, authority: ca.certificate, clientCertificate };
  const server = createApiServer({
    store,
    clock,
    random,
    serverPort: port,
    advertiseAddress: "192.0.2.1",
    podConnects: podConnects(toNodes),
    proxies: proxyConnects(toNodes),
    clientAuthority: ca.certificate,
    frontProxy,
    serviceAccountKey,
  });
  await server.start();
  const door = await listen(server, {
    host: "127.0.0.1",
    port,
    serving,
    clientAuthority: ca.certificate,
    clock,
  });
  return {
    async [Symbol.asyncDispose]() {
      await door.close();
      await server.close();
      await store.close();
    },
  };
}
