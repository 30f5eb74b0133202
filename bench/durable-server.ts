import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer, listen, type ApiServer } from "@kedge/apiserver";
import { realClock as clock, realRandom as random } from "@kedge/machinery";
import { createAuthority, type Authority, type CertificateWithKey } from "@kedge/pki";
import { openLmdbStore } from "@kedge/store";
import { kubeconfigText } from "./kubeconfig.ts";

/** Our API server in this process, over a durable store in a temporary folder. */
export interface DurableServer {
  readonly server: ApiServer;
  readonly authority: Authority;
  /** What it serves with; good for others on this machine, too. */
  readonly serving: CertificateWithKey;
  /** The path of the administrator's. */
  readonly kubeconfig: string;
  /** Goes with it. */
  readonly folder: string;
  readonly close: () => Promise<void>;
}

/** Starts one; it listens on a free port of this machine. */
export async function startDurableServer(): Promise<DurableServer> {
  const folder = mkdtempSync(join(tmpdir(), "kedge-bench-"));
  const authority = await createAuthority({ name: "bench", clock, random });
  const serving = await authority.issueServing({ name: "bench", hosts: ["127.0.0.1"] });
  const admin = await authority.issueClient({ user: "admin", groups: ["system:masters"] });
  const store = await openLmdbStore({ folder: join(folder, "store"), clock });
  const server = createApiServer({ store, clock, random });
  await server.start();
  const place = { host: "127.0.0.1", port: 0, serving, clientAuthority: authority.certificate };
  const door = await listen(server, { ...place, clock });
  const kubeconfig = join(folder, "kubeconfig");
  const url = `https://127.0.0.1:${door.port}`;
  writeFileSync(kubeconfig, kubeconfigText({ url, authority: authority.certificate, identity: admin }));
  return {
    server,
    authority,
    serving,
    kubeconfig,
    folder,
    close: async () => {
      await door.close();
      await server.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
