import { once } from "node:events";
import { createServer } from "node:net";

/** The port if nobody listens on it, else any free one. */
export async function freePort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? wanted;
}

/** Whether somebody listens on the port of 127.0.0.1. */
export async function isTaken(port: number): Promise<boolean> {
  return (await tryPort(port)) === undefined;
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" ? address?.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
