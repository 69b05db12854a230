// Groups differences by their probable cause, and tells the expected ones, which a file names with a reason.

import { readFileSync } from 'node:fs'
import type { Difference } from './differences.ts'

/** `*` in a method, path or request stands for anything. */
export type NamedException = {
  method: string
  path: string
  kind?: Difference['kind']
  /** What the other tree has there. */
  before?: string
  /** Of the request as the report shows it. */
  request?: string
  /** Where the difference comes from. */
  commit?: string
  reason: string
}

export type Found = Difference & { method: string; request: string }

export type Cause = {
  /** The end of the path, where the same part of a view differs in many methods. */
  path: string
  kind: Difference['kind']
  /** undefined: unnamed. */
  reason: string | undefined
  /** Number of places, by method. */
  methods: Record<string, number>
  count: number
  example: Found
}

/** As many names at the end of a path as tell one part of a view from another. */
const TELLING_NAMES = 2

export function readExceptions(path: string | undefined): NamedException[] {
  return path ? (JSON.parse(readFileSync(path, 'utf8')) as NamedException[]) : []
}

export function reasonFor(
  exceptions: readonly NamedException[],
  { method, path, kind, before, request }: Omit<Found, 'now'>,
): string | undefined {
  const found = exceptions.find(
    (exception) =>
      matches(exception.method, method) &&
      matches(exception.path, path) &&
      (!exception.kind || exception.kind === kind) &&
      (!exception.before || matches(exception.before, before)) &&
      (!exception.request || matches(exception.request, request)),
  )
  return found && (found.commit ? `${found.commit}: ${found.reason}` : found.reason)
}

/** The most frequent first, unnamed ones before all others. */
export function groupByCause(
  found: readonly Found[],
  exceptions: readonly NamedException[],
): Cause[] {
  const causes = new Map<string, Cause>()
  for (const item of found) {
    const reason = reasonFor(exceptions, item)
    const path = tailOf(item.path)
    const key = reason ?? `${item.kind} ${path} ${item.path.startsWith('(') ? changeOf(item) : ''}`
    const cause: Cause = causes.get(key) ?? {
      path,
      kind: item.kind,
      reason,
      methods: {},
      count: 0,
      example: item,
    }
    cause.count++
    cause.methods[item.method] = (cause.methods[item.method] ?? 0) + 1
    causes.set(key, cause)
  }
  return [...causes.values()].sort(
    (a, b) => Number(a.reason !== undefined) - Number(b.reason !== undefined) || b.count - a.count,
  )
}

/** A status that changed from 200 is another cause than one that changed to it. */
function changeOf({ before, now }: Difference): string {
  return `${before} → ${now}`
}

function tailOf(path: string): string {
  return path.split('.').slice(-TELLING_NAMES).join('.')
}

function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest.slice(0, -1)) {
    const next = text.indexOf(part, at)
    if (next < 0) return false
    at = next + part.length
  }
  const last = rest.at(-1)!
  return text.length - last.length >= at && text.endsWith(last)
}
