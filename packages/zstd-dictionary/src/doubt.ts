// Thrown by our decoder for any unusual or invalid frame. It only means "ask the trusted decoder", so it has
// no stack and is created once: hostile frames must not cost more than honest ones.

class DoubtError extends Error {
  override name = 'DoubtError'
}

const limit = Error.stackTraceLimit
Error.stackTraceLimit = 0
const doubt = new DoubtError('not a frame for the fast decoder')
Error.stackTraceLimit = limit

export function raiseDoubt(): never {
  throw doubt
}
