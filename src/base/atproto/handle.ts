/** The handle of an account without a verified one (https://atproto.com/specs/handle). */
export const INVALID_HANDLE = 'handle.invalid'
