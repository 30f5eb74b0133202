import { VirtualClock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { ClientError } from "../client-error.ts";
import { RenewingCredentials } from "./renewing-credentials.ts";
import { failureOf } from "./testing/failure-of.ts";
import type { Identity } from "./types.ts";

/** A source that gives what it is told to, one second fresh and ten seconds usable, and counts how often it is asked. */
function scripted(...answers: (Identity | Error)[]) {
  const clock = new VirtualClock();
  const asked = { count: 0, aborted: 0 };
  const credentials = new RenewingCredentials({
    clock,
    what: "the source",
    renew: async (signal) => {
      const answer = answers[Math.min(asked.count, answers.length - 1)];
      asked.count += 1;
      signal.addEventListener("abort", () => (asked.aborted += 1));
      await clock.sleep(5, signal);
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer");
      const from = clock.monotonic();
      return {
        identity: answer,
        isFresh: () => clock.monotonic() - from < 1000,
        isUsable: () => clock.monotonic() - from < 10_000,
      };
    },
  });
  const current = (signal?: AbortSignal): Promise<Identity> => clock.runUntil(credentials.current(signal));
  return { clock, asked, credentials, current };
}

const a = { authorization: "Bearer a" };
const b = { authorization: "Bearer b" };
const pair = { certificate: "c", key: "k" };

describe("an identity", () => {
  test("is kept while it is fresh and asked for again after that", async () => {
    const { clock, asked, current } = scripted(a, b);
    expect(await current()).toBe(a);
    await clock.advance(999);
    expect(await current()).toBe(a);
    expect(asked.count).toBe(1);
    await clock.advance(1);
    expect(await current()).toBe(b);
    expect(asked.count).toBe(2);
  });

  test("that did not change stays the same object, its certificate also when the token changed", async () => {
    const { clock, current } = scripted(
      { ...a, clientCertificate: pair },
      { ...a, clientCertificate: { ...pair } },
      { ...b, clientCertificate: { ...pair } },
      { ...b, clientCertificate: { ...pair, key: "other" } },
    );
    const first = await current();
    await clock.advance(1000);
    expect(await current()).toBe(first);
    await clock.advance(1000);
    const third = await current();
    expect(third.authorization).toBe("Bearer b");
    expect(third.clientCertificate).toBe(pair);
    await clock.advance(1000);
    expect((await current()).clientCertificate).toEqual({ ...pair, key: "other" });
  });

  test("is asked for once, however many wait for it", async () => {
    const { clock, asked, credentials } = scripted(a);
    const all = Promise.all([1, 2, 3].map(() => credentials.current()));
    expect(await clock.runUntil(all)).toEqual([a, a, a]);
    expect(asked.count).toBe(1);
  });
});

describe("a source that fails", () => {
  test("fails its callers, all of them, and is asked again by the next", async () => {
    const { clock, asked, credentials, current } = scripted(new ClientError("CONFIG", "broken"), a);
    const both = Promise.all([failureOf(credentials.current()), failureOf(credentials.current())]);
    expect((await clock.runUntil(both)).map((error) => error.message)).toEqual(["broken", "broken"]);
    expect(await current()).toBe(a);
    expect(asked.count).toBe(2);
  });

  test("is covered by what is still usable, and left alone for ten seconds", async () => {
    const { clock, asked, current } = scripted(a, new Error("broken"), b);
    await current();
    await clock.advance(1000);
    expect(await current()).toBe(a);
    await clock.advance(5000);
    expect(await current()).toBe(a);
    expect(asked.count).toBe(2);
    await clock.advance(5000);
    expect(await current()).toBe(b);
  });

  test("is not covered by what is past its end, nor by what the server refused", async () => {
    const late = scripted(a, new ClientError("CONFIG", "broken"));
    await late.current();
    await late.clock.advance(10_000);
    expect((await failureOf(late.current())).message).toBe("broken");

    const refused = scripted(a, new ClientError("CONFIG", "broken"));
    refused.credentials.refused(await refused.current());
    expect((await failureOf(refused.current())).message).toBe("broken");
  });
});

describe("after a 401", () => {
  test("the source is asked at once, and all who were refused may try again", async () => {
    const { asked, credentials, current } = scripted(a, b);
    const first = await current();
    expect([credentials.refused(first), credentials.refused(first)]).toEqual([true, true]);
    expect(await current()).toBe(b);
    expect(asked.count).toBe(2);
    expect(credentials.refused(first)).toBe(true);
    expect(await current()).toBe(b);
    expect(asked.count).toBe(2);
  });

  test("trying again ends when the source insists, and it is asked again only after ten seconds", async () => {
    const { clock, asked, credentials, current } = scripted(a, { ...a }, { ...a }, b);
    expect(credentials.refused(await current())).toBe(true);
    const again = await current();
    expect(again).toBe(a);
    expect(credentials.refused(again)).toBe(false);
    expect(await current()).toBe(a);
    expect(asked.count).toBe(2);
    await clock.advance(10_000);
    expect(await current()).toBe(a);
    expect(credentials.refused(a)).toBe(false);
    await clock.advance(10_000);
    expect(await current()).toBe(b);
    expect(credentials.refused(b)).toBe(true);
  });

  test("an insisting source is asked again although what it gave is fresh", async () => {
    const clock = new VirtualClock();
    const answers = [a, a, b];
    const credentials = new RenewingCredentials({
      clock,
      what: "the source",
      renew: () =>
        Promise.resolve({ identity: answers.shift() ?? {}, isFresh: () => true, isUsable: () => true }),
    });
    credentials.refused(await credentials.current());
    credentials.refused(await credentials.current());
    expect(await credentials.current()).toBe(a);
    await clock.advance(10_000);
    expect(credentials.refused(a)).toBe(false);
    expect(await credentials.current()).toBe(b);
  });
});

describe("a caller that leaves", () => {
  test("does not disturb the others", async () => {
    const { clock, asked, credentials } = scripted(a);
    const controller = new AbortController();
    const leaving = failureOf(credentials.current(controller.signal));
    const staying = credentials.current();
    controller.abort();
    expect((await leaving).code).toBe("ABORTED");
    expect(await clock.runUntil(staying)).toBe(a);
    expect(asked).toMatchObject({ count: 1 });
  });

  test("by its deadline is told so", async () => {
    const { clock, credentials } = scripted(a);
    using deadline = clock.deadline(2);
    const error = await clock.runUntil(failureOf(credentials.current(deadline.signal)));
    expect(error.code).toBe("DEADLINE");
    expect(error.message).toContain("the source");
  });

  test("as the last one stops the source, and the next caller starts it anew", async () => {
    const { asked, credentials, current } = scripted(a);
    const controller = new AbortController();
    const leaving = failureOf(credentials.current(controller.signal));
    controller.abort();
    expect((await leaving).code).toBe("ABORTED");
    expect(asked).toEqual({ count: 1, aborted: 1 });
    expect(await current()).toBe(a);
    expect(asked.count).toBe(2);
  });

  test("as the last one does not make the run of the next caller be forgotten", async () => {
    const { clock, asked, credentials } = scripted(a);
    const controller = new AbortController();
    const leaving = failureOf(credentials.current(controller.signal));
    controller.abort();
    await leaving;
    const next = credentials.current();
    await clock.settle();
    const another = credentials.current();
    expect(await clock.runUntil(Promise.all([next, another]))).toEqual([a, a]);
    expect(asked.count).toBe(2);
  });

  test("before it came does not start the source for long", async () => {
    const { asked, credentials } = scripted(a);
    expect((await failureOf(credentials.current(AbortSignal.abort()))).code).toBe("ABORTED");
    expect(asked.aborted).toBe(asked.count);
  });
});
