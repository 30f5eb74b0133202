import type { Random } from "../random.ts";

/**
 * The name that the server gives to an object with `generateName`: the base, cut so that the whole fits in a DNS label,
 * and five random characters. They hold no vowels and nothing that reads as one, so that no words appear.
 */
export function generateName(base: string, random: Random): string {
  const suffix = Array.from({ length: suffixLength }, () => characters.charAt(random.int(characters.length)));
  // A cut inside a surrogate pair must not leave half a character.
  return base.slice(0, maxBaseLength).toWellFormed() + suffix.join("");
}

const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;
const characters = "bcdfghjklmnpqrstvwxz2456789";
