import { CodedError } from "@kedge/machinery";

const hints = {
  INVALID_NAME: "Write the image as repository:tag, for example redis:7.0.",
  NOT_FOUND:
    "Use an image that Kedge can bring, load an archive of it (kedge image load FILE.tar), or map its name to one of them (kedge up --image-alias).",
  FAILED:
    "See the cause, or load an archive of the image (kedge image load FILE.tar); an image that was brought once is used offline afterwards.",
  ARCHIVE: "Make the archive anew, for example with `docker save IMAGE -o FILE.tar`.",
  NO_NAME: "Say which name it gets: kedge image load FILE.tar --name NAME:TAG.",
  CORRUPT: "Load or pull the image again; what is damaged was not taken.",
  UNSAFE: "Do not trust this image; nothing of it was kept.",
  TOO_LARGE: "Use a smaller image.",
  PLATFORM: "Build or save the image for this machine's platform.",
  IN_USE: "Delete the pods that use it first.",
} as const;

/** What can go wrong with images. */
export type ImageErrorCode = keyof typeof hints;

/** The one error of images: a code to branch on, and a hint of what to do. */
export class ImageError extends CodedError<ImageErrorCode> {
  override readonly name = "ImageError";

  constructor(
    code: ImageErrorCode,
    message: string,
    options: ErrorOptions & { readonly hint?: string } = {},
  ) {
    super(code, message, { ...options, hint: options.hint ?? hints[code] });
  }
}
