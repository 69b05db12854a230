// The requests of the demo as commands of a shell, since their tokens would fill the screen.

export type Request = {
  /** What to type. */
  command: string
  what: string
  /** The address, without its origin. */
  path: string
  token: string
  isStream?: true
}

/** Words to read into a shell: a function for each request. */
export function asFunctions(origin: string, requests: readonly Request[]): string {
  const functions = requests.map(
    (request) => `${request.command}() { ${asCurl(origin, request)} "$@"; }`,
  )
  return `${functions.join('\n')}\n`
}

export function asCurl(origin: string, { path, token, isStream }: Request): string {
  return `curl ${isStream ? '-N ' : ''}-H 'Authorization: Bearer ${token}' '${origin}${path}'`
}
