/** Why this machine, or this user, cannot have a cluster; undefined when it can. */
export function wrongMachine(command: string): Error | undefined {
  if (process.platform !== "linux")
    return new Error(`the embedded cluster runs containers, which needs Linux; this is ${process.platform}`);
  if (process.getuid?.() === 0) return undefined;
  return new Error(
    `the embedded cluster has containers and network namespaces, which needs root: sudo ./kedge ${command}`,
  );
}
