import { NetworkTransport } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import type { Oracle } from "../real/oracle.ts";
import type { Server } from "./player/server.ts";

/** The real server as the player sees it. `close` ends the connections. */
export function oracleServer(oracle: Oracle): Server & { close(): Promise<void> } {
  const nobody = { current: () => Promise.resolve({}), refused: () => false };
  const admin = new NetworkTransport(oracle.adminConfig, { clock: realClock });
  const anonymous = new NetworkTransport(
    { ...oracle.adminConfig, credentials: nobody },
    // The server ends a connection after an anonymous request: over HTTP/2 it refuses what else is on its way there.
    { clock: realClock, protocols: ["http/1.1"] },
  );
  return {
    send: (request) => admin.request(request),
    sendAnonymous: (request) => anonymous.request(request),
    close: async () => {
      await Promise.all([admin.close(), anonymous.close()]);
    },
  };
}
