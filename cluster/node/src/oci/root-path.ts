import { lstatSync, mkdirSync, readlinkSync, type Stats } from "node:fs";
import { ImageError } from "./image-error.ts";

/** As the kernel has it. */
const mostLinks = 40;

/**
 * Names in a root file system that is not ours to trust. A link in it leads where it would lead a process inside: never
 * out of the root. Nobody else may change the root meanwhile. Paths are bytes (latin1), parts of them never `..`.
 */
export interface RootPath {
  /** What a path is called on this machine. */
  onMachine(path: string): Buffer;
  /** The real name of a folder inside; with `make`, what is missing is made. Undefined: it is not there. */
  folder(path: readonly string[], make: boolean): string | undefined;
  /** What there is under a name in a real folder; a link is not followed. */
  look(path: string): Stats | undefined;
  /** Where a link leads, as it is written. */
  link(path: string): string;
}

/** Looks below a folder. */
export function rootPath(root: string): RootPath {
  const top = Buffer.from(root);
  const onMachine = (path: string): Buffer => Buffer.concat([top, Buffer.from(`/${path}`, "latin1")]);
  const look = (path: string): Stats | undefined => lstatSync(onMachine(path), { throwIfNoEntry: false });
  const link = (path: string): string => readlinkSync(onMachine(path), { encoding: "latin1" });
  return {
    onMachine,
    look,
    link,
    folder(path, make) {
      const waiting = [...path];
      const real: string[] = [];
      let links = 0;
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
        if (part === "" || part === ".") continue;
        if (part === "..") {
          real.pop();
          continue;
        }
        const next = [...real, part].join("/");
        const found = look(next);
        if (found?.isSymbolicLink() === true) {
          if ((links += 1) > mostLinks) {
            throw new ImageError("UNSAFE", `"${path.join("/")}" leads through more than ${mostLinks} links`);
          }
          const target = link(next);
          if (target.startsWith("/")) real.length = 0;
          waiting.unshift(...target.split("/"));
          if (waiting.length > 4096) throw new ImageError("UNSAFE", `"${path.join("/")}" is too long a path`);
          continue;
        }
        if (found === undefined) {
          if (!make) return undefined;
          mkdirSync(onMachine(next), 0o755);
        } else if (!found.isDirectory()) {
          if (!make) return undefined;
          throw new ImageError("UNSAFE", `"${next}" is a file, but other files are to lie in it`);
        }
        real.push(part);
      }
      return real.join("/");
    },
  };
}
