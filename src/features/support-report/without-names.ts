// Takes out of a text what names people and places: DIDs, handles and other host names, addresses, the home
// folder. The same name gets the same number, so that the text can still be followed.

import { isIP } from 'node:net'

type Names = {
  /** Host names that everyone knows, which stay. */
  known: Iterable<string>
  /** Further texts that name someone, such as the machine's name. */
  own: Iterable<string>
}

/** What any such name is made of. */
const TOKEN = /[\w.:%-]+/g
/** Of the installer's and the image's account, and the machine's owner: they name nobody. */
const NOBODYS = new Set(['root', 'node', 'slipstream', '/var/lib/slipstream'])
const DID = 'did:'
const OURS = new Set(['127.0.0.1', '0.0.0.0', '::', '::1'])
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const LAST_LABEL = /^[a-z]{2,24}$/i
/** Endings of files that are mentioned, which are no top-level domains in use here. */
const FILES = new Set(
  'sqlite ts js mjs md json env sock wal shm log service snapshot mp4 sh yaml cjs tmp'.split(' '),
)
/** Names of methods and records look like host names. */
const METHODS = /^(?:app\.bsky|chat\.bsky|com\.atproto|io\.slipstream)\./

export function withoutNames(text: string, { known, own }: Names): string {
  const numbers = new Map<string, number>()
  const numbered = (kind: string, name: string) => {
    const number = numbers.get(name.toLowerCase()) ?? numbers.size + 1
    numbers.set(name.toLowerCase(), number)
    return `(${kind} ${number})`
  }
  const stays = new Set(Array.from(known, (name) => name.toLowerCase()))
  let left = withoutCredentials(text)
  for (const name of own) {
    if (name.length > 2 && !NOBODYS.has(name)) left = left.replaceAll(name, numbered('own', name))
  }
  const ofPart = (part: string) => {
    if (isIP(part) === 4) return OURS.has(part) ? part : numbered('address', part)
    return isHost(part) && !stays.has(part.toLowerCase()) ? numbered('name', part) : part
  }
  return left.replace(TOKEN, (token) => {
    const [name, end] = withoutEnd(token)
    if (name.startsWith(DID)) return numbered('did', name) + end
    if (isIP(name) === 6) return (OURS.has(name) ? name : numbered('address', name)) + end
    return name.split(':').map(ofPart).join(':') + end
  })
}

/** Of addresses such as https://user:secret@host. */
function withoutCredentials(text: string): string {
  const [first = '', ...rest] = text.split('//')
  return [first, ...rest.map(hidden)].join('//')
}

function hidden(after: string): string {
  const end = after.search(/[\s/"]/)
  const at = (end < 0 ? after : after.slice(0, end)).lastIndexOf('@')
  return at < 0 ? after : `(hidden)${after.slice(at)}`
}

/** The punctuation behind a name belongs to the sentence. */
function withoutEnd(token: string): [name: string, end: string] {
  let length = token.length
  while (length > 0 && '.:%-'.includes(token[length - 1]!)) length--
  return [token.slice(0, length), token.slice(length)]
}

function isHost(text: string): boolean {
  if (METHODS.test(text)) return false
  const labels = text.split('.')
  const last = labels.at(-1)!
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && isTopLevel(last)
}

function isTopLevel(label: string): boolean {
  return LAST_LABEL.test(label) && !FILES.has(label.toLowerCase())
}
