import { seededRandom, silentLogger, VirtualClock } from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { defineController } from "../controller/define-controller.ts";
import { createManager } from "../manager/create-manager.ts";
import { brokenServer, MemoryApi } from "../testing/memory-api.ts";
import { Widget } from "../testing/widget.ts";
import { fenceTransport } from "./fence-transport.ts";
import { LeadershipError } from "./leadership-error.ts";
import { Leadership } from "./leadership.ts";

const key = { namespace: "system", name: "widgets" };

/** Managers that share a Lease on one server, each with a client that can be cut off. */
class Candidates {
  readonly clock = new VirtualClock();
  readonly api = new MemoryApi(this.clock);
  /** Who ran, and when. */
  readonly runs: { readonly who: string; readonly at: number }[] = [];
  readonly cutOff = new Set<string>();

  start(who: string): { readonly ended: Promise<unknown>; stop(): Promise<unknown> } {
    const client = this.api.client({ userAgent: who }).through((transport) => ({
      request: (request) => (this.cutOff.has(who) ? brokenServer() : transport.request(request)),
      upgrade: (request) => transport.upgrade(request),
      close: () => transport.close(),
    }));
    const manager = createManager({
      client,
      clock: this.clock,
      random: seededRandom(who),
      name: who,
      leaderElection: { ...key, identity: who },
    });
    manager.add(
      defineController({
        name: "widgets",
        for: Widget,
        reconcile: async (run) => {
          this.runs.push({ who, at: this.clock.monotonic() });
          const name = `${who}-${this.runs.length}`;
          await run.client.of(ConfigMap).create({ metadata: { namespace: "a", name } });
          return { requeueAfter: 500 };
        },
      }),
    );
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const ended = manager.run(end.signal).catch((error: unknown) => error);
    const stop = async (): Promise<unknown> => {
      end.abort();
      await this.clock.runUntil(ended);
      return await ended;
    };
    return { ended, stop };
  }

  async widget(): Promise<void> {
    const widget = { metadata: { namespace: "a", name: "one" }, spec: { parts: 1 } };
    await this.clock.runUntil(this.api.client().of(Widget).create(widget));
  }

  /** Since when, and until when, a candidate's writes have come to the server. */
  written(who: string): { readonly first: number; readonly last: number } {
    const times = this.runs.filter((run) => run.who === who).map(({ at }) => at);
    return { first: Math.min(...times), last: Math.max(...times) };
  }

  async holder(): Promise<string | undefined> {
    return (await this.clock.runUntil(this.api.client().of(Lease).get(key))).spec?.holderIdentity;
  }
}

describe("of managers that share a Lease", () => {
  it("one leads, and another goes on soon after it has stopped", async () => {
    const candidates = new Candidates();
    await candidates.widget();
    const one = candidates.start("one");
    await candidates.clock.advance(100);
    const two = candidates.start("two");
    await candidates.clock.advance(60_000);
    expect(new Set(candidates.runs.map(({ who }) => who))).toEqual(new Set(["one"]));
    expect(await candidates.holder()).toBe("one");
    const stopped = candidates.clock.monotonic();
    expect(await one.stop()).toBeUndefined();
    expect(await candidates.holder()).toBe("");
    await candidates.clock.advance(5000);
    expect(await candidates.holder()).toBe("two");
    // A released Lease says one second, by the watcher's clock, and is asked for every two to 2.4.
    expect(candidates.written("two").first - stopped).toBeLessThan(5000);
    await two.stop();
  });

  it("one that hears nothing of the server stops before another begins", async () => {
    const candidates = new Candidates();
    await candidates.widget();
    const one = candidates.start("one");
    await candidates.clock.advance(100);
    const two = candidates.start("two");
    await candidates.clock.advance(10_000);
    candidates.cutOff.add("one");
    const cut = candidates.clock.monotonic();
    await candidates.clock.advance(30_000);
    expect(await one.ended).toBeInstanceOf(LeadershipError);
    expect(candidates.written("one").last).toBeLessThan(cut + 10_000);
    expect(candidates.written("two").first).toBeGreaterThan(cut + 10_000);
    expect(candidates.written("two").first).toBeLessThan(cut + 18_000);
    await two.stop();
  });

  it("the leader survives that its Lease is deleted, or written by others", async () => {
    const candidates = new Candidates();
    await candidates.widget();
    const one = candidates.start("one");
    await candidates.clock.advance(5000);
    const leases = candidates.api.client().of(Lease);
    await candidates.clock.runUntil(leases.delete(key));
    await candidates.clock.advance(8000);
    expect(await candidates.holder()).toBe("one");
    await candidates.clock.runUntil(leases.patch(key, { merge: { metadata: { labels: { by: "jane" } } } }));
    await candidates.clock.advance(8000);
    expect(await candidates.holder()).toBe("one");
    expect(await one.stop()).toBeUndefined();
  });

  it("a leader whose Lease was taken away ends at once", async () => {
    const candidates = new Candidates();
    await candidates.widget();
    const one = candidates.start("one");
    await candidates.clock.advance(5000);
    const spec = { holderIdentity: "thief", leaseDurationSeconds: 15 };
    await candidates.clock.runUntil(candidates.api.client().of(Lease).patch(key, { merge: { spec } }));
    const taken = candidates.clock.monotonic();
    await candidates.clock.advance(5000);
    expect(await one.ended).toMatchObject({
      code: "LOST",
      message: expect.stringContaining("thief") as string,
    });
    expect(candidates.written("one").last - taken).toBeLessThan(2500);
  });
});

describe("a fence", () => {
  const election = { ...key, identity: "we" };

  it("stops writes from the deadline on, before any timer could tell, and lets reads pass", async () => {
    const candidates = new Candidates();
    const { clock, api } = candidates;
    const fence = { until: 0, lost: new AbortController().signal };
    const client = api.client().through((transport) => fenceTransport(transport, { fence, election, clock }));
    const write = () =>
      client.of(ConfigMap).create({ metadata: { namespace: "a", generateName: "x-", name: "x" } });
    await expect(clock.runUntil(write())).rejects.toMatchObject({ code: "NOT_LEADER" });
    fence.until = clock.monotonic() + 1000;
    await clock.runUntil(write());
    fence.until = clock.monotonic();
    await expect(clock.runUntil(client.of(ConfigMap).delete({ namespace: "a", name: "x" }))).rejects.toThrow(
      "we do not hold it",
    );
    await clock.runUntil(client.of(ConfigMap).get({ namespace: "a", name: "x" }));
  });

  it("ends writes that are under way when leadership is lost", async () => {
    const candidates = new Candidates();
    const { clock, api } = candidates;
    const lost = new AbortController();
    api.onRequest = () => clock.sleep(60_000);
    const fence = { until: Infinity, lost: lost.signal };
    const client = api.client().through((transport) => fenceTransport(transport, { fence, election, clock }));
    const write = client.of(ConfigMap).create({ metadata: { namespace: "a", name: "x" } });
    write.catch(() => undefined);
    await clock.advance(100);
    lost.abort(new LeadershipError("LOST", election));
    await expect(clock.runUntil(write)).rejects.toMatchObject({ code: "ABORTED" });
    expect(clock.monotonic()).toBeLessThan(1000);
  });
});

it.each(Array.from({ length: 20 }, (_, seed) => seed))(
  "no two may write at one time, whatever is lost and late (seed %i)",
  async (seed) => {
    const candidates = new Candidates();
    const { clock, api } = candidates;
    const random = seededRandom(`leadership ${seed}`);
    const trouble = async (): Promise<void> => {
      const dice = random.next();
      if (dice < 0.15) await clock.sleep(random.next() * 12_000);
      else if (dice < 0.3) brokenServer();
    };
    api.onRequest = trouble;
    api.onAnswer = trouble;
    const end = new AbortController();
    const all = ["a", "b", "c"].map((identity) => candidateFor(identity));
    /** Starts again whenever it was deposed. */
    function candidateFor(identity: string): { current: Leadership; readonly ended: Promise<void> } {
      const options = {
        election: { ...key, identity },
        client: api.client(),
        clock,
        random: seededRandom(`${seed} ${identity}`),
        logger: silentLogger,
      };
      const candidate = { current: new Leadership(options), ended: Promise.resolve() };
      const run = async (): Promise<void> => {
        while (!end.signal.aborted) {
          await candidate.current.run(end.signal).catch(() => undefined);
          candidate.current = new Leadership(options);
        }
      };
      return Object.assign(candidate, { ended: run() });
    }
    let led = 0;
    for (let step = 0; step < 2000; step++) {
      await clock.advance(100);
      const leaders = all.filter(({ current }) => current.until > clock.monotonic());
      expect(leaders.length).toBeLessThanOrEqual(1);
      led += leaders.length;
    }
    expect(led).toBeGreaterThan(200);
    end.abort();
    await clock.runUntil(Promise.all(all.map(({ ended }) => ended)));
  },
);
