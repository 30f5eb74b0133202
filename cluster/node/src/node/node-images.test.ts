import { expect, it } from "vitest";
import type { KnownImage } from "../oci/image-record.ts";
import { nodeImages } from "./node-images.ts";

const image = (id: string, name: string, size: number, repoDigests: readonly string[] = []) =>
  ({ id, name, size, repoDigests }) as unknown as KnownImage;

it("a node tells of its images by their full names, the largest first", () => {
  const digest = `sha256:${"ab".repeat(32)}`;
  expect(
    nodeImages([
      image("sha256:1", "redis:7.0", 10),
      image("sha256:2", "registry.local:5000/team/app:1", 30, [`registry.local:5000/team/app@${digest}`]),
      image("sha256:1", "redis:7", 10),
    ]),
  ).toEqual([
    { names: [`registry.local:5000/team/app:1`, `registry.local:5000/team/app@${digest}`], sizeBytes: 30 },
    { names: ["docker.io/library/redis:7", "docker.io/library/redis:7.0"], sizeBytes: 10 },
  ]);
});

it("of many images it tells of the fifty largest", () => {
  const many = Array.from({ length: 60 }, (_, i) => image(`sha256:${i}`, `app:${i}`, i));
  const told = nodeImages(many);
  expect(told).toHaveLength(50);
  expect(told.at(-1)?.sizeBytes).toBe(10);
});
