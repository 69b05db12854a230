// Thrown by the scan of a commit's bytes for anything unusual or invalid. It only means "parse it", so it has no
// stack and is created once: hostile frames must not cost more than honest ones.

export class DoubtError extends Error {
  override name = 'DoubtError'
}

const limit = Error.stackTraceLimit
Error.stackTraceLimit = 0
const doubt = new DoubtError('not a commit that can stay unparsed')
Error.stackTraceLimit = limit

export function raiseDoubt(): never {
  throw doubt
}
