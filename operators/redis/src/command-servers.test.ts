import { messageOf, seededRandom, silentLogger } from "@kedge/machinery";
import { cachesOf } from "@kedge/testkit";
import { expect, it } from "vitest";
import { checkCopies } from "./command-servers.ts";
import { ConfigTrials } from "./config-trials.ts";
import { newContent } from "./credentials/content.ts";
import { RedisFailure } from "./engine/failure.ts";
import type { Engine } from "./engine/types.ts";
import { systemSecretOf } from "./specs/system-secret.ts";
import { instanceOf } from "./testing/builders.ts";
import { UserTrials } from "./user-trials.ts";

const instance = instanceOf({ replicas: 3 });
const primary = "role:master\r\nmaster_replid:a";
const follower = "role:slave\r\nmaster_replid:a\r\nmaster_link_status:up\r\nmaster_sync_in_progress:0";

/** Asks cache-0, the primary, and cache-1 before a copy goes. Gives how that ended. */
async function checkWith(...said: readonly (string | RedisFailure)[]): Promise<string> {
  const engine: Engine = {
    server: (address) => ({
      address,
      call: () => {
        const answer = said[Number(address.host.at(-1))] ?? "";
        return answer instanceof RedisFailure ? Promise.reject(answer) : Promise.resolve([answer]);
      },
      onLost: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
  };
  const { metadata, ...secret } = systemSecretOf(instance, newContent("k"));
  const stored = { resourceVersion: "7", creationTimestamp: "2026-11-16T00:00:00Z", uid: "s" };
  const acting = {
    context: {
      signal: new AbortController().signal,
      ...cachesOf([{ ...secret, kind: "Secret", metadata: { ...metadata, ...stored } } as never]),
      logger: silentLogger,
    },
    instance,
    secretRandom: seededRandom(1),
    engine,
    trials: new ConfigTrials(),
    userTrials: new UserTrials(),
  } as never;
  const target = (n: number) => ({ pod: `cache-${n}`, host: `10.0.0.${n}`, as: "kedge-operator-1" });
  const copies = { primary: target(0), replicas: [target(1)] };
  return await checkCopies(copies, acting).then(() => "copies", messageOf);
}

it("lets a copy go that the primary and its replicas have", async () => {
  expect(await checkWith(primary, follower)).toBe("copies");
});

it.each([
  ["the primary is one no more", [follower, follower], "A copy of the data is kept"],
  ["the primary does not answer", [new RedisFailure("TIMEOUT", "nothing said"), follower], "nothing said"],
  ["a replica has lost its link", [primary, follower.replace(":up", ":down")], "A copy of the data is kept"],
  ["a replica is sent all data", [primary, follower.replace(":0", ":1")], "A copy of the data is kept"],
  ["a replica has other data", [primary, follower.replace("id:a", "id:b")], "A copy of the data is kept"],
] as const)("keeps a copy when %s", async (_when, said, why) => {
  expect(await checkWith(...said)).toContain(why);
});
