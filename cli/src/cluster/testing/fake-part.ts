import { realClock } from "@kedge/machinery";
import { tellStarter } from "../part-messages.ts";

// For tests: a part that does what it is told to, and is otherwise alive until it is asked to stop.
const [, , how = ""] = process.argv;
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort()).on("disconnect", () => stop.abort());
if (how === "fails") {
  process.stdout.write("the last words\n");
  process.exitCode = 3;
  process.disconnect();
} else {
  process.on("SIGUSR2", () => {
    for (;;);
  });
  tellStarter({ type: "progress", what: "half of it" });
  tellStarter({ type: "ready" });
  for (;;) {
    tellStarter({ type: "beat" });
    await realClock.sleep(100, stop.signal).catch(() => undefined);
    if (stop.signal.aborted) break;
  }
  if (process.connected) process.disconnect();
}
