import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const folder = new URL("../../../docs/guide/", import.meta.url);
const page = await readFile(new URL("write-an-operator.md", folder), "utf8");

interface Block {
  /** The file that the line above it names. */
  readonly path: string;
  readonly code: string;
}

/** The code of a page, with the file that each piece is said to be from. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (const [number, line] of lines.entries()) {
    if (line !== "```ts" && line !== "```yaml") continue;
    const above = lines.slice(0, number).findLast((each) => each !== "") ?? "";
    const path = /\]\((?<path>[^)]+)\):$/u.exec(above)?.groups?.["path"] ?? `nowhere: ${above}`;
    const end = lines.indexOf("```", number);
    blocks.push({ path, code: lines.slice(number + 1, end).join("\n") });
  }
  return blocks;
}

it.each(blocksOf(page))("the guide shows code that is in $path", async ({ path, code }) => {
  expect(await readFile(new URL(path, folder), "utf8")).toContain(code);
});
