import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { unlessOneFails } from "./unless-one-fails.ts";

const never = new Promise<void>(() => undefined);

it("a start whose server is killed does not go on waiting for it", async () => {
  const clock = new VirtualClock();
  const server = Promise.withResolvers<void>();
  let waiting = never;
  const start = unlessOneFails((signal) => (waiting = clock.sleep(1e9, signal)), [never, server.promise]);
  server.reject(new Error("server was ended by SIGKILL"));
  await expect(start).rejects.toThrow("server was ended by SIGKILL");
  // What still waited would keep the process alive.
  await expect(waiting).rejects.toThrow("aborted");
});

it("a start is not held up by parts that are not there yet", async () => {
  await expect(unlessOneFails(() => Promise.resolve(), [never, Promise.resolve()])).resolves.toBeUndefined();
});
