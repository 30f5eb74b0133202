import type { Client } from "@kedge/client";
import { Namespace, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { startOracle, type Oracle } from "../oracle.ts";

/** An oracle for all tests of a file, and a namespace of its own for each. */
export interface OracleFixture {
  readonly oracle: Oracle;
  readonly client: Client;
  readonly namespace: string;
  key(name: string): { namespace: string; name: string };
}

/** Starts the oracle before the file's tests, and stops it after them. */
export function useOracle(): OracleFixture {
  let oracle: Oracle | undefined;
  let count = 0;
  const started = (): Oracle => {
    if (oracle === undefined) throw new Error("the oracle is there only while tests run");
    return oracle;
  };
  const namespace = (): string => `t${count}`;
  beforeAll(async () => {
    oracle = await startOracle();
  });
  afterAll(() => oracle?.stop());
  beforeEach(async () => {
    count++;
    await started()
      .admin.of(Namespace)
      .create({ metadata: { name: namespace() }, spec: {} });
    // The controller-manager would make it; without it no pod is admitted.
    await started()
      .admin.of(ServiceAccount)
      .create({ metadata: { namespace: namespace(), name: "default" } });
  });
  return {
    get oracle() {
      return started();
    },
    get client() {
      return started().admin;
    },
    get namespace() {
      return namespace();
    },
    key: (name) => ({ namespace: namespace(), name }),
  };
}
