import { once } from "node:events";
import { connect } from "node:tls";
import { realClock, realRandom } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";
import { listen } from "./listen.ts";

const path = "/api/v1/namespaces/default/configmaps";

function creation(round: number): string {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `large-${round}` } };
  const body = JSON.stringify({ ...object, data: { a: `${round}${"x".repeat(900_000)}` } });
  const head = `host: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  return `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`;
}

it("an HTTP/1.1 client may send large requests while large answers are still on their way to it", async () => {
  const ca = await createAuthority({ name: "kedge-ca", clock: realClock, random: realRandom });
  const admin = await ca.issueClient({ user: "jane", groups: ["system:masters"] });
  await using server = await startServer({ clock: realClock });
  const door = await listen(server.api, {
    host: "127.0.0.1",
    port: 0,
    serving: await ca.issueServing({ name: "api", hosts: ["127.0.0.1"] }),
    clientAuthority: ca.certificate,
    clock: realClock,
  });
  const socket = connect({
    host: "127.0.0.1",
    port: door.port,
    ca: ca.certificate,
    cert: admin.certificate,
    key: admin.key,
  });
  await once(socket, "secureConnect");
  let text = "";
  const read = (data: Buffer): void => {
    text += data.toString("latin1").replaceAll("x", "");
  };
  socket.on("data", read);
  for (let at = 0; at < 8; at++) {
    socket.write(creation(at));
    await expect.poll(() => text.split("HTTP/1.1 201").length - 1).toBe(at + 1);
  }
  // More than fits in between, and the client does not take it before it has sent the next.
  socket.off("data", read).pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  await once(socket, "readable");
  socket.write(creation(8));
  await once(socket, "drain");
  socket.on("data", read).resume();
  await expect.poll(() => (socket.destroyed ? "cut off" : text.split("HTTP/1.1 201").length - 1)).toBe(9);
  socket.destroy();
  await door.close();
});
