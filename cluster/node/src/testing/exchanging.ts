import { Worker } from "node:worker_threads";

/** What a container would do by `renameat2`: takes turns at putting one name in the place of the other, until disposed. */
export function exchanging(one: string, other: string): AsyncDisposable {
  const worker = new Worker(program, { eval: true, workerData: { one, other } });
  return {
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

const program = `
const { renameSync, rmSync } = require("node:fs");
const { one, other } = require("node:worker_threads").workerData;
const aside = one + ".aside";
for (;;) {
  renameSync(one, aside);
  for (let again = false; ; again = true) {
    try {
      // Somebody has made a folder of this name in between.
      if (again) rmSync(one, { recursive: true, force: true });
      renameSync(other, one);
      break;
    } catch {}
  }
  renameSync(aside, other);
}
`;
