import { basename, join } from "node:path";
import { realClock, silentLogger } from "@kedge/machinery";
import { createImageStore, createPackageCache, createRuncRuntime, findPrograms } from "@kedge/node";
import { cacheFolder } from "../laboratory.ts";

// A process for tests to kill: starts containers and a command in one of them, says which runc it uses, and stays.
const [, , folder = ""] = process.argv;
const path = process.env["PATH"] ?? "";
const clock = realClock;
const logger = silentLogger;
const cache = createPackageCache({ folder: cacheFolder(), clock, logger, path });
const programs = await findPrograms({ cache, clock, path });
const image = await createImageStore({ cache, clock, logger }).resolve("busybox:1.35");
const cgroupParent = basename(folder);
const runtime = await createRuncRuntime({
  folder: join(folder, "runtime"),
  programs,
  clock,
  logger,
  cgroupParent,
});
for (const id of ["one", "two"]) {
  await runtime.create({
    id,
    labels: {},
    image,
    command: ["sleep", "87654"],
    environment: {},
    workingDirectory: "/",
    user: { uid: 0, gid: 0, additionalGids: [] },
    hostname: id,
    mounts: [],
    networkNamespace: undefined,
    podUid: "pod",
    resources: {},
    privileged: false,
    readOnlyRootFilesystem: false,
    noNewPrivileges: false,
    capabilities: { add: [], drop: [] },
    tty: false,
    logPath: join(folder, `${id}.log`),
  });
}
await runtime.start("one");
await runtime.exec("one", { command: ["sleep", "87654"], tty: true });
process.stdout.write(`${programs.runc}\n`);
await clock.sleep(3_600_000);
