import { once } from "node:events";
import { createServer } from "node:net";
import { hasCode } from "@kedge/machinery";
import { takenBy, type ClusterRanges } from "@kedge/network";

let mine: Promise<ClusterRanges> | undefined;

/**
 * Address ranges for the networks that tests make in their own process: none that `kedge up` would choose, and none of
 * another process that runs tests now. One claim for each process, held until it ends.
 */
export function testRanges(): Promise<ClusterRanges> {
  return (mine ??= claim());
}

async function claim(): Promise<ClusterRanges> {
  for (let slot = 0; slot < 30; slot++) {
    const ranges = { podRange: `10.${64 + slot}.0.0/16`, serviceRange: `10.${160 + slot}.0.0/16` };
    if (takenBy(ranges) === undefined && (await hold(`kedge-test-range-${slot}`))) return ranges;
  }
  throw new Error("no free address range: 30 processes run tests that make networks");
}

/** Listens by an abstract name, which one process can have, and which ends with it. False: another has it. */
async function hold(name: string): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(`\0${name}`), "listening");
  } catch (error) {
    if (hasCode(error, "EADDRINUSE")) return false;
    throw error;
  }
  server.unref();
  return true;
}
