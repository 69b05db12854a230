/**
 * Of the media process of one serving thread. Enough for the worst kind of 33 megapixels (an interlaced PNG
 * with transparency: 455 MB).
 */
export const MEDIA_MEMORY_BYTES = 500_000_000
