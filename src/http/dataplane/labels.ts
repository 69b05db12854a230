// What labelers say about accounts and records, as JSON, for the frontend to judge.

import type { Hydrator } from '../../answers/hydrate/hydrator-types.ts'
import { createReader } from '../../answers/hydrate/reader.ts'
import { bounded, type Rpcs } from './messages.ts'

export function labelRpcs({ hydrator }: { hydrator: Pick<Hydrator, 'labels'> }): Rpcs {
  return {
    getLabels({ subjects, issuers }) {
      if (subjects.length === 0 || issuers.length === 0) return { labels: [] }
      const asked = new Set(bounded(subjects))
      // None may redact: what is to be hidden is for the frontend to say.
      const labelers = { dids: bounded(issuers), redact: NOBODY }
      const found = hydrator.labels([...asked], createReader(undefined, { labelers }))
      const labels = [...found.values()].flatMap(({ labels }) => labels)
      return { labels: labels.map((label) => Buffer.from(JSON.stringify(label))) }
    },
  }
}

const NOBODY: ReadonlySet<string> = new Set()
