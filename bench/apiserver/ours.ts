/** Our API server as a process of its own, over a durable store. Says where it listens, and ends with its parent. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer, listen } from "@kedge/apiserver";
import { realClock, realRandom } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { openLmdbStore } from "@kedge/store";

const [clock, random] = [realClock, realRandom];
const folder = mkdtempSync(join(tmpdir(), "kedge-bench-"));
const authority = await createAuthority({ name: "bench", clock, random });
const serving = await authority.issueServing({ name: "bench", hosts: ["127.0.0.1"] });
const admin = await authority.issueClient({ user: "admin", groups: ["system:masters"] });
const store = await openLmdbStore({ folder: join(folder, "store"), clock });
const server = createApiServer({ store, clock, random });
await server.start();
const door = await listen(server, {
  host: "127.0.0.1",
  port: 0,
  serving,
  clientAuthority: authority.certificate,
  clock,
});
const kubeconfig = join(folder, "kubeconfig");
writeFileSync(kubeconfig, kubeconfigFor(`https://127.0.0.1:${door.port}`));
process.send?.({ kubeconfig, pids: [process.pid] });
process.once("disconnect", () => {
  void (async () => {
    await door.close();
    await server.close();
    await store.close();
    rmSync(folder, { recursive: true });
  })();
});

function kubeconfigFor(url: string): string {
  const data = (text: string): string => Buffer.from(text).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "a", cluster: { server: url, "certificate-authority-data": data(authority.certificate) } },
    ],
    users: [
      {
        name: "a",
        user: { "client-certificate-data": data(admin.certificate), "client-key-data": data(admin.key) },
      },
    ],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    "current-context": "a",
  });
}
