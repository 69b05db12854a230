// The parts of features in the worlds of tests: none in a tree without them.

import { features } from '../../src/base/feature.ts'
import { loadServeFeatures } from '../../src/http/feature.ts'
import { handlersOf, loadIngestFeatures, operationsOf } from '../../src/ingest/feature.ts'
import { loadToolsFeatures } from '../../src/tools/feature.ts'

/** For tests of the core that look at a feature's work, too. */
export const hasFeature = (name: string) => features.some((feature) => feature.name === name)

const ingestFeatures = await loadIngestFeatures()
export const requestHandlers = handlersOf(ingestFeatures)
export const operations = operationsOf(ingestFeatures)
export const serveFeatures = await loadServeFeatures()
export const toolsFeatures = await loadToolsFeatures()
