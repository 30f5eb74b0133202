import type { Container } from "@kedge/machinery/kinds/core/v1";
import type { Chooser } from "../fuzz/chooser.ts";

/** What a container does, and what it needs for it. */
export type Behaviour = Pick<Container, "command" | "args" | "image" | "resources" | "stdin" | "tty">;

const shell = (script: string, image = "busybox:1.35"): Behaviour => ({
  image,
  command: ["sh", "-c", script],
});

const quiet = "trap 'exit 0' TERM; sleep 1000 & wait";

/** Runs and ends when it is told to. */
const wellBehaved: readonly Behaviour[] = [
  shell(quiet),
  shell(quiet, "kedge.dev/host:any"),
  { image: "kedge.dev/echo:1" },
  { ...shell("cat; exec sleep 1000"), stdin: true },
  { ...shell("sh; exec sleep 1000"), stdin: true, tty: true },
];

/** Ends by itself, well or badly. */
const shortLived: readonly Behaviour[] = [
  shell("exit 0"),
  shell("echo done > /dev/termination-log; sleep 1"),
  shell("echo oops >&2; exit 3"),
  shell("kill -9 $$"),
  { ...shell("x=a; while true; do x=$x$x; done"), resources: { limits: { memory: "24Mi" } } },
];

/** Does what no one should. */
const illBehaved: readonly Behaviour[] = [
  shell("trap '' TERM INT HUP; while true; do sleep 1; done"),
  shell("i=0; while [ $i -lt 150 ]; do sleep 1000 & i=$((i+1)); done; wait"),
  shell("setsid sh -c 'trap \"\" TERM; while true; do sleep 1; done' & exit 0"),
  shell("i=0; while [ $i -lt 20 ]; do (sleep 0.01 &); i=$((i+1)); done; exec sleep 1000"),
  shell("i=0; while [ $i -lt 20000 ]; do echo line $i of a talkative one; i=$((i+1)); done; exec sleep 1000"),
  {
    ...shell("head -c 9000000 /dev/zero > /file; sleep 1000"),
    resources: { limits: { "ephemeral-storage": "1Mi" } },
  },
  // Paths that no system call takes in one piece.
  shell(
    "for at in / /v0 /v1; do cd $at && i=0; while [ $i -lt 120 ]; do mkdir a123456789012345678901234567890123456789 && cd -P a123456789012345678901234567890123456789; i=$((i+1)); done; done; exec sleep 1000",
  ),
  shell(
    "cd /v0; touch \"$(printf 'a\\nb\\377')\"; mkfifo f; mkdir d; chmod 0 d; ln -s / root; mknod n c 1 3; exec sleep 1000",
  ),
  shell("mount -t tmpfs none /mnt; mount --bind /mnt /v0; exec sleep 1000"),
  shell("exec 3<>/v0/open; rm /v0/open; cd /v0; exec sleep 1000"),
];

/** Never begins. */
const impossible: readonly Behaviour[] = [
  { image: "no.such/image:1" },
  { image: "redis:0.1" },
  { image: "busybox:1.35", command: ["/no/such/program"] },
  { image: "busybox:1.35", command: ["/etc/passwd"] },
  { image: "busybox:1.35", command: ["sh"], args: ["-c", "$(NOTHING) $$(THIS) exit 0"] },
];

/** One of all that containers do. Who must end, such as an init container, mostly does. */
export function behaviour(choose: Chooser, { ends }: { readonly ends: boolean }): Behaviour {
  if (ends && choose.maybe(80)) return shell("exit 0");
  if (!ends && choose.maybe(40)) return choose.one(wellBehaved);
  return choose.one(choose.maybe(30) ? shortLived : choose.maybe(85) ? illBehaved : impossible);
}
