import type { Environment, Overload } from "../values/environment.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  stringType,
  timestampType,
  typeType,
  uintType,
  type CelType,
} from "../values/types.ts";
import { arithmetic } from "./arithmetic.ts";
import { authorization } from "./authorization.ts";
import { conversions } from "./conversions.ts";
import { lists } from "./lists.ts";
import { maps } from "./maps.ts";
import { namedFormats } from "./named-formats.ts";
import { cidrType, ipType, networks } from "./networks.ts";
import { optionals } from "./optionals.ts";
import { quantities } from "./quantities.ts";
import { regex } from "./regex.ts";
import { semver } from "./semver.ts";
import { standard } from "./standard.ts";
import { strings } from "./strings.ts";
import { urls } from "./urls.ts";

let functions: Environment["functions"] | undefined;

/** All functions that Kubernetes 1.36 gives to all expressions, by their name. Made once. */
export function allFunctions(): Environment["functions"] {
  functions ??= Map.groupBy<string, Overload>(
    [
      ...standard(),
      ...arithmetic(),
      ...conversions(),
      ...strings(),
      ...lists(),
      ...maps(),
      ...optionals(),
      ...regex(),
      ...urls(),
      ...networks(),
      ...quantities(),
      ...semver(),
      ...namedFormats(),
      ...authorization(),
    ],
    ({ name }) => name,
  );
  return functions;
}

/** Types that expressions can name, as in `type(x) == int`. */
export const namedTypes: ReadonlyMap<string, CelType> = new Map([
  ["bool", boolType],
  ["bytes", bytesType],
  ["double", doubleType],
  ["google.protobuf.Duration", durationType],
  ["dyn", dynType],
  ["int", intType],
  ["list", listOf(dynType)],
  ["map", mapOf(dynType, dynType)],
  ["null_type", nullType],
  ["string", stringType],
  ["google.protobuf.Timestamp", timestampType],
  ["type", typeType],
  ["uint", uintType],
  ["optional_type", optionalOf(dynType)],
  ["net.IP", ipType],
  ["net.CIDR", cidrType],
]);
