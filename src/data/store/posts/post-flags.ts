// Bits of `posts.flags`, computed once at indexing. Append only.

/** The parent is not part of the thread that the reply names as its root. */
export const INVALID_REPLY_ROOT = 1
/** The reply breaks its root's threadgate. */
export const VIOLATES_THREADGATE = 2
/** The quote breaks the quoted post's postgate. */
export const VIOLATES_POSTGATE = 4
/** Carries images, a gallery or a video (author feed filter posts_with_media). */
export const HAS_MEDIA = 8
/** Carries a video (author feed filter posts_with_video). */
export const HAS_VIDEO = 16
/** Has a threadgate. */
export const HAS_THREADGATE = 32
/** Has a postgate. */
export const HAS_POSTGATE = 64
/** Written or pointed at by an author: strangers' replies and reactions are kept too. */
export const ANCHOR = 128
/** Old likes and reposts by strangers are deleted but still counted. */
export const REACTIONS_PRUNED = 256
/** A reply that names something other than posts, and so is in no thread. */
export const REPLY_TO_NO_POST = 512
