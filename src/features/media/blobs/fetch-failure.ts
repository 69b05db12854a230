import { FetchError, type FetchFailure } from '../../../sources/identity/fetch-error.ts'
import { MediaError } from '../media-error.ts'

/** `who`: the server that was asked. */
export function toMediaError(error: unknown, who: string, maxBytes: number): unknown {
  if (!(error instanceof FetchError)) return error
  const options = { cause: error }
  switch (error.reason) {
    case 'too-large': {
      const message = `it has more than ${maxBytes} bytes`
      return new MediaError('refused', 'BlobTooLarge', message, options)
    }
    case 'timeout':
    case 'slow':
      return new MediaError('late', 'UpstreamTimeout', `${who} took too long`, options)
    case 'busy':
      return new MediaError('busy', 'Busy', 'too many pictures and videos at once', options)
    default:
      return new MediaError('upstream', 'UpstreamError', `${who} gave no answer`, options)
  }
}

/** The server was unreachable, timed out or dripped. */
export function isSilence(error: unknown): boolean {
  return error instanceof FetchError && SILENCES.has(error.reason)
}

const SILENCES: ReadonlySet<FetchFailure> = new Set([
  'timeout',
  'slow',
  'connect',
  'dns',
  'dns-silent',
])

export function noSpace(cause: unknown): MediaError {
  return new MediaError('busy', 'NoRoom', 'the server has no room for it', { cause })
}
