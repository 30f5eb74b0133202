import { seededRandom, silentLogger } from "@kedge/machinery";
import { cachesOf } from "@kedge/testkit";
import { expect, it } from "vitest";
import { setUsers } from "./act-users.ts";
import { ConfigTrials } from "./config-trials.ts";
import { newContent } from "./credentials/content.ts";
import { replyFailure } from "./engine/failure.ts";
import type { Engine } from "./engine/types.ts";
import { systemSecretOf } from "./specs/system-secret.ts";
import { instanceOf } from "./testing/builders.ts";
import { UserTrials } from "./user-trials.ts";

const instance = instanceOf({ replicas: 2 });

/** Gives a server its users, of which it refuses the one of that name when it comes to it. Gives what it was told. */
async function setWith(refused: string): Promise<readonly string[]> {
  const said: string[] = [];
  const engine: Engine = {
    server: (address) => ({
      address,
      call: (commands) => {
        said.push(...commands.map((command) => command.slice(0, 3).join(" ")));
        const results = commands
          .slice(1, -1)
          .map(([, , user]) => (user === refused ? replyFailure("ERR Error in ACL SETUSER") : "OK"));
        return Promise.resolve([...commands.slice(1).map(() => "QUEUED"), results]);
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
  const server = { pod: "cache-0", host: "10.0.0.0", as: "kedge-operator-1" };
  await setUsers({ type: "set users", server, users: [] } as never, acting);
  return said;
}

const marker = expect.stringMatching(/^ACL SETUSER kedge-users-/u) as unknown;

it("says that a server has its users when it has taken all of them", async () => {
  expect(await setWith("nobody")).toContainEqual(marker);
});

it("does not say so of one that has refused one: it is told again", async () => {
  const said = await setWith("kedge-operator-1");
  expect(said).toContain("ACL SETUSER kedge-operator-1");
  expect(said).not.toContainEqual(marker);
  expect(said).not.toContain("ACL SAVE");
});
