/** One media type of an Accept header. */
export interface MediaType {
  /** `application/json`, in lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The media types of an Accept header, the best first; those of equal weight and precision in their order. */
export function parseAccept(header: string): MediaType[] {
  return header
    .split(",")
    .map((part) => parseMediaType(part))
    .map((media) => ({ media, weight: weightOf(media) }))
    .filter(({ media, weight }) => media.type !== "" && weight > 0)
    .toSorted((a, b) => b.weight - a.weight || wildcards(a.media) - wildcards(b.media))
    .map(({ media }) => media);
}

/** Of equal weight, what is said precisely comes first. */
function wildcards({ type }: MediaType): number {
  return type === "*/*" ? 2 : type.endsWith("/*") ? 1 : 0;
}

/** A single media type with its parameters. */
export function parseMediaType(text: string): MediaType {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim());
  const pairs = parameters.map((parameter): [string, string] => {
    const [name = "", value = ""] = parameter.split("=", 2);
    return [name.trim().toLowerCase(), value.trim().replaceAll(/^"|"$/gu, "")];
  });
  return { type: type.toLowerCase(), parameters: new Map(pairs) };
}

function weightOf({ parameters }: MediaType): number {
  const weight = parameters.get("q");
  const value = weight === undefined ? 1 : Number(weight);
  return Number.isFinite(value) ? value : 1;
}
