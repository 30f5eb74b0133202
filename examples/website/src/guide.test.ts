import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const folder = new URL("../../../docs/guide/", import.meta.url);
const names = await readdir(folder);

interface Block {
  /** The file that the line above it names. */
  readonly path: string;
  readonly code: string;
}

/** The code of a page, with the file that each piece is said to be from. */
function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = page.split("\n");
  for (const [number, line] of lines.entries()) {
    if (line !== "```ts" && line !== "```yaml") continue;
    const above = lines.slice(0, number).findLast((text) => text !== "") ?? "";
    const path = /\]\((?<path>[^)]+)\):$/u.exec(above)?.groups?.["path"] ?? `nowhere: ${above}`;
    const end = lines.indexOf("```", number);
    blocks.push({ path, code: lines.slice(number + 1, end).join("\n") });
  }
  return blocks;
}

describe.each(names)("%s", async (name) => {
  const page = await readFile(new URL(name, folder), "utf8");

  it.each(blocksOf(page))("shows code that is in $path", async ({ path, code }) => {
    expect(await readFile(new URL(path, folder), "utf8")).toContain(code);
  });
});
