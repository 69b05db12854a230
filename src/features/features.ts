// All features of this build, in the order in which they start. To leave one out, delete its line and its
// folder.

import { archiveFeature } from './archive/feature.ts'
import { clusterFeature } from './cluster/feature.ts'
import { dataplaneFeature } from './dataplane/feature.ts'
import { fallbackFeature } from './fallback/feature.ts'
import { forYouFeature } from './for-you/feature.ts'
import type { ListedFeature } from './listed-feature.ts'
import { mediaFeature } from './media/feature.ts'
import { offSiteFeature } from './off-site/feature.ts'
import { pagesFeature } from './pages/feature.ts'
import { pushFeature } from './push/feature.ts'
import { readFeature } from './read/feature.ts'
import { signInFeature } from './sign-in/feature.ts'
import { supportReportFeature } from './support-report/feature.ts'
import { timelinesFeature } from './timelines/feature.ts'
import { verificationFeature } from './verification/feature.ts'
import { visitorsFeature } from './visitors/feature.ts'

export const features: readonly ListedFeature[] = [
  clusterFeature,
  timelinesFeature,
  mediaFeature,
  dataplaneFeature,
  fallbackFeature,
  verificationFeature,
  pushFeature,
  forYouFeature,
  signInFeature,
  readFeature,
  visitorsFeature,
  supportReportFeature,
  offSiteFeature,
  archiveFeature,
  // After the others, whose pages at its addresses come before its own.
  pagesFeature,
]
