// Labels on accounts and records, as JSON, for the frontend to evaluate.

import { createReader } from '../../../answers/hydrate/reader.ts'
import type { Reading } from '../reading/reading.ts'
import { answerOf, type EncodedRpcs, NO_FIELDS } from '../wire/encoded.ts'
import { bounded } from '../wire/messages.ts'

export function labelRpcs({ hydrator, memory }: Pick<Reading, 'hydrator' | 'memory'>): EncodedRpcs {
  return {
    getLabels({ subjects, issuers }) {
      if (issuers.length === 0) return NO_FIELDS
      const requested = memory.labelled.among(new Set(bounded(subjects)))
      if (requested.length === 0) return NO_FIELDS
      // No labeler may redact: the frontend decides what to hide.
      const labelers = { dids: bounded(issuers), redact: NOBODY }
      const found = hydrator.labels(requested, createReader(undefined, { labelers }))
      const labels = [...found.values()].flatMap(({ labels }) => labels)
      return answerOf({ 1: labels.map((label) => Buffer.from(JSON.stringify(label))) })
    },
  }
}

const NOBODY: ReadonlySet<string> = new Set()
