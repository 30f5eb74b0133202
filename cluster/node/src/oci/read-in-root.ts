import { open } from "node:fs/promises";
import { rootPath } from "./root-path.ts";

/** Lists of users are short. */
const longest = 1 << 20;

/**
 * The text of a file in an image's root, found as a process in the container would find it. Empty when there is no such
 * file, or when it is none of text: an image may have anything under this name.
 */
export async function readInRoot(root: string, path: string): Promise<string> {
  const inside = rootPath(root);
  let parts = path.split("/");
  for (let links = 0; links < 40; links += 1) {
    const folder = inside.folder(parts.slice(0, -1), false);
    const name = parts.at(-1) ?? "";
    if (folder === undefined || name === "" || name === "." || name === "..") return "";
    const place = folder === "" ? name : `${folder}/${name}`;
    const found = inside.look(place);
    if (found?.isSymbolicLink() === true) {
      const target = inside.link(place);
      parts = [...(target.startsWith("/") ? [] : folder.split("/")), ...target.split("/")];
      continue;
    }
    if (found?.isFile() !== true || found.size > longest) return "";
    const file = await open(inside.onMachine(place));
    try {
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  }
  return "";
}
