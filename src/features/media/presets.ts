// Picture sizes by the preset names of Bluesky's CDN: the four used in views, and the three that clients
// derive from them (`avatar_thumbnail`, `default`, `download`).
//
// Pictures are never enlarged. A cropped one (`cover`) keeps the preset's proportions even if it is smaller.

export type Format = 'webp' | 'jpeg'

export type Preset = {
  fit: 'cover' | 'inside'
  width: number
  height: number
  /** Used if the URL names no format. */
  format: Format
  /** Browsers save it instead of showing it. */
  isDownload?: true
}

/**
 * As large as clients upload; anything larger costs memory to encode and is useless on a screen.
 */
const MAX_SIDE = 4096

export const presets: Readonly<Record<string, Preset>> = {
  avatar: { fit: 'cover', width: 1000, height: 1000, format: 'webp' },
  avatar_thumbnail: { fit: 'cover', width: 128, height: 128, format: 'webp' },
  banner: { fit: 'cover', width: 3000, height: 1000, format: 'webp' },
  feed_thumbnail: { fit: 'inside', width: 1000, height: 1000, format: 'webp' },
  feed_fullsize: { fit: 'inside', width: 2000, height: 2000, format: 'webp' },
  default: { fit: 'inside', width: MAX_SIDE, height: MAX_SIDE, format: 'webp' },
  download: { fit: 'inside', width: MAX_SIDE, height: MAX_SIDE, format: 'jpeg', isDownload: true },
}

/** Returns the width and height in pixels to which a picture of this size is resized. */
export function targetSize(
  { fit, width, height }: Preset,
  picture: { width: number; height: number },
): { width: number; height: number } {
  const across = picture.width / width
  const down = picture.height / height
  if (fit === 'cover') {
    const scale = Math.min(1, across, down)
    return { width: atLeastOne(width * scale), height: atLeastOne(height * scale) }
  }
  const scale = 1 / Math.max(1, across, down)
  return { width: atLeastOne(picture.width * scale), height: atLeastOne(picture.height * scale) }
}

function atLeastOne(pixels: number): number {
  return Math.max(1, Math.round(pixels))
}
