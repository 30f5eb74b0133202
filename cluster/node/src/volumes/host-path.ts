import { mkdir, stat, writeFile } from "node:fs/promises";

/** Checks, or makes, what a `hostPath` names. Throws a text that says what is wrong. */
export async function checkHostPath(path: string, type: string | undefined): Promise<void> {
  if (type === "DirectoryOrCreate") await mkdir(path, { recursive: true, mode: 0o755 });
  if (type === "FileOrCreate") {
    await writeFile(path, "", { flag: "a", mode: 0o644 });
  }
  const found = await stat(path).catch(() => undefined);
  const complain = (what: string): never => {
    throw new Error(`hostPath type check failed: ${path} is not ${what}`);
  };
  switch (type ?? "") {
    case "":
      if (found === undefined) await mkdir(path, { recursive: true, mode: 0o755 });
      return;
    case "Directory":
    case "DirectoryOrCreate":
      if (found?.isDirectory() !== true) complain("a directory");
      return;
    case "File":
    case "FileOrCreate":
      if (found?.isFile() !== true) complain("a file");
      return;
    case "Socket":
      if (found?.isSocket() !== true) complain("a socket file");
      return;
    case "CharDevice":
      if (found?.isCharacterDevice() !== true) complain("a character device");
      return;
    case "BlockDevice":
      if (found?.isBlockDevice() !== true) complain("a block device");
      return;
    default:
      throw new Error(`hostPath type ${type}: unknown`);
  }
}
