// The tests' snapshots number records, users and CIDs by the order of an answer's keys, which JSON does not have.
// Here both sides are numbered by the order in which the snapshot prints them.

import { VitestSnapshotEnvironment } from 'vitest/runtime'

const NAMES = /\b(record|collection|user|cids|unknown)\((\d+)\)/g
const SNAPSHOT = /^exports\[`[\s\S]*?^`;$/gm

class Numbered extends VitestSnapshotEnvironment {
  override async readSnapshotFile(path: string): Promise<string | null> {
    const text = await super.readSnapshotFile(path)
    return text?.replaceAll(SNAPSHOT, numbered) ?? null
  }
}

// vitest asks for an object.
export default new Numbered({})

function numbered(snapshot: string): string {
  const names = new Map<string, number>()
  const counts = new Map<string, number>()
  return snapshot.replaceAll(NAMES, (complete, kind: string) => {
    const number = names.get(complete) ?? counts.get(kind) ?? 0
    if (!names.has(complete)) counts.set(kind, number + 1)
    names.set(complete, number)
    return `${kind}(${number})`
  })
}
