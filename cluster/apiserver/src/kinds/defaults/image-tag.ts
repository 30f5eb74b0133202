/** The tag of an image's name: `latest` when it has neither tag nor digest, empty when it has only a digest. */
function imageTag(image: string): string {
  const [name = "", digest] = image.split("@", 2);
  const colon = name.lastIndexOf(":");
  // A colon before the last slash belongs to the registry's port.
  if (colon > name.lastIndexOf("/")) return name.slice(colon + 1);
  return digest === undefined ? "latest" : "";
}

/** Whether an image is pulled each time, unless its container says otherwise. */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  // What is no name of an image has no tag.
  return imageTag(image) === "latest" && !/\s/u.test(image) ? "Always" : "IfNotPresent";
}
