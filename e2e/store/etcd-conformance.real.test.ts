import { realClock, realRandom } from "@kedge/machinery";
import { openEtcdStore } from "@kedge/store";
import { describeStore } from "@kedge/store/testing/conformance";
import { afterAll, beforeAll, describe } from "vitest";
import { startEtcd, type EtcdCluster } from "./testing/etcd-cluster.ts";
import { shiftedStore } from "./testing/shifted-store.ts";

describe("the store in a real etcd", () => {
  let etcd: EtcdCluster;
  let opened = 0;
  // A test writes 1,200 keys in one transaction; etcd takes 128 unless told.
  beforeAll(
    async () => void (etcd = await startEtcd({ args: ["--max-txn-ops=10000", "--unsafe-no-fsync"] })),
  );
  afterAll(() => etcd[Symbol.asyncDispose]());

  describeStore(
    async () => {
      const { endpoints } = etcd;
      // Each test has keys of its own, beside those of the tests before it.
      const prefix = `/${opened++}.`;
      return shiftedStore(await openEtcdStore({ endpoints, prefix, clock: realClock, random: realRandom }));
    },
    // Etcd counts in seconds, looks for what has run out twice a second, and knows only its own time.
    { inOrder: false, leases: { ttl: 5000, margin: 2500, pass: (_clock, ms) => realClock.sleep(ms) } },
  );
});
