import { formatIpv4, parseIpv4 } from "@kedge/machinery";

/** The addresses that load balancers may have. */
export interface AddressPool {
  /** As it was given: `10.244.254.0/24`. */
  readonly text: string;
  has(address: string): boolean;
  /** The first that is free; undefined: none is. */
  next(isTaken: (address: string) => boolean): string | undefined;
}

/** All addresses of a range but its first and its last, which many programs take for a network's own. */
export function addressPool(text: string): AddressPool {
  const [address = "", bits = ""] = text.split("/");
  const first = parseIpv4(address);
  const size = 2 ** (32 - Number(bits));
  if (first === undefined || !(size >= 4 && size <= 65_536))
    throw new RangeError(`load balancer range ${JSON.stringify(text)}: must be IPv4 with 16 to 30 bits`);
  return {
    text,
    has(candidate) {
      const number = parseIpv4(candidate);
      return number !== undefined && number > first && number < first + size - 1;
    },
    next(isTaken) {
      for (let number = first + 1; number < first + size - 1; number++) {
        const candidate = formatIpv4(number);
        if (!isTaken(candidate)) return candidate;
      }
      return undefined;
    },
  };
}
