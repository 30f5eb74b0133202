import { createApiServer, type ApiServer } from "@kedge/apiserver";
import { realClock, realRandom } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import type { Server } from "./player/server.ts";

/** Our own server, in this process, as the player sees it. */
export async function ourServer(): Promise<Server & { close(): Promise<void>; readonly api: ApiServer }> {
  const store = createMemoryStore({ clock: realClock });
  const serviceRange = "10.96.0.0/12";
  const api = createApiServer({ store, clock: realClock, random: realRandom, serviceRange });
  await api.start();
  const admin = api.doorFor({ name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] });
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
