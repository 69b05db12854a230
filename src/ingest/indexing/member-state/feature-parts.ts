// What features keep of a member, as parts of the member's document. Parts of features that this build lacks are left out.

import { features } from '../../../base/feature.ts'
import type { FeatureRequest } from '../../../bridge/messages.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'

export type FeatureParts = Readonly<Record<string, unknown>>

const parts = features.flatMap(({ name, memberPart }) =>
  memberPart ? [[name, memberPart] as const] : [],
)

/** @returns undefined if there are none */
export function readParts(db: Db, uid: number): FeatureParts | undefined {
  const found = parts.flatMap(([name, part]) => {
    const value = part.read(db, uid)
    return value === undefined ? [] : [[name, value] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

export function areValidParts(document: unknown): document is FeatureParts {
  if (typeof document !== 'object' || document === null) return false
  return given(document as FeatureParts).every(([part, value]) => part.isValid(value))
}

export function writeParts(
  db: WriteDb,
  document: FeatureParts,
  { uid, uidOf }: { uid: number; uidOf: (did: string) => number },
): void {
  for (const [part, value] of given(document)) part.write(db, uid, value as never, uidOf)
}

type SharedRequest = FeatureRequest & { madeAt: number }

/** The parts that nodes share, as requests that would make them. */
export function sharedRequestsOf(document: FeatureParts): SharedRequest[] {
  return given(document).flatMap(([{ shared }, value]) =>
    (shared?.requestsOf(value as never) ?? []).map((item) => ({ madeAt: 0, ...item })),
  )
}

const sharedKeys: Readonly<Record<string, (body: never) => string>> = Object.assign(
  {},
  ...parts.map(([, { shared }]) => shared?.keys),
)

/** @returns what the request is about, or undefined if nodes do not share it */
export function sharedKeyOf({ kind, body }: FeatureRequest): string | undefined {
  const key = Object.hasOwn(sharedKeys, kind) ? sharedKeys[kind]!(body as never) : undefined
  return key === undefined ? undefined : `${kind} ${key}`.trimEnd()
}

function given(document: FeatureParts) {
  return parts.flatMap(([name, part]) =>
    Object.hasOwn(document, name) ? [[part, document[name]] as const] : [],
  )
}
