// A plain in-memory twin of the changes that nodes share on an engine: an array.

import type {
  ClusterChanges,
  NumberedClusterChange,
} from '../../../../src/features/cluster/engine/cluster-changes.ts'

export function createPlainClusterChanges(): ClusterChanges {
  let changes: NumberedClusterChange[] = []
  let latest = 0
  let goneUntil = 0
  return {
    version: async () => latest,
    async since(number) {
      const isComplete = number < goneUntil || number > latest
      const after = isComplete ? 0 : number
      return {
        version: latest,
        goneUntil,
        isComplete,
        changes: changes.filter((change) => change.number > after),
      }
    },
    async put(version, news) {
      if (version !== latest) return false
      const replaced = new Set(news.map(({ replaces }) => replaces))
      const left = changes.filter(({ number }) => !replaced.has(number))
      const added = news.map(({ key, change, isGone }) => {
        return { key, change, isGone, number: ++latest }
      })
      changes = [...left, ...added]
      return true
    },
    async prune(version, numbers) {
      if (version !== latest) return false
      changes = changes.filter(({ number }) => !numbers.includes(number))
      goneUntil = Math.max(...numbers)
      return true
    },
  }
}
