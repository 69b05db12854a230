// What the operator decides can't be carried out; the message is for whoever decided.

export class ModerationError extends Error {
  override name = 'ModerationError'
}
