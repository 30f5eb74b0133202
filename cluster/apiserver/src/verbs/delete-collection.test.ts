import { macrotask, VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";

/** A machine that takes a while for everything. */
class SlowClock extends VirtualClock {
  #steps = 0;
  override monotonic(): number {
    this.#steps += 10;
    return this.#steps;
  }
}

it.each(["dryRun=All", "labelSelector=no%3Done"])(
  "a collection to delete with %s lets others in",
  async (query) => {
    await using server = await startServer({ clock: new SlowClock() });
    const count = 50;
    for (let at = 0; at < count; at++) await server.ask("POST", maps, { metadata: { name: `m${at}` } });
    let turns = 0;
    const done = new AbortController();
    const counting = (async () => {
      for (; !done.signal.aborted; turns++) await macrotask();
    })();
    expect((await server.ask("DELETE", `${maps}?${query}`)).status).toBe(200);
    done.abort();
    await counting;
    expect(turns).toBeGreaterThanOrEqual(count);
  },
);
