import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { freePort, isTaken } from "./free-port.ts";

it("is the wished one, unless somebody listens there", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await isTaken(port)).toBe(true);
  expect(await freePort(port)).not.toBe(port);
  server.close();
  await once(server, "close");
  expect(await isTaken(port)).toBe(false);
  expect(await freePort(port)).toBe(port);
});
