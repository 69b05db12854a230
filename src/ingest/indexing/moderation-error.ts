// A moderation decision can't be carried out; the message is for its author.

export class ModerationError extends Error {
  override name = 'ModerationError'
}
