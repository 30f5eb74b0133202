/**
 * What a trace of `strace -f -y` says of a store's file, in order: "sync" when its data has been flushed, "commit" when
 * the page that makes it current has been written through to the disk, "ack …" when the process has said so.
 */
export function storeCalls(trace: string): readonly string[] {
  const started = new Map<string, string>();
  const calls: string[] = [];
  let writeThrough: string | undefined;
  for (const line of trace.split("\n")) {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/u.exec(line) ?? [];
    const unfinished = / <unfinished \.\.\.>$/u.exec(rest);
    if (unfinished !== null) {
      started.set(thread, rest.slice(0, unfinished.index));
      continue;
    }
    const call = rest.replace(/^<\.\.\. \w+ resumed>/u, () => started.get(thread) ?? "");
    writeThrough = /^openat\(.*data\.mdb".*O_DSYNC.*= (\d+)</u.exec(call)?.[1] ?? writeThrough;
    const ack = /^write\(1<.*"(ack \w+ \d+)\\n"/u.exec(call)?.[1];
    if (ack !== undefined) calls.push(ack);
    else if (/^fdatasync\(\d+<.*data\.mdb>\) += 0$/u.test(call)) calls.push("sync");
    else if (writeThrough !== undefined && call.startsWith(`pwrite64(${writeThrough}<`)) calls.push("commit");
  }
  return calls;
}
