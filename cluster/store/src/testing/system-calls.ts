/**
 * What a trace of `strace -f -y` says of a store's files, in order: "sync" when the data of the database has been
 * flushed, "commit" when the page that makes it current has been written through to the disk, "ahead" when a file beside
 * it has been, "ack …" when the process has said so.
 */
export function storeCalls(trace: string): readonly string[] {
  const started = new Map<string, string>();
  const calls: string[] = [];
  let writeThrough: string | undefined;
  let ahead: string | undefined;
  for (const line of trace.split("\n")) {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/u.exec(line) ?? [];
    const unfinished = / <unfinished \.\.\.>$/u.exec(rest);
    if (unfinished !== null) {
      started.set(thread, rest.slice(0, unfinished.index));
      continue;
    }
    const call = rest.replace(/^<\.\.\. \w+ resumed>/u, () => started.get(thread) ?? "");
    writeThrough = /^openat\(.*data\.mdb".*O_DSYNC.*= (\d+)</u.exec(call)?.[1] ?? writeThrough;
    ahead = /^openat\(.*O_DSYNC.*= (\d+<.*ahead\.\d+>)/u.exec(call)?.[1] ?? ahead;
    const ack = /^write\(1<.*"(ack \w+ \d+)\\n"/u.exec(call)?.[1];
    if (ack !== undefined) calls.push(ack);
    else if (ahead !== undefined && call.startsWith(`pwrite64(${ahead}`)) calls.push("ahead");
    else if (/^fdatasync\(\d+<.*data\.mdb>\) += 0$/u.test(call)) calls.push("sync");
    else if (writeThrough !== undefined && call.startsWith(`pwrite64(${writeThrough}<`)) calls.push("commit");
  }
  return calls;
}
