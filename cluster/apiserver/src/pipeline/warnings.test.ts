import { describe, expect, it } from "vitest";
import { Warnings } from "./warnings.ts";

describe("warnings", () => {
  it("are quoted, and sent once each", () => {
    expect(headersOf(['say "a"', "b\r\nc", "", 'say "a"'])).toEqual([
      String.raw`299 - "say \"a\""`,
      '299 - "b c"',
    ]);
  });

  it("hold no characters that end a header or steer a terminal", () => {
    expect(headersOf(["a\u0000b\u001b[31mc\u009bd\t\ufffd"])).toEqual(['299 - "ab[31mcd\ufffd"']);
  });

  it("are sent whole up to 4096 characters, however long one is", () => {
    expect(headersOf(["a".repeat(4096)])).toEqual([`299 - "${"a".repeat(4096)}"`]);
  });

  it("are cut to 256 characters each when they are more", () => {
    const long = (letter: string): string => letter.repeat(3000);
    expect(headersOf([long("a"), "short", long("😀")])).toEqual([
      `299 - "${"a".repeat(256)}"`,
      '299 - "short"',
      `299 - "${"😀".repeat(256)}"`,
    ]);
  });

  it("stop soon after 4096 characters, however many there are", () => {
    const headers = headersOf(Array.from({ length: 20_000 }, (_, index) => `unknown field "spec.u${index}"`));
    const characters = headers.reduce((sum, header) => sum + header.length, 0);
    expect(headers[0]).toBe(String.raw`299 - "unknown field \"spec.u0\""`);
    expect(headers.length).toBeLessThan(200);
    expect(characters).toBeLessThan(8 * 1024);
  });
});

function headersOf(texts: readonly string[]): readonly string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers;
}
