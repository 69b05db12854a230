/** The frame's content, actual or declared, exceeds the limit. */
export class OversizedError extends Error {
  override name = 'OversizedError'
}
