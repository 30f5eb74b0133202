import { once } from "node:events";
import { createServer } from "node:net";
import { realClock } from "@kedge/machinery";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";
import { untilListening } from "./until-listening.ts";

it("waits until somebody listens, and says now and then that it does", async () => {
  const port = await freePort(0);
  const waits = Promise.withResolvers<void>();
  let isOver = false;
  const waiting = untilListening(port, { clock: realClock, onWait: waits.resolve }).then(
    () => (isOver = true),
  );
  await waits.promise;
  expect(isOver).toBe(false);
  const server = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(await waiting).toBe(true);
});
