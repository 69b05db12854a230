// Takes out of a text what names people and places: DIDs, handles and other host names, addresses, the home
// folder. The same name gets the same number, so that the text can still be followed.

type Names = {
  /** Host names that everyone knows, which stay. */
  known: Iterable<string>
  /** Further texts that name someone, such as the machine's name. */
  own: Iterable<string>
}

const DID = /did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]/g
const CREDENTIALS = /\/\/[^\s/@"]+@/g
const IPV4 = /\b(?!127\.0\.0\.1\b|0\.0\.0\.0\b)\d{1,3}(?:\.\d{1,3}){3}\b/g
/** Four groups or more, or a gap: a time of the day has three. */
const IPV6 =
  /(?<![\w:])(?:(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}|[0-9a-f:]*::[0-9a-f:]*[0-9a-f])(?![\w:])/gi
const HOST = /\b(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}\b/gi
/** Ends of files that are mentioned, which are no top-level domains in use here. */
const FILES =
  /\.(?:sqlite|ts|js|mjs|md|json|env|sock|wal|shm|log|service|snapshot|mp4|sh|yaml|cjs|tmp)$/i

/** Names of methods and records look like host names. */
const METHODS = /^(?:app\.bsky|chat\.bsky|com\.atproto|io\.slipstream)\./

export function withoutNames(text: string, { known, own }: Names): string {
  const numbers = new Map<string, number>()
  const numbered = (kind: string) => (name: string) => {
    const number = numbers.get(name.toLowerCase()) ?? numbers.size + 1
    numbers.set(name.toLowerCase(), number)
    return `(${kind} ${number})`
  }
  const stays = new Set(Array.from(known, (name) => name.toLowerCase()))
  const host = numbered('name')
  const isPlain = (name: string) =>
    stays.has(name.toLowerCase()) || FILES.test(name) || METHODS.test(name)
  let left = text.replace(CREDENTIALS, '//(hidden)@').replace(DID, numbered('did'))
  for (const name of own) if (name.length > 2) left = left.replaceAll(name, numbered('own'))
  return left
    .replace(IPV4, numbered('address'))
    .replace(IPV6, numbered('address'))
    .replace(HOST, (name) => (isPlain(name) ? name : host(name)))
}
