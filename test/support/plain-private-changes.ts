// The plain twin of members' private changes on an engine: arrays in a map.

import type { NumberedChange, PrivateChanges } from '../../src/data/engine/private-changes.ts'

export function createPlainPrivateChanges(): PrivateChanges {
  const members = new Map<string, NumberedChange[]>()
  const of = (member: string) => members.get(member) ?? []
  return {
    async append(member, changes) {
      let number = of(member).at(-1)?.number ?? 0
      for (const change of changes) {
        const others = of(member).filter(({ key }) => key !== change.key)
        members.set(member, [...others, { ...change, number: ++number }])
      }
      return number
    },
    version: async (member) => of(member).at(-1)?.number ?? 0,
    since: async (member, after) => of(member).filter(({ number }) => number > after),
  }
}
