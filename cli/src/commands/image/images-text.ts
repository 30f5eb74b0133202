import { ageText } from "../../age-text.ts";

/** An image as `kedge image list` shows it. Times are milliseconds since 1970. */
export interface ListedImage {
  readonly name: string;
  readonly id: string;
  readonly manifest: string;
  readonly size: number;
  readonly from: string;
  readonly origin: string;
  readonly createdAt: number;
  readonly usedAt: number;
  readonly containers: number;
}

/** A table of images for people. */
export function imagesText(images: readonly ListedImage[], now: number): string {
  if (images.length === 0) return "No images. `kedge image load FILE.tar` loads one; pods bring their own.\n";
  const rows = images.map(({ name, id, size, containers, origin, createdAt }) => [
    name,
    id.slice("sha256:".length, "sha256:".length + 12),
    sizeText(size),
    String(containers),
    origin,
    ageText((now - createdAt) / 1000),
  ]);
  const all = [["NAME", "ID", "SIZE", "CONTAINERS", "ORIGIN", "AGE"], ...rows];
  const widths = all.reduce<readonly number[]>(
    (most, row) => row.map((cell, i) => Math.max(cell.length, most[i] ?? 0)),
    [],
  );
  const lines = all.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("   ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function sizeText(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)}kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)}MB` : `${(bytes / 1e9).toFixed(2)}GB`;
}
