import { writeSync } from "node:fs";
import { realClock } from "@kedge/machinery";
import { openLmdbStore } from "../lmdb/lmdb-store.ts";

/**
 * A process that writes keys, some at a time, and says each on standard output once it is acknowledged:
 * `node writer.ts <folder> <how many at a time> <how many>`. It says so by a system call of its own, so that a trace
 * shows the order.
 */
const [, , folder = "", atATime = "1", count = "Infinity"] = process.argv;
const store = await openLmdbStore({ folder, clock: realClock });
let next = 0;
await Promise.all(
  Array.from({ length: Number(atATime) }, async () => {
    while (next < Number(count)) {
      const key = `k${next++}`;
      const { revision } = await store.transaction({
        success: [{ type: "put", key, value: Buffer.alloc(100, "x") }],
      });
      writeSync(1, `ack ${key} ${revision}\n`);
    }
  }),
);
await store.close();
