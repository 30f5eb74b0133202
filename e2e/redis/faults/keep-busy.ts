import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker } from "node:worker_threads";
import { realClock } from "@kedge/machinery";

/** Keeps so many cores busy, beside what else runs on the machine: where that is enough by itself, this rests. */
export function keepBusy(threads: number): AsyncDisposable {
  const program = fileURLToPath(import.meta.url);
  const workers = Array.from({ length: threads }, () => new Worker(program));
  return {
    async [Symbol.asyncDispose]() {
      for (const worker of workers) await worker.terminate();
    },
  };
}

async function spin(): Promise<never> {
  for (;;) {
    // What these threads do themselves counts, too.
    const isBusy = (loadavg()[0] ?? 0) > cpus().length + 1;
    const until = realClock.monotonic() + 1000;
    if (isBusy) await realClock.sleep(1000);
    else while (realClock.monotonic() < until);
  }
}

if (!isMainThread) await spin();
