import { describe, expect, it } from "vitest";
import { mirrorOfDeb822, mirrorOfLines } from "./apt-sources.ts";

describe("the machine's Debian mirror", () => {
  it.each([
    ["a plain line", "deb http://ftp.de.debian.org/debian bookworm main", "http://ftp.de.debian.org/debian"],
    ["a slash at the end", "deb https://m.example/debian/ sid main", "https://m.example/debian"],
    ["options", "deb [arch=amd64 signed-by=/x] http://m/debian bookworm main", "http://m/debian"],
    ["only security updates", "deb http://m/debian-security bookworm-security main", undefined],
    ["somebody else's packages", "deb https://packages.cloud.google.com/apt cloud main", undefined],
    ["a comment", "# deb http://m/debian bookworm main", undefined],
    ["sources of programs", "deb-src http://m/debian bookworm main", undefined],
  ])("from %s", (_name, text, mirror) => {
    expect(mirrorOfLines(text)).toBe(mirror);
  });

  it.each([
    ["a stanza", "Types: deb\nURIs: http://m/debian\nSuites: bookworm", "http://m/debian"],
    [
      "the second of two",
      "Types: deb\nURIs: http://x/apt\n\nTypes: deb\nURIs: http://m/debian/",
      "http://m/debian",
    ],
    ["one of several addresses", "Types: deb deb-src\nURIs: http://x/apt http://m/debian", "http://m/debian"],
    ["a disabled stanza", "Enabled: no\nTypes: deb\nURIs: http://m/debian", undefined],
    ["sources only", "Types: deb-src\nURIs: http://m/debian", undefined],
  ])("from %s of the newer form", (_name, text, mirror) => {
    expect(mirrorOfDeb822(text)).toBe(mirror);
  });
});
