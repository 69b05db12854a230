export class ModerationError extends Error {
  override name = 'ModerationError'
}
