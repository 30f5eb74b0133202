import { run } from "@stricli/core";
import { app } from "./app.ts";
import type { KedgeContext } from "./context.ts";
import { exitCodeFor } from "./exit-code.ts";
import { workspace } from "./programs.ts";

// A reader that has gone away (`kedge status | head -1`), or a terminal that was closed, does not end what is under way.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const context: KedgeContext = {
  process: {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    exitCode: null,
  },
  root: workspace,
};

await run(app, process.argv.slice(2), context);
process.exitCode = exitCodeFor(context.process.exitCode);
