import type { Play } from "../player/play.ts";
import { markPattern, type MarkedAs } from "./identify.ts";
import { Symbols, VersionSymbols } from "./symbols.ts";

/** What one play's masks have to know of it. */
export interface MaskFacts extends Pick<Play, "own" | "script"> {
  /** The versions of objects that are seen. */
  readonly versions: Iterable<string>;
  readonly generated: readonly { readonly name: string; readonly prefix: string }[];
}

/** Puts symbols in the place of what differs from run to run. A mask belongs to one play: it remembers what it saw. */
export function textMask(facts: MaskFacts): (text: string) => string {
  const { own, script, generated } = facts;
  const versions = new VersionSymbols(facts.versions);
  const uids = new Symbols("uid");
  const addresses = new Symbols("ip");
  const nodePorts = new Symbols("nodePort");
  const suffixes = new Symbols("suffix");
  // As a word of its own: a short number is easily a part of something else.
  const isSaid = (value: string): boolean =>
    new RegExp(`(?<![\\w-])${value.replaceAll(/\W/gu, String.raw`\$&`)}(?![\\w-])`).test(script.text);
  const unlessSaid = (symbol: (value: string) => string) => (value: string) =>
    isSaid(value) ? value : symbol(value);
  const marked: Readonly<Record<MarkedAs, (value: string) => string>> = {
    rv: (value) => versions.ofObject(value),
    collection: (value) => versions.ofCollection(value),
    continue: () => "<continue>",
    nodeport: unlessSaid((value) => nodePorts.of(value)),
    address: () => "<address>",
    prose: unlessSaid(() => "<prose>"),
  };
  const recognised: readonly (readonly [RegExp, (value: string) => string])[] = [
    [/(?<=https:\/\/127\.0\.0\.1):\d+(?=\/\$\{id\})/gu, () => ""],
    [/\beyJ[\w-]{10,}\.[\w-]+\.[\w-]+/gu, () => "<jwt>"],
    [/-----BEGIN [A-Z ]+-----[^]+?-----END [A-Z ]+-----\n?/gu, () => "<pem>"],
    [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gu, unlessSaid((value) => uids.of(value))],
    [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/gu, unlessSaid(timeSymbol)],
    [/\b(?:[\da-f]{64}|[\dA-F]{128})\b/gu, unlessSaid(hashSymbol)],
    // The range of Service addresses of the oracle; the first is always that of the API server.
    [
      /\b10\.(?:9[6-9]|10\d|11[01])\.\d{1,3}\.\d{1,3}\b(?!\/)/gu,
      unlessSaid((value) => (value === "10.96.0.1" ? value : addresses.of(value))),
    ],
    [
      /(?<=resource ?version[\w ]*(?:\\?"?: ?\\?"?|\()|\bcurrent: |resource version: \d+ \()\d+/giu,
      unlessSaid((value) => versions.ofCollection(value)),
    ],
  ];
  return (text) => {
    let masked = text.replaceAll(markPattern, (_all, what: MarkedAs, value: string) => marked[what](value));
    masked = masked.replaceAll(own.ns, "${ns}").replaceAll(own.id, "${id}");
    for (const { name, prefix } of generated) {
      masked = masked.replaceAll(
        name,
        prefix.slice(0, 58).replaceAll(own.ns, "${ns}").replaceAll(own.id, "${id}") + suffixes.of(name),
      );
    }
    for (const [pattern, symbol] of recognised) masked = masked.replaceAll(pattern, symbol);
    return masked;
  };
}

/** One letter again and again is what scripts make to be long, not what a hash looks like. */
function hashSymbol(text: string): string {
  return /^(.)\1*$/u.test(text) ? text : "<hash>";
}

/** How many digits a second has says which type the field is of. */
function timeSymbol(time: string): string {
  const digits = /\.(\d+)Z/u.exec(time)?.[1]?.length ?? 0;
  if (digits === 0) return "<time>";
  return digits === 6 ? "<microtime>" : "<nanotime>";
}
