import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A port of this machine that leads to another. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
}

/** Opens a way from an address of this machine to a port of 127.0.0.1: for programs in rooms, who cannot go there. */
export async function openRelay(host: string, to: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const join = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket
      .on("error", () => other.destroy())
      .on("close", () => {
        sockets.delete(socket);
        other.destroy();
      })
      .pipe(other);
  };
  const server = createServer((socket) => {
    const other = connect(to, "127.0.0.1");
    join(socket, other);
    join(other, socket);
  });
  await once(server.listen(0, host), "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
