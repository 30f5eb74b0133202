import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@stricli/core";
import { buildImage, dockerArchive } from "@kedge/node/testing/oci-image";
import { afterEach, beforeEach, expect, it } from "vitest";
import { app } from "../../app.ts";
import { exitCodeFor } from "../../exit-code.ts";
import type { OutputStream } from "../../terminal/terminal.ts";
import { imagesText } from "./images-text.ts";

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), "kedge-image-command-"));
});
afterEach(() => rm(cache, { recursive: true, force: true }));

async function kedge(...args: readonly string[]): Promise<{ code: number; said: string }> {
  let said = "";
  const stream: OutputStream = {
    isTTY: false,
    columns: 80,
    hasColors: () => false,
    write: (text) => {
      said += text;
    },
  };
  const stub = { stdout: stream, stderr: stream, env: { KEDGE_CACHE: cache }, exitCode: null };
  await run(app, args, { process: stub, root: cache });
  return { code: exitCodeFor(stub.exitCode), said };
}

it("loads, lists and removes images while no cluster runs", async () => {
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const image = buildImage({ layers: [[{ name: "run", content: "x" }]], architecture });
  const path = join(cache, "shop.tar");
  await writeFile(path, dockerArchive([{ image, tags: ["shop:1", "shop:latest"] }]));
  expect((await kedge("image", "list")).said).toBe(
    "No images. `kedge image load FILE.tar` loads one; pods bring their own.\n",
  );
  const loaded = await kedge("image", "load", path);
  expect(loaded.said).toContain(`Loaded shop:1 (${image.id})\n`);
  expect(loaded.said).toContain("shop:latest must say imagePullPolicy: IfNotPresent");
  const { said } = await kedge("image", "list", "-o", "json");
  expect(JSON.parse(said)).toMatchObject([
    { name: "shop:1", id: image.id, from: "archive", origin: "loaded from shop.tar", containers: 0 },
    { name: "shop:latest" },
  ]);
  expect(await kedge("image", "rm", "docker.io/library/shop:1")).toEqual({
    code: 0,
    said: "Removed shop:1\n",
  });
  expect((await kedge("image", "rm", image.id.slice(7, 19))).said).toBe("Removed shop:latest\n");
  expect(JSON.parse((await kedge("image", "list", "-o", "json")).said)).toEqual([]);
});

it.each([
  [["image", "rm", "shop:1"], /there is no image shop:1 on this machine\n`kedge image list` shows/u],
  [["image", "load", "/no/such.tar"], /\/no\/such.tar cannot be read: there is no such file/u],
  [["image", "load", "/etc/passwd"], /no tar archive[^]*docker save/u],
])("says why %j cannot be done, and the way out", async (args, text) => {
  const { code, said } = await kedge(...args);
  expect(code).toBe(1);
  expect(said).toMatch(text);
});

it("shows images as a table", () => {
  const image = { manifest: "", from: "archive", createdAt: 0, usedAt: 0 };
  const text = imagesText(
    [
      {
        ...image,
        name: "shop:1",
        id: `sha256:${"ab".repeat(32)}`,
        size: 12_345_678,
        origin: "loaded from a.tar",
        containers: 2,
      },
      { ...image, name: "x:1", id: `sha256:${"cd".repeat(32)}`, size: 900, origin: "pulled", containers: 0 },
    ],
    90_000,
  );
  expect(text).toBe(
    [
      "NAME     ID             SIZE     CONTAINERS   ORIGIN              AGE",
      "shop:1   abababababab   12.3MB   2            loaded from a.tar   90 s",
      "x:1      cdcdcdcdcdcd   1kB      0            pulled              90 s",
      "",
    ].join("\n"),
  );
});
