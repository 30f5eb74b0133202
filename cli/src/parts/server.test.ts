import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock, realRandom } from "@kedge/machinery";
import { expect, it, onTestFinished } from "vitest";
import { ensureCertificates } from "../cluster/certificates.ts";
import { clusterFolder } from "../cluster/cluster-folder.ts";
import { newSettings, saveSettings } from "../cluster/cluster-settings.ts";
import { startPartProcess } from "../cluster/part-process.ts";

it("says which port was taken meanwhile, and the way out, without a stack", async () => {
  const folder = clusterFolder(mkdtempSync(join(tmpdir(), "kedge-server-")));
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => {
    taken.close();
    rmSync(folder.path, { recursive: true });
  });
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const settings = newSettings({ podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" }, realRandom);
  await saveSettings(folder, { ...settings, port });
  const { nodes } = settings;
  await ensureCertificates({
    folder,
    clock: realClock,
    random: realRandom,
    nodes,
    serverAddresses: ["10.96.0.1"],
  });
  mkdirSync(folder.logs, { recursive: true });
  const part = startPartProcess("server", { folder, clock: realClock });
  await part.ended;
  const problem = await part.ready.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Error);
  const { message } = problem as Error;
  expect(message).toContain(`port ${port} of 127.0.0.1 was free when this start looked`);
  expect(message).toContain("`kedge up --port <port>`");
  expect(message).not.toMatch(/^\s+at |EADDRINUSE/mu);
});
