import { readFileSync } from "node:fs";

/** PEM files of these tests: one authority with a server and two clients, and an authority nobody here trusts. */
export function testPem(name: string): string {
  return readFileSync(new URL(`certificates/${name}`, import.meta.url), "utf8");
}
