import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { createApiServer, podConnects, proxyConnects, type ApiServer } from "@kedge/apiserver";
import { realClock as clock, realRandom as random } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { createMemoryStore } from "@kedge/store";
import type { Server } from "./player/server.ts";

/** Our own server, in this process, as the player sees it. */
export async function ourServer(): Promise<Server & { close(): Promise<void>; readonly api: ApiServer }> {
  const store = createMemoryStore({ clock });
  const ca = await createAuthority({ name: "kedge-ca", clock, random });
  const clientCertificate = await ca.issueClient({ user: "kube-apiserver", groups: [] });
  // No node is there: what the scripts ask of logs is answered before one is needed.
  const toNodes = { clientCertificate, authority: ca.certificate, clock };
  const connects = podConnects(toNodes);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const serviceAccountKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const api = createApiServer({
    store,
    clock,
    random,
    podConnects: connects,
    proxies: proxyConnects(toNodes),
    serviceAccountKey,
  });
  await api.start();
  // What the other door reads from the certificate of a connection.
  const { fingerprint256 } = new X509Certificate(clientCertificate.certificate);
  const fingerprint = fingerprint256.replaceAll(":", "").toLowerCase();
  const admin = api.doorFor({
    name: "kubernetes-admin",
    groups: ["system:masters", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  });
  return {
    api,
    send: admin.handle,
    sendAnonymous: api.handle,
    close: async () => {
      await api.close();
      await store.close();
    },
  };
}
