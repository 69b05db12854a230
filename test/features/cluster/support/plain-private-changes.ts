// A plain in-memory twin of members' private changes on an engine: arrays in a map.

import type {
  NumberedChange,
  PrivateChanges,
} from '../../../../src/features/cluster/engine/private-changes.ts'

export function createPlainPrivateChanges(): PrivateChanges {
  const members = new Map<string, NumberedChange[]>()
  const versions = new Map<string, number>()
  const of = (member: string) => members.get(member) ?? []
  return {
    async append(member, changes) {
      let number = versions.get(member) ?? 0
      for (const change of changes) {
        const others = of(member).filter(({ key }) => key !== change.key)
        members.set(member, [...others, { ...change, number: ++number }])
      }
      versions.set(member, number)
      return number
    },
    async forget(member) {
      if (of(member).length === 0) return
      members.delete(member)
      versions.set(member, versions.get(member)! + 1)
    },
    version: async (member) => versions.get(member) ?? 0,
    since: async (member, after) => of(member).filter(({ number }) => number > after),
  }
}
