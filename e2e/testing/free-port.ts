import { once } from "node:events";
import { createServer } from "node:net";
import { realRandom } from "@kedge/machinery";

/**
 * A port for a server of a test, which may be stopped and started again there: none that Linux gives to connections that
 * go out (from 32768), and not the one that every other cluster wishes for.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + realRandom.int(20_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
