// Thrown by our decoder wherever a frame is unusual or wrong. It says only "ask the trusted
// decoder", so it carries no stack and is made once: hostile frames must not cost more than honest
// ones.

export class DoubtError extends Error {
  override name = 'DoubtError'
}

const limit = Error.stackTraceLimit
Error.stackTraceLimit = 0
const doubt = new DoubtError('not a frame for the fast decoder')
Error.stackTraceLimit = limit

export function raiseDoubt(): never {
  throw doubt
}
